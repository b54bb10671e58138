import { Check, Minus } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { cx } from '../lib/text.ts'

interface SwitchProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isOn: boolean) => void
}

export function Switch({ label, hint, isOn, isDisabled = false, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={isOn}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        disabled={isDisabled}
        onClick={() => onChange(!isOn)}
        onKeyDown={ignoreEnter}
        className={cx(
          "relative mt-px inline-flex h-5 w-9 shrink-0 items-center rounded-full border p-0.5 transition-colors before:absolute before:-inset-1.5 disabled:cursor-not-allowed disabled:opacity-50 before:content-[''] touch:before:-inset-[13px]",
          isOn ? 'border-accent bg-accent' : 'border-control bg-sunken',
        )}
      >
        <span className={cx('size-3.5 rounded-full transition-transform', isOn ? 'translate-x-4 bg-on-accent' : 'bg-control')} />
      </button>
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
  /** For a label that is shown beside it. */
  readonly id?: string
  readonly isChecked: boolean
  readonly isPartly?: boolean
  readonly isDisabled?: boolean
  /** The id of a text that explains it. */
  readonly hintId?: string
  readonly onChange: (isChecked: boolean, event: Event) => void
}

export function Checkbox({ label, id, isChecked, isPartly = false, isDisabled = false, hintId, onChange }: CheckboxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the mark of an input cannot have our look
    <button
      type="button"
      role="checkbox"
      id={id}
      aria-label={label}
      aria-checked={isPartly ? 'mixed' : isChecked}
      aria-describedby={hintId}
      disabled={isDisabled}
      onClick={({ nativeEvent }) => onChange(!isChecked, nativeEvent)}
      onKeyDown={ignoreEnter}
      // Shift selects a range of rows, and must not select text.
      onMouseDown={(event) => (event.shiftKey ? event.preventDefault() : undefined)}
      className={cx(
        "relative inline-flex size-4 shrink-0 items-center justify-center rounded-[3px] border align-middle text-on-accent transition-colors before:absolute before:-inset-[5px] before:content-[''] disabled:opacity-50 touch:before:-inset-[15px]",
        isChecked || isPartly ? 'border-accent bg-accent' : 'border-control bg-surface',
      )}
    >
      {mark(isChecked, isPartly)}
    </button>
  )
}

function mark(isChecked: boolean, isPartly: boolean): ReactNode {
  if (isPartly) return <Minus aria-hidden className="size-3" strokeWidth={3} />
  return isChecked ? <Check aria-hidden className="size-3" strokeWidth={3} /> : null
}

/** Only Space changes a switch or a checkbox. */
function ignoreEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault()
}
