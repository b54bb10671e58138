import type { ReactNode } from 'react'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
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

export interface SheetProps {
  readonly title: string
  readonly side: 'left' | 'right' | 'bottom'
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}
