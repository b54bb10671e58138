import { cx } from '../lib/text.ts'

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly value: T | null
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
}

/** A few values side by side, one of which is selected. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="inline-flex min-w-0 max-w-full overflow-x-auto rounded-sm border bg-surface thin-scroll">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={cx(
            'h-6.5 shrink-0 border-r px-2.5 text-sm font-medium whitespace-nowrap transition-colors -outline-offset-2 last:border-r-0 touch:h-11',
            option.value === value ? 'bg-accent-tint text-accent' : 'text-muted hover:bg-hover hover:text-text',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
