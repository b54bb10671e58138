import type { LucideIcon } from 'lucide-react'
import type { PagePath } from '../page-path.ts'

/** Asked before something that cannot be undone; names the object. */
export interface Question {
  readonly title: string
  readonly text: string
}

interface ActionFace {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  /** Shown in the row itself; the others are in the row's menu. On phones the first of them is the card's button. */
  readonly isInline?: boolean
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly isBusy?: boolean
  /** Shortcut while the row has the focus. */
  readonly key?: string
  /** Actions of one group are together in the menu, under its name. */
  readonly group?: string
}

/** An action of a row. A promise from `act` is awaited; if it rejects, `act` itself has reported the error. */
export type RowAction =
  | (ActionFace & { readonly act: () => unknown; readonly confirm?: Question })
  | (ActionFace & { readonly link: RowLink })

/** A link to a page about the row. */
export interface RowLink {
  readonly to: PagePath
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string | number>>
}

export interface BulkAction<Row> {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly isDangerous?: boolean
  readonly confirm?: (count: number) => Question
  /** Acts on one row and updates the list. Rejects if refused; the table reports it, so use `call`, not `useCall`. */
  readonly act: (row: Row) => Promise<unknown>
}
