import { type KeyboardEvent, type Ref, useState } from 'react'
import { splitNames } from '../lib/text.ts'
import { Chip } from './chip.tsx'
import type { ControlProps } from './field.tsx'
import { Input } from './input.tsx'

interface ChipsInputProps {
  readonly control: ControlProps
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
  /** Whether a value is valid; an invalid one stays visible and is marked. */
  readonly isValid: (value: string) => boolean
  readonly placeholder?: string
  /** The field of the text that is being typed: a form moves the focus there. */
  readonly inputRef?: Ref<HTMLInputElement>
}

/** A list of short texts: Enter, comma, space or leaving the field completes one; a pasted list becomes many. */
export function ChipsInput({ control, values, onChange, isValid, placeholder, inputRef }: ChipsInputProps) {
  const [text, setText] = useState('')
  const add = (typed: string) => {
    const fresh = splitNames(typed).filter((value) => !values.includes(value))
    if (fresh.length > 0) onChange([...values, ...fresh])
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault()
      add(text)
    }
    // Ctrl+S saves the form, including the text that is being typed.
    if (event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)) add(text)
    if (event.key === 'Backspace' && text === '') onChange(values.slice(0, -1))
  }
  return (
    <div>
      {values.length === 0 ? null : (
        <ul className="mb-1.5 flex flex-wrap gap-1">
          {values.map((value) => (
            <li key={value}>
              <Chip text={value} isWrong={!isValid(value)} onRemove={() => onChange(values.filter((other) => other !== value))} />
            </li>
          ))}
        </ul>
      )}
      <Input
        {...control}
        ref={inputRef}
        value={text}
        placeholder={placeholder}
        onChange={({ target }) => (/[\s,]/.test(target.value) ? add(target.value) : setText(target.value))}
        onKeyDown={onKeyDown}
        onBlur={() => add(text)}
      />
    </div>
  )
}
