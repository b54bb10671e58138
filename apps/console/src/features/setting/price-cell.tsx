import { memo, useState } from 'react'
import { cx } from '../../lib/text.ts'
import { controlLook } from '../../ui/input.tsx'
import { readCell } from './ratio-rows.ts'

interface PriceCellProps {
  readonly label: string
  readonly value: number | null
  readonly isDisabled?: boolean
  readonly onChange: (value: number | null) => void
}

/** Longer numbers would be cut by their column. */
const displayDigits = 5

/** A number >= 0, rounded until it has the focus, that is taken over when the field is left or by Enter; Esc restores it. */
export const PriceCell = memo(function PriceCell({ label, value, isDisabled = false, onChange }: PriceCellProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const exact = value === null ? '' : String(value)
  const displayText = value === null ? '' : String(Number(value.toPrecision(displayDigits)))
  const parsed = typed === null ? value : readCell(typed)
  const take = () => {
    if (parsed === undefined) return
    setTyped(null)
    if (parsed !== value) onChange(parsed)
  }
  return (
    <input
      type="text"
      inputMode="decimal"
      autoComplete="off"
      aria-label={label}
      aria-invalid={parsed === undefined || undefined}
      disabled={isDisabled}
      value={typed ?? displayText}
      title={displayText === exact ? undefined : exact}
      onFocus={() => setTyped(exact)}
      placeholder="–"
      onChange={({ target }) => setTyped(target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setTyped(exact)
        if (event.key !== 'Enter') return
        event.preventDefault()
        take()
      }}
      className={cx(
        controlLook,
        'h-7 w-full border-transparent bg-transparent px-1.5 text-right tabular disabled:bg-transparent touch:h-11',
      )}
    />
  )
})
