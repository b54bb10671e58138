import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { cx } from '../lib/text.ts'
import { DialogHead, scrimClass } from './dialog.tsx'

const sides = {
  left: 'inset-y-0 left-0 w-72 max-w-[85vw] border-r data-starting-style:-translate-x-full data-ending-style:-translate-x-full',
  right: 'inset-y-0 right-0 w-[480px] max-w-full border-l data-starting-style:translate-x-full data-ending-style:translate-x-full',
  bottom: 'inset-x-0 bottom-0 max-h-[85dvh] border-t rounded-t-md data-starting-style:translate-y-full data-ending-style:translate-y-full',
} as const

interface SheetProps {
  readonly title: string
  readonly side: keyof typeof sides
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel at an edge of the screen; the list behind it keeps its position. */
export function Sheet({ title, side, isOpen, onClose, children }: SheetProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={scrimClass} />
        <Base.Popup
          className={cx(
            'fixed z-50 overflow-y-auto border-line bg-surface p-4 shadow-float outline-none transition-transform thin-scroll',
            sides[side],
          )}
        >
          <DialogHead title={title} />
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
