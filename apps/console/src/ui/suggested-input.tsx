import { type ComponentProps, useId } from 'react'
import { Input } from './input.tsx'

interface SuggestedInputProps extends ComponentProps<'input'> {
  readonly suggestions: readonly string[]
}

/** A field of free text with values that are proposed while one types. */
export function SuggestedInput({ suggestions, ...rest }: SuggestedInputProps) {
  const listId = useId()
  return (
    <>
      <Input {...rest} list={listId} />
      <datalist id={listId}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  )
}
