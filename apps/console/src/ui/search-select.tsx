import { Check, ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { ControlProps } from './field.tsx'
import { controlClass, Input } from './input.tsx'
import { inLayerOf, Popup, popupClass } from './popup.tsx'
import { indexAfterKey } from './roving-focus.ts'

interface Option<T> {
  readonly value: T
  readonly label: string
}

interface SearchSelectProps<T extends string | number> {
  /** If it is in a `Field`. */
  readonly control?: ControlProps
  /** `sm` for tables. */
  readonly size?: 'md' | 'sm'
  /** The accessible name. */
  readonly label: string
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
}

const sizes = { md: 'h-8 gap-2 px-2.5', sm: 'h-6 max-w-32 gap-1 2xl:max-w-56 border-line px-1.5 font-mono text-xs' } as const

/** Most options shown at once; a search finds the others. */
const drawnMax = 200

/** Chooses one of many options, with a search. */
export function SearchSelect<T extends string | number>({ control, size = 'md', label, value, options, onChange }: SearchSelectProps<T>) {
  const id = useId()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const chosen = options.find((option) => option.value === value)
  const close = () => setAnchor(null)
  return (
    <>
      <button
        type="button"
        {...control}
        {...(control === undefined && { 'aria-label': `${label}: ${chosen?.label ?? ''}` })}
        role="combobox"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={({ currentTarget }) => setAnchor(anchor === null ? currentTarget : null)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setAnchor(event.currentTarget)
        }}
        className={cx(controlClass, 'flex items-center justify-between text-left touch:h-11', sizes[size])}
      >
        <span className="truncate">{chosen?.label}</span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </button>
      {anchor === null
        ? null
        : inLayerOf(
            anchor,
            <Popup anchor={anchor} onClose={close} onShown={(popup) => popup.querySelector('input')?.focus({ preventScroll: true })}>
              <Search
                {...{ id, label, value, options }}
                onChoose={(next) => {
                  close()
                  if (next !== value) onChange(next)
                }}
                onLeave={close}
              />
            </Popup>,
          )}
    </>
  )
}

interface SearchProps<T extends string | number> extends Pick<SearchSelectProps<T>, 'label' | 'value' | 'options'> {
  readonly id: string
  readonly onChoose: (value: T) => void
  readonly onLeave: () => void
}

/** The focus stays in the field; the arrow keys move a mark over the options that are found. */
function Search<T extends string | number>({ id, label, value, options, onChoose, onLeave }: SearchProps<T>) {
  const t = useT()
  const [query, setQuery] = useState('')
  const found = useMemo(() => matches(options, query), [options, query])
  const [marked, setMarked] = useState(() =>
    Math.max(
      0,
      found.findIndex((option) => option.value === value),
    ),
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const option = found[marked]
    if (event.key === 'Tab') onLeave()
    if (event.key === 'Enter') {
      event.preventDefault()
      if (option !== undefined) onChoose(option.value)
    }
    const next = event.key === 'Home' || event.key === 'End' ? null : indexAfterKey(event.key, marked, found.length)
    if (next === null) return
    event.preventDefault()
    setMarked(next)
  }
  return (
    <div id={id} role="dialog" aria-label={label} className={cx(popupClass, 'w-(--anchor-width) max-w-(--available-width) min-w-64')}>
      <div className="border-b p-1">
        <Input
          role="combobox"
          aria-label={t('list.search')}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${marked}`}
          placeholder={t('list.search')}
          value={query}
          onChange={({ target }) => {
            setQuery(target.value)
            setMarked(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {found.length === 0 ? (
        <p role="status" className="px-3 py-2 text-sm text-muted">
          {t('picker.none.closed')}
        </p>
      ) : null}
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        className="max-h-[min(20rem,calc(var(--available-height)-3.5rem))] overflow-y-auto overscroll-contain p-1 empty:p-0 thin-scroll"
      >
        {found.map((option, index) => (
          <SearchOption
            key={option.value}
            id={`${id}-${index}`}
            label={option.label}
            isChosen={option.value === value}
            isMarked={index === marked}
            onMark={() => setMarked(index)}
            onChoose={() => onChoose(option.value)}
          />
        ))}
      </div>
    </div>
  )
}

function matches<T>(options: readonly Option<T>[], query: string): readonly Option<T>[] {
  const wanted = query.trim().toLowerCase()
  return options.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, drawnMax)
}

interface SearchOptionProps {
  readonly id: string
  readonly label: string
  readonly isChosen: boolean
  readonly isMarked: boolean
  readonly onMark: () => void
  readonly onChoose: () => void
}

function SearchOption({ id, label, isChosen, isMarked, onMark, onChoose }: SearchOptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    <div
      id={id}
      ref={isMarked ? keepInView : null}
      role="option"
      aria-selected={isChosen}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onPointerMove={isMarked ? undefined : onMark}
      onClick={onChoose}
      className={cx('flex min-h-8 items-center gap-2 rounded-sm py-1 pr-3 pl-2 touch:min-h-11', isMarked && 'bg-hover')}
    >
      <span aria-hidden className="flex size-4 items-center justify-center text-accent">
        {isChosen ? <Check className="size-4" /> : null}
      </span>
      {label}
    </div>
  )
}

const keepInView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' })
