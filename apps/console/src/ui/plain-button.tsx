import type { ComponentProps, KeyboardEvent, SyntheticEvent } from 'react'

interface PlainButtonProps extends ComponentProps<'button'> {
  /** The button keeps its focus and name, and ignores presses. */
  readonly isBusy: boolean
}

/** A button without a look. A disabled one loses the focus, so a busy one only says that it is. */
export function PlainButton({ isBusy, disabled = false, onClick, onKeyDown, ...rest }: PlainButtonProps) {
  const stop = (event: SyntheticEvent) => event.preventDefault()
  const stopKeys = (event: KeyboardEvent) => (event.key === 'Tab' ? undefined : stop(event))
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled && !isBusy}
      aria-disabled={isBusy || rest['aria-disabled'] || undefined}
      aria-busy={isBusy || undefined}
      {...((disabled || isBusy) && { 'data-disabled': '' })}
      // A busy button must not submit its form either.
      onClick={isBusy ? stop : onClick}
      onKeyDown={isBusy ? stopKeys : onKeyDown}
    />
  )
}
