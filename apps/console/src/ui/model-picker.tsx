import { Combobox } from '@base-ui/react/combobox'
import { type ClipboardEvent, type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { ControlProps } from './field.tsx'
import { Input } from './input.tsx'
import { popupClass } from './menu.tsx'
import { PickerChips } from './model-picker-chips.tsx'
import { type ListHandle, PickerList } from './model-picker-list.tsx'
import { allNames, namesToAdd, optionsFor } from './model-picker-options.ts'

interface Choice {
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  /** What can be chosen. Names in `value` that are not among them stay. */
  readonly items: readonly string[]
  /** Whether names that are not listed may be added. */
  readonly allowsCustom: boolean
}

interface ModelPickerProps extends Choice {
  readonly control: ControlProps
  /** Its name again: while the list is open, everything but the field and the list is hidden from screen readers, its label too. */
  readonly label: string
  readonly placeholder?: string
  /** For forms that lead to their first wrong field. */
  readonly inputRef?: (input: HTMLInputElement | null) => void
}

/** Chooses any of many names. What Enter would do is always the highlighted row; a pasted or typed list becomes many names. */
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
        // Escape means "close", not "take everything away".
        if (reason === 'escape-key') return
        onChange(next)
        // The search stays for the next choice, and gives way to the next search.
        input.current?.select()
      }}
      inputValue={query}
      onInputValueChange={setQuery}
      open={isOpen}
      onOpenChange={(open, details) => {
        // Choosing one is seldom choosing the last one.
        if (!open && details.reason === 'item-press') details.cancel()
        else setOpen(open)
      }}
      onItemHighlighted={(name, { reason, index }) => {
        isAtRow.current = name !== undefined && reason !== 'none'
        if (name !== undefined && reason !== 'pointer') queueMicrotask(() => list.current?.scrollToIndex(index, { align: 'auto' }))
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
            <PickerList label={label} options={options} isOpen={isOpen} handle={list} />
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

/** What is searched for and offered, and what typing, Enter and pasting mean. */
function usePicker({ value, onChange, items, allowsCustom }: Choice) {
  const [query, setQuery] = useState('')
  /** Somebody went to a row, by arrow or pointer; otherwise the highlight only follows what is typed. */
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
    // Enter belongs to the list and never sends the form.
    event.preventDefault()
    const typed = query.trim()
    // What was typed is added, never taken away by being typed again; nothing typed does nothing.
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

/** Does something in the place of what the library would do with the key. */
function ownHandling(event: KeyboardEvent, act: () => void): void {
  if ('preventBaseUIHandler' in event && typeof event.preventBaseUIHandler === 'function') event.preventBaseUIHandler()
  act()
}
