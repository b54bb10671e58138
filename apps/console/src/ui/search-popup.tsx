import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { ControlProps } from './field.tsx'
import { controlClass, Input } from './input.tsx'
import { LayerPopup, popupClass } from './popup.tsx'

interface SearchPopupProps {
  /** If it is in a `Field`. */
  readonly control?: ControlProps
  /** The accessible name of the popup. */
  readonly label: string
  /** The accessible name of the button; a label beside it is its name otherwise. */
  readonly buttonLabel?: string
  readonly className: string
  /** What is chosen. */
  readonly chosen: ReactNode
  /** The search and what it finds. `close` also returns the focus to the button. */
  readonly children: (part: { readonly id: string; readonly close: () => void }) => ReactNode
}

/** A button that shows what is chosen, and opens a popup with a search. */
export function SearchPopup({ control, label, buttonLabel, className, chosen, children }: SearchPopupProps) {
  const id = useId()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = () => setAnchor(null)
  return (
    <>
      <button
        type="button"
        {...control}
        aria-label={buttonLabel}
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
        className={cx(controlClass, 'flex items-center text-left touch:h-11', className)}
      >
        {chosen}
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </button>
      {anchor === null ? null : (
        <LayerPopup anchor={anchor} onClose={close} onOpen={focusField}>
          <div id={id} role="dialog" aria-label={label} className={cx(popupClass, 'w-(--anchor-width) max-w-(--available-width) min-w-64')}>
            {children({ id, close })}
          </div>
        </LayerPopup>
      )}
    </>
  )
}

const focusField = (popup: HTMLElement): void => popup.querySelector('input')?.focus({ preventScroll: true })

interface SearchFieldProps {
  /** Of the list that it searches. */
  readonly listId: string
  /** Of the marked option; the focus stays in the field. */
  readonly markedId: string | undefined
  readonly query: string
  readonly onQuery: (query: string) => void
  /** `null` = nothing is found. */
  readonly onEnter: (() => void) | null
  /** Moves the mark; returns whether it has moved. */
  readonly onArrow: (key: string) => boolean
  readonly onTab: () => void
  readonly className: string
}

export function SearchField({ listId, markedId, query, onQuery, onEnter, onArrow, onTab, className }: SearchFieldProps) {
  const t = useT()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Tab') return onTab()
    if (event.key === 'Enter') onEnter?.()
    if (event.key === 'Enter' || (event.key.startsWith('Arrow') && onArrow(event.key))) event.preventDefault()
  }
  return (
    <>
      <div className={cx('border-b', className)}>
        <Input
          role="combobox"
          aria-label={t('list.search')}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={markedId}
          placeholder={t('list.search')}
          value={query}
          onChange={({ target }) => onQuery(target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <p role="status" className="px-3 py-2 text-sm text-muted empty:p-0">
        {onEnter === null ? t('picker.none.closed') : ''}
      </p>
    </>
  )
}

interface MarkedSpec {
  readonly isMarked: boolean
  readonly onMark: () => void
  readonly onChoose: () => void
}

/** For an option that the field marks and chooses: the focus stays in the field. */
export function markedProps({ isMarked, onMark, onChoose }: MarkedSpec): ComponentProps<'div'> {
  return {
    ref: isMarked ? keepInView : null,
    onMouseDown: (event) => event.preventDefault(),
    onPointerMove: isMarked ? undefined : onMark,
    onClick: onChoose,
  }
}

const keepInView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' })

/** Whether a name contains what was typed. */
export function isFound(label: string, query: string): boolean {
  return label.toLowerCase().includes(query.trim().toLowerCase())
}
