import { type ClipboardEvent, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { ControlProps } from './field.tsx'
import { Input } from './input.tsx'
import { PickerChips } from './model-picker-chips.tsx'
import { type ListHandle, PickerList } from './model-picker-list.tsx'
import { namesToAdd, optionsFor } from './model-picker-options.ts'
import { LayerPopup, popupClass } from './popup.tsx'
import { indexAfterKey } from './roving-focus.ts'

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

/** The marked row. By keyboard or pointer, or only because it is the first that is found. */
interface Mark {
  readonly index: number
  readonly isChosen: boolean
}

const noMark: Mark = { index: -1, isChosen: false }

/** Chooses several of many names. Enter always chooses the marked row; a pasted or typed list becomes many names. */
export function ModelPicker({ control, label, placeholder, inputRef, ...choice }: ModelPickerProps) {
  const t = useT()
  const id = useId()
  const { value, onChange, allowsCustom } = choice
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<ListHandle | null>(null)
  const { isOpen, setOpen, options, query, setQuery, mark, setMark, toggle, onKeyDown, onPaste } = usePicker(choice, {
    reveal: (index) => list.current?.reveal(index),
    // The query is kept for the next choice, and selected so that typing replaces it.
    selectQuery: () => input.current?.select(),
  })
  const hasMark = isOpen && mark.index >= 0 && mark.index < options.names.length
  return (
    <>
      <PickerChips
        value={value}
        onRemove={(name) => onChange(value.filter((other) => other !== name))}
        focusInput={() => input.current?.focus()}
      />
      <Input
        {...control}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={hasMark ? `${id}-${mark.index}` : undefined}
        ref={(element) => {
          input.current = element
          inputRef?.(element)
        }}
        placeholder={placeholder ?? t('picker.search')}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {isOpen && input.current !== null ? (
        <LayerPopup anchor={input.current} onClose={() => setOpen(false)}>
          <div className={cx(popupClass, 'w-(--anchor-width) max-w-(--available-width) overflow-hidden')}>
            <p role="status" className="px-3 py-2 text-sm text-muted empty:p-0">
              {options.names.length > 0 ? '' : t(allowsCustom ? 'picker.none' : 'picker.none.closed')}
            </p>
            <PickerList
              {...{ id, label, options, value }}
              marked={mark.index}
              onMark={(index) => setMark({ index, isChosen: true })}
              onChoose={toggle}
              handle={list}
            />
          </div>
        </LayerPopup>
      ) : null}
    </>
  )
}

interface PickerEffects {
  readonly reveal: (index: number) => void
  readonly selectQuery: () => void
}

/** The query, the options, and the effects of typing, Enter and pasting. */
function usePicker({ value, onChange, items, allowsCustom }: Choice, { reveal, selectQuery }: PickerEffects) {
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [mark, setMark] = useState(noMark)
  const options = useMemo(() => optionsFor({ items, value, query, allowsCustom }), [items, value, query, allowsCustom])
  const change = (text: string) => {
    setQuery(text)
    setMark(text.trim() === '' ? noMark : { index: 0, isChosen: false })
    reveal(0)
  }
  const add = (text: string) => {
    const names = namesToAdd(text, { items, value, allowsCustom })
    if (names.length > 0) onChange([...value, ...names])
    change('')
  }
  const toggle = (name: string) => {
    onChange(value.includes(name) ? value.filter((other) => other !== name) : [...value, name])
    selectQuery()
  }
  const enter = () => {
    const typed = query.trim()
    // A typed name is added, and not removed if it is chosen already; an empty text does nothing.
    if (!mark.isChosen && (typed === '' || options.names[0] === typed)) return add(query)
    const name = options.names[mark.index]
    if (isOpen && name !== undefined) toggle(name)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Tab') setOpen(false)
    const next = event.key.startsWith('Arrow') ? indexAfterKey(event.key, mark.index, options.names.length) : null
    // Enter never submits the form here.
    if (event.key === 'Enter' || next !== null) event.preventDefault()
    if (event.key === 'Enter') enter()
    if (next === null) return
    setOpen(true)
    setMark({ index: next, isChosen: true })
    reveal(next)
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!/\S[\s,，、;]+\S/u.test(text)) return
    event.preventDefault()
    add(text)
  }
  return {
    isOpen,
    setOpen,
    options,
    query,
    setQuery: (text: string) => {
      setOpen(true)
      if (/[,，、;\n]/u.test(text)) add(text)
      else change(text)
    },
    mark,
    setMark,
    toggle,
    onKeyDown,
    onPaste,
  }
}
