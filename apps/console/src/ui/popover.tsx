import { cloneElement, type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from 'react'
import { cx } from '../lib/text.ts'
import type { Trigger } from './menu.tsx'
import type { Align } from './placing.ts'
import { Popup, popupClass } from './popup.tsx'

interface PopoverProps {
  /** The accessible name. */
  readonly title: string
  readonly trigger: Trigger
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
  readonly align?: Align
  /** The element that it stands beside, if that is not the trigger. */
  readonly anchor?: RefObject<HTMLElement | null>
  readonly className?: string
  readonly children: ReactNode
}

/** A small dialog at a button, after it in the document, so that Tab goes through it in the order of what is seen. */
export function Popover({ title, trigger, isOpen, setOpen, align = 'start', anchor, className, children }: PopoverProps) {
  const id = useId()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const beside = anchor?.current ?? button
  return (
    <>
      {cloneElement(trigger, {
        ref: setButton,
        'aria-haspopup': 'dialog',
        'aria-expanded': isOpen,
        'aria-controls': isOpen ? id : undefined,
        ...(isOpen && { 'data-popup-open': '' }),
        onClick: () => setOpen(!isOpen),
      })}
      {!isOpen || beside === null ? null : (
        <Popup anchor={beside} opener={button} align={align} onClose={() => setOpen(false)} onOpen={focusFirst} onKeyDown={keepEnter}>
          <div
            id={id}
            role="dialog"
            aria-label={title}
            tabIndex={-1}
            className={cx(popupClass, 'max-h-(--available-height) overflow-y-auto', className)}
          >
            {children}
          </div>
        </Popup>
      )}
    </>
  )
}

const focusable = 'input:not(:disabled), button:not(:disabled, [tabindex="-1"]), a[href], textarea, [tabindex="0"]'

function focusFirst(popup: HTMLElement): void {
  const box = popup.querySelector<HTMLElement>('[role=dialog]')
  // A keyboard on the screen of a phone would hide the popup.
  const first = matchMedia('(pointer: coarse)').matches ? null : box?.querySelector<HTMLElement>(focusable)
  ;(first ?? box)?.focus({ preventScroll: true })
}

/** Enter in a field of the popup must not submit the form around it. */
function keepEnter(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget } = event
  if (event.key !== 'Enter' || !(target instanceof HTMLInputElement)) return
  if (target.form !== null && !currentTarget.contains(target.form)) event.preventDefault()
}
