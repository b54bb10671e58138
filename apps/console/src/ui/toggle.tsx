import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox'
import { Switch as BaseSwitch } from '@base-ui/react/switch'
import { Check, Minus } from 'lucide-react'
import { type ReactNode, useId } from 'react'

interface SwitchProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

export function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <BaseSwitch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="relative mt-px inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-control bg-sunken p-0.5 transition-colors before:absolute before:-inset-1.5 before:content-[''] data-checked:border-accent data-checked:bg-accent touch:before:-inset-3"
      >
        <BaseSwitch.Thumb className="size-3.5 rounded-full bg-control transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint === undefined ? null : (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

interface CheckboxProps {
  /** The accessible name, which is not shown. */
  readonly label: string
  readonly isChecked: boolean
  readonly isPartly?: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean, event: Event) => void
}

export function Checkbox({ label, isChecked, isPartly = false, isDisabled = false, onChange }: CheckboxProps) {
  return (
    <BaseCheckbox.Root
      aria-label={label}
      checked={isChecked}
      indeterminate={isPartly}
      disabled={isDisabled}
      onCheckedChange={(checked, details) => onChange(checked, details.event)}
      // Shift selects a range of rows, and must not select text.
      onMouseDown={(event) => (event.shiftKey ? event.preventDefault() : undefined)}
      className="relative inline-flex size-4 shrink-0 items-center justify-center rounded-[3px] border border-control bg-surface align-middle transition-colors before:absolute before:-inset-1 before:content-[''] data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50 data-indeterminate:border-accent data-indeterminate:bg-accent touch:before:-inset-3.5"
    >
      <BaseCheckbox.Indicator className="text-on-accent">
        {isPartly ? <Minus aria-hidden className="size-3" strokeWidth={3} /> : <Check aria-hidden className="size-3" strokeWidth={3} />}
      </BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  )
}
