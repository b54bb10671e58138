import { ListFilter, Plus, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useKey, useShortcuts } from '../lib/shortcuts.ts'
import { useT } from '../lib/t.ts'
import { useIsPhone } from '../lib/use-media.ts'
import { Button } from './button.tsx'
import { DataText } from './data-text.tsx'
import { Popover } from './popover.tsx'
import { Sheet } from './sheet.tsx'

/** One filter of a list. */
export interface FilterSlot {
  readonly id: string
  readonly label: string
  /** `null` = not set. */
  readonly value: string | null
  readonly remove: () => void
  /** The fields of this filter. */
  readonly form: (onDone: () => void) => ReactNode
}

interface FilterBarProps {
  readonly slots: readonly FilterSlot[]
  /** The fields of all filters, for the sheet of a phone. */
  readonly form: (onDone: () => void) => ReactNode
  /** Removes all filters; `null` = none is set. */
  readonly clear: (() => void) | null
}

/**
 * The filters of a list: a chip for each that is set, and a menu with the others. `f` opens the menu; on phones a sheet has all fields, and
 * the chips stand below the tools of the list.
 */
export function FilterBar({ slots, form, clear }: FilterBarProps) {
  const t = useT()
  const isPhone = useIsPhone()
  // What is chosen elsewhere is taken back there: a line with this button alone would be in the way.
  const hasNoChip = slots.every(({ value }) => value === null)
  return (
    <>
      {isPhone ? <FilterSheet form={form} /> : null}
      <div className="contents max-sm:order-1 max-sm:flex max-sm:w-full max-sm:flex-wrap max-sm:gap-1.5 max-sm:empty:hidden">
        {slots.map((slot) => (slot.value === null ? null : <FilterChip key={slot.id} slot={slot} value={slot.value} isPhone={isPhone} />))}
        {isPhone ? null : <FilterMenu slots={slots} />}
        {clear === null || (isPhone && hasNoChip) ? null : (
          <Button size="sm" look="quiet" onClick={clear}>
            {t('list.filters.clear')}
          </Button>
        )}
      </div>
    </>
  )
}

function FilterSheet({ form }: Pick<FilterBarProps, 'form'>) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  useKey('f', () => setOpen(true))
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        <ListFilter aria-hidden className="size-4 text-muted" />
        <span className="max-[379px]:sr-only">{t('list.filters')}</span>
      </Button>
      <Sheet title={t('list.filters')} side="bottom" isOpen={isOpen} onClose={() => setOpen(false)}>
        {form(() => setOpen(false))}
      </Sheet>
    </>
  )
}

interface FilterChipProps {
  readonly slot: FilterSlot
  readonly value: string
  readonly isPhone: boolean
}

/** A press on the chip changes the filter, its second button removes it. */
function FilterChip({ slot: { label, remove, form }, value, isPhone }: FilterChipProps) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const trigger = (
    <button
      type="button"
      {...(isPhone && { onClick: () => setOpen(true) })}
      className="flex h-full min-w-0 items-center rounded-l-sm pr-1 pl-2 -outline-offset-2 hover:bg-hover"
    >
      <span className="shrink-0 whitespace-pre text-muted">
        {label}
        {t('word.colon')}
      </span>
      <DataText text={value} className="font-medium tabular" />
    </button>
  )
  return (
    <span className="inline-flex h-7 max-w-full min-w-0 items-center rounded-sm border bg-surface text-sm touch:h-11">
      {isPhone ? (
        <>
          {trigger}
          <Sheet title={label} side="bottom" isOpen={isOpen} onClose={close}>
            {form(close)}
          </Sheet>
        </>
      ) : (
        <Popover title={label} isOpen={isOpen} setOpen={setOpen} trigger={trigger} className="min-w-48 p-3">
          {form(close)}
        </Popover>
      )}
      <button
        type="button"
        aria-label={t('list.filters.remove', { name: label })}
        onClick={remove}
        className="flex h-full w-7 shrink-0 items-center justify-center rounded-r-sm text-muted -outline-offset-2 hover:bg-hover hover:text-text touch:w-11"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  )
}

/** The filters that are not set; the fields of the chosen one replace the list of names. */
function FilterMenu({ slots }: Pick<FilterBarProps, 'slots'>) {
  const t = useT()
  const hasShortcuts = useShortcuts()
  const place = useRef<HTMLSpanElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [chosenId, setChosenId] = useState<string | null>(null)
  // Also among those that are set, because the fields stay while the popup closes.
  const chosen = slots.find(({ id }) => id === chosenId)
  const change = (open: boolean) => {
    setOpen(open)
    if (open) setChosenId(null)
  }
  // The popup opens beside its button, which may have been scrolled out of view.
  useKey('f', () => {
    place.current?.scrollIntoView({ block: 'nearest' })
    change(true)
  })
  const unset = slots.filter(({ value }) => value === null)
  if (unset.length === 0 && !isOpen) return null
  const trigger = (
    <Button size="sm" aria-keyshortcuts={hasShortcuts ? 'f' : undefined} className="border-dashed border-control text-muted">
      <Plus aria-hidden className="size-4" />
      {t('list.filters.add')}
    </Button>
  )
  return (
    <span ref={place} className="inline-flex">
      <Popover title={chosen?.label ?? t('list.filters.add')} isOpen={isOpen} setOpen={change} trigger={trigger} className="min-w-48 p-3">
        {chosen === undefined ? (
          <FilterNames slots={unset} onChoose={setChosenId} />
        ) : (
          <FirstFocus>{chosen.form(() => change(false))}</FirstFocus>
        )}
      </Popover>
    </span>
  )
}

interface FilterNamesProps {
  readonly slots: readonly FilterSlot[]
  readonly onChoose: (id: string) => void
}

function FilterNames({ slots, onChoose }: FilterNamesProps) {
  const list = useRef<HTMLUListElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const at = buttons.findIndex((button) => button.matches(':focus'))
    buttons[(at + by + buttons.length) % buttons.length]?.focus()
  }
  return (
    <ul ref={list} onKeyDown={onKeyDown} className="-m-2">
      {slots.map(({ id, label }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => onChoose(id)}
            className="flex min-h-8 w-full items-center rounded-sm px-2 py-1 text-left -outline-offset-2 hover:bg-hover focus-visible:bg-hover"
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The focus moves from the pressed name, which disappears, to the first field. */
function FirstFocus({ children }: { readonly children: ReactNode }) {
  return (
    <div ref={focusFirst} className="contents">
      {children}
    </div>
  )
}

const focusFirst = (element: HTMLElement | null): void => element?.querySelector('input')?.focus()
