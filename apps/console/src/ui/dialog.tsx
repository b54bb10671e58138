import type { ReactNode } from 'react'
import { late } from '../lib/late.ts'
import { LateLayer } from './late-layer.tsx'

/** The code of dialogs and sheets: the first paint of a page needs none of it. */
export const dialogParts = late(() => import('./dialog-parts.tsx'))

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The first focus is on the element marked `data-first`, else on the first one that can have it. */
export function Dialog(props: DialogProps) {
  return (
    <LateLayer code={dialogParts} isOpen={props.isOpen} onFailed={props.onClose}>
      {({ Dialog: Part }) => <Part {...props} />}
    </LateLayer>
  )
}

export interface ConfirmProps {
  /** Names the object of the question. */
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  readonly cancelLabel?: string
  readonly isOpen: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** Asks before something that cannot be undone. Enter confirms, because that button has the first focus; Esc cancels. */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <LateLayer code={dialogParts} isOpen={props.isOpen} onFailed={props.onCancel}>
      {({ ConfirmDialog: Part }) => <Part {...props} />}
    </LateLayer>
  )
}
