import { Combobox } from '@base-ui/react/combobox'
import { type ClipboardEvent, type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { ControlProps } from './field.tsx'
import { Input } from './input.tsx'
import { PickerChips } from './model-picker-chips.tsx'
import { type ListHandle, PickerList } from './model-picker-list.tsx'
import { allNames, namesToAdd, optionsFor } from './model-picker-options.ts'
import { popupClass } from './popup.tsx'

interface Choice {
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  /** The listed names. Other names in `value` are kept. */
  readonly items: readonly string[]
  /** Whether names that are not listed may be added. */
  readonly allowsCustom: boolean
}

interface ModelPickerProps extends Choice {
  readonly control: ControlProps
  /** The label's text: while the list is open, screen readers see the field and the list only, and not the label. */
  readonly label: string
  readonly placeholder?: string
  /** For forms that focus their first field with an error. */
  readonly inputRef?: (input: HTMLInputElement | null) => void
}

/** Chooses several of many names. Enter always chooses the highlighted row; a pasted or typed list becomes many names. */
export function ModelPicker({ control, label, placeholder, inputRef, ...choice }: ModelPickerProps) {
  const t = useT()
  const { value, onChange, allowsCustom } = choice
  const [isOpen, setOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<ListHandle | null>(null)
  const { all, options, query, setQuery, isAtRow, onKeyDown, onPaste } = usePicker(choice)
  return (
    <Combobox.Root
      multiple
      virtualized
      autoHighlight
      items={all}
      filteredItems={options.names}
      value={value}
      onValueChange={(next, { reason }) => {
        // Escape closes the list and must not clear the value.
        if (reason === 'escape-key') return
        onChange(next)
        // The query is kept for the next choice, and selected so that typing replaces it.
        input.current?.select()
      }}
      inputValue={query}
      onInputValueChange={setQuery}
      open={isOpen}
      onOpenChange={(open, details) => {
        // The list stays open after a choice, because most users choose several.
        if (!open && details.reason === 'item-press') details.cancel()
        else setOpen(open)
      }}
      onItemHighlighted={(name, { reason, index }) => {
        isAtRow.current = name !== undefined && reason !== 'none'
        if (name !== undefined && reason !== 'pointer') queueMicrotask(() => list.current?.reveal(index))
      }}
    >
      <PickerChips
        value={value}
        onRemove={(name) => onChange(value.filter((other) => other !== name))}
        focusInput={() => input.current?.focus()}
      />
      <Combobox.Input
        {...control}
        aria-label={label}
        ref={(element) => {
          input.current = element
          inputRef?.(element)
        }}
        render={<Input />}
        placeholder={placeholder ?? t('picker.search')}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} collisionPadding={8} className="z-50 outline-none">
          <Combobox.Popup className={cx(popupClass, 'w-(--anchor-width) max-w-(--available-width) overflow-hidden')}>
            <Combobox.Empty className="px-3 py-2 text-sm text-muted empty:p-0">
              {t(allowsCustom ? 'picker.none' : 'picker.none.closed')}
            </Combobox.Empty>
            <PickerList label={label} options={options} handle={list} />
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

/** The query, the options, and the effects of typing, Enter and pasting. */
function usePicker({ value, onChange, items, allowsCustom }: Choice) {
  const [query, setQuery] = useState('')
  /** A row was highlighted by arrow key or pointer; otherwise the highlight follows the query. */
  const isAtRow = useRef(false)
  const all = useMemo(() => allNames(items, value), [items, value])
  const options = useMemo(() => optionsFor({ items, value, query, allowsCustom }), [items, value, query, allowsCustom])
  const add = (text: string) => {
    const names = namesToAdd(text, { items, value, allowsCustom })
    if (names.length > 0) onChange([...value, ...names])
    setQuery('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key !== 'Enter') return
    // Enter never submits the form here.
    event.preventDefault()
    const typed = query.trim()
    // A typed name is added, and not removed if it is chosen already; an empty text does nothing.
    if (!isAtRow.current && (typed === '' || options.names[0] === typed)) ownHandling(event, () => add(query))
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!/\S[\s,，、;]+\S/u.test(text)) return
    event.preventDefault()
    add(text)
  }
  return {
    all,
    options,
    query,
    setQuery: (text: string) => (/[,，、;\n]/u.test(text) ? add(text) : setQuery(text)),
    isAtRow,
    onKeyDown,
    onPaste,
  }
}

/** Calls `act` instead of the library's handling of the key. */
function ownHandling(event: KeyboardEvent, act: () => void): void {
  if ('preventBaseUIHandler' in event && typeof event.preventBaseUIHandler === 'function') event.preventBaseUIHandler()
  act()
}
