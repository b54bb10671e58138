import type { ReactNode } from 'react'

export interface DialogProps {
  readonly title: string
  /** For content of two columns. */
  readonly isWide?: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export interface ConfirmProps {
  /** Names the object of the question. */
  readonly title: string
  readonly text: string
  /** Between text and buttons: a choice that belongs to the question. */
  readonly extra?: ReactNode
  readonly confirmLabel: string
  readonly cancelLabel?: string
  readonly isOpen: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

export interface SheetProps {
  readonly title: string
  readonly side: 'left' | 'right' | 'bottom'
  /** Beside the title. */
  readonly tools?: ReactNode
  /** Whether it shows a row of a list, which has keys of its own. */
  readonly isOfRow?: boolean
  /** Gets the focus after closing; `null` = what had it before. */
  readonly focusAfter?: () => HTMLElement | null
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}
