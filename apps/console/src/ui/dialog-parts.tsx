import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { memo, type ReactNode, useRef } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { Button, iconButtonClass } from './button.tsx'
import type { ConfirmProps, DialogProps, SheetProps } from './dialog-props.ts'

export const scrimClass = 'fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0'

const centred =
  'fixed inset-x-4 top-[min(20vh,160px)] z-50 mx-auto max-h-[calc(100dvh-min(20vh,160px)-1rem)] overflow-y-auto rounded-md border border-line bg-surface shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0'

/** What closes keeps its content while it fades away: the row that it is about may have changed by what was pressed in it. */
const Kept = memo(
  ({ children }: { readonly isOpen: boolean; readonly children: ReactNode }) => children,
  (_, { isOpen }) => !isOpen,
)

/** The first focus is on the element marked `data-first`, else on the first one that can have it. */
export function Dialog({ title, isWide = false, isOpen, onClose, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={scrimClass} />
        <Base.Popup
          ref={popup}
          initialFocus={() => popup.current?.querySelector<HTMLElement>('[data-first]') ?? true}
          className={cx(centred, isWide ? 'max-w-2xl' : 'max-w-lg', 'scroll-pt-16 scroll-pb-16 p-4')}
        >
          <Kept isOpen={isOpen}>
            {/* It stays in sight while a long dialog scrolls; what is sticky keeps off the padding, so both are 16 pixels further out. */}
            <div className="sticky -top-4 z-10 -mx-4 -mt-4 bg-surface px-4 pt-4">
              <DialogHead title={title} />
            </div>
            {children}
          </Kept>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Tools marked `data-steps` stand in a line of their own, above the title: it is the name of a row, which may be long. */
function DialogHead({ title, tools }: { readonly title: string; readonly tools?: ReactNode }) {
  const t = useT()
  return (
    <div className="group/head mb-3 flex items-center justify-between gap-3 has-data-steps:flex-wrap has-data-steps:gap-y-1">
      <Base.Title className="mr-auto min-w-0 text-lg font-semibold break-words group-has-data-steps/head:order-last group-has-data-steps/head:w-full">
        {title}
      </Base.Title>
      {tools}
      <Base.Close aria-label={t('action.close')} className={iconButtonClass}>
        <X aria-hidden className="size-4" />
      </Base.Close>
    </div>
  )
}

/** Asks before something that cannot be undone. Enter confirms, because that button has the first focus; Esc cancels. */
export function ConfirmDialog({ title, text, extra, confirmLabel, cancelLabel, isOpen, onConfirm, onCancel }: ConfirmProps) {
  const t = useT()
  const confirm = useRef<HTMLButtonElement>(null)
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onCancel())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={scrimClass} />
        <AlertDialog.Popup initialFocus={confirm} className={cx(centred, 'max-w-sm p-4')}>
          <AlertDialog.Title className="text-lg font-semibold break-words">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 break-words text-muted">{text}</AlertDialog.Description>
          {extra === undefined ? null : <div className="mt-4">{extra}</div>}
          <div className="mt-4 flex flex-row-reverse justify-start gap-2">
            <Button ref={confirm} look="danger" onClick={onConfirm} data-confirm>
              {confirmLabel}
            </Button>
            <Button onClick={onCancel}>{cancelLabel ?? t('action.cancel')}</Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

const sides = {
  left: 'inset-y-0 left-0 w-72 max-w-[85vw] border-r data-starting-style:-translate-x-full data-ending-style:-translate-x-full',
  right: 'inset-y-0 right-0 w-[480px] max-w-full border-l data-starting-style:translate-x-full data-ending-style:translate-x-full',
  bottom: 'inset-x-0 bottom-0 max-h-[85dvh] border-t rounded-t-md data-starting-style:translate-y-full data-ending-style:translate-y-full',
} as const

/** A panel at an edge of the screen; the list behind it keeps its position. */
export function Sheet({ title, side, tools, isOfRow = false, focusAfter, isOpen, onClose, children }: SheetProps) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={scrimClass} />
        <Base.Popup
          ref={popup}
          {...(isOfRow && { 'data-row-sheet': '' })}
          // A row is read before anything is pressed, so no button of it has the first focus, or its tooltip would cover the row.
          initialFocus={() => (isOfRow ? popup.current : true)}
          finalFocus={() => focusAfter?.() ?? true}
          className={cx(
            'fixed z-50 overflow-y-auto border-line bg-surface p-4 shadow-float outline-none transition-transform thin-scroll',
            sides[side],
          )}
        >
          <Kept isOpen={isOpen}>
            <DialogHead title={title} tools={tools} />
            {children}
          </Kept>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
