import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { cx } from '../lib/text.ts'
import { controlLook } from './input.tsx'
import { popupClass } from './menu.tsx'

interface SelectProps<T extends string | number> {
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
  readonly id?: string
  /** The name if there is no separate label; it is then also shown inside, before the value. */
  readonly label?: string
  readonly size?: 'md' | 'sm'
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
}

export function Select<T extends string | number>({ value, options, onChange, id, label, size = 'md', ...aria }: SelectProps<T>) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Base.Root value={value} items={options} onValueChange={(next) => (next === null ? undefined : onChange(next))}>
      <Base.Trigger
        {...aria}
        id={id}
        aria-label={label === undefined ? undefined : `${label}: ${chosen?.label ?? ''}`}
        className={cx(
          controlLook,
          'flex items-center justify-between gap-2 text-left touch:h-11',
          size === 'sm' ? 'h-7 border-line px-2 text-sm' : 'h-8 w-full px-2.5',
        )}
      >
        <span className="truncate">
          {label === undefined || size !== 'sm' ? null : <span className="text-muted">{label}: </span>}
          <Base.Value />
        </span>
        <Base.Icon className="shrink-0 text-muted">
          <ChevronDown aria-hidden className="size-4" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} alignItemWithTrigger={false} className="z-50 outline-none">
          <Base.Popup className={cx(popupClass, 'max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto p-1')}>
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                className="flex min-h-8 items-center gap-2 rounded-sm py-1 pr-3 pl-2 outline-none data-highlighted:bg-hover touch:min-h-11"
              >
                <span className="flex size-4 items-center justify-center text-accent">
                  <Base.ItemIndicator>
                    <Check aria-hidden className="size-4" />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
