import { useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { Button } from './button.tsx'
import { Chip } from './chip.tsx'
import { foldChips } from './model-picker-options.ts'

interface PickerChipsProps {
  readonly value: readonly string[]
  readonly onRemove: (name: string) => void
  /** Called after the last chip was removed. */
  readonly focusInput: () => void
}

/** The chosen names; the middle of a long list is folded. After a removal by keyboard, the neighbour has the focus. */
export function PickerChips({ value, onRemove, focusInput }: PickerChipsProps) {
  const t = useT()
  const list = useRef<HTMLUListElement>(null)
  const [isUnfolded, setUnfolded] = useState(false)
  const folded = foldChips(value)
  const hiddenCount = value.length - folded.before.length - folded.after.length
  const { before, after } = isUnfolded ? { before: value, after: [] } : folded
  const remove = (name: string) => {
    const chips = [...(list.current?.querySelectorAll<HTMLElement>('li[data-name] button') ?? [])]
    const at = chips.findIndex((chip) => chip.closest('li')?.dataset['name'] === name)
    const neighbour = chips[at + 1] ?? chips[at - 1]
    if (neighbour === undefined) focusInput()
    else neighbour.focus()
    onRemove(name)
  }
  const chipsOf = (names: readonly string[]) =>
    names.map((name) => (
      <li key={name} data-name={name} className="max-w-full">
        <Chip text={name} onRemove={() => remove(name)} />
      </li>
    ))
  if (value.length === 0) return null
  return (
    <div className="mb-1.5">
      <ul
        ref={list}
        aria-label={t('picker.selected', { count: value.length })}
        className="flex max-h-64 flex-wrap gap-1 overflow-y-auto thin-scroll"
      >
        {chipsOf(before)}
        {after.length === 0 ? null : (
          <li aria-hidden className="px-1 text-muted">
            …
          </li>
        )}
        {chipsOf(after)}
      </ul>
      {hiddenCount <= 0 ? null : (
        <Button size="sm" look="quiet" className="mt-1 -ml-2.5 min-h-6" aria-expanded={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
          {isUnfolded ? t('picker.less') : t('picker.more', { count: hiddenCount })}
        </Button>
      )}
    </div>
  )
}
