import type { LucideIcon } from 'lucide-react'
import type { PagePath } from '../page-path.ts'

/** Asked before something that cannot be undone; names what it is about. */
export interface Question {
  readonly title: string
  readonly text: string
}

interface ActionFace {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  /** Stands in the row itself; the others open from the row's menu. On phones the first of them is the card's button. */
  readonly isInline?: boolean
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly isBusy?: boolean
  /** Pressed while the row has the focus. */
  readonly key?: string
  /** Actions of one group stand together in the menu, under its name. */
  readonly group?: string
}

/** What a row offers. A promise that `act` returns is waited for; when it is refused, whoever made the call has told so. */
export type RowAction =
  | (ActionFace & { readonly act: () => unknown; readonly confirm?: Question })
  | (ActionFace & { readonly link: RowLink })

/** A page about the row. */
export interface RowLink {
  readonly to: PagePath
  readonly params?: Readonly<Record<string, string>>
}

export interface BulkAction<Row> {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly isDangerous?: boolean
  readonly confirm?: (count: number) => Question
  /** Does it to one row and shows the outcome in the list. Throws when it was refused; the table tells, so use `call`, not `useCall`. */
  readonly act: (row: Row) => Promise<unknown>
}
