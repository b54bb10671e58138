import { type LucideIcon, PanelRightOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PagePath } from '../page-path.ts'

/** A confirmation before something that cannot be undone; names the object. */
export interface Question {
  readonly title: string
  readonly text: string
  /** A choice that belongs to the question; the action reads it. */
  readonly extra?: ReactNode
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

/** An action that is no link. */
export type ActAction = Extract<RowAction, { readonly act: unknown }>

/** Opens the sheet of the row; a click on the row does the same. The sheet itself leaves it out. */
export const detailsAction = (label: string, act: () => void): RowAction => ({
  ...{ id: 'details', label, icon: PanelRightOpen, key: 'Enter' },
  act,
})

export const isDetails = ({ id }: RowAction): boolean => id === 'details'

/** A link to a page about the row. */
export interface RowLink {
  readonly to: PagePath
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string | number>>
}

/** A question with a value, before an action on many rows. */
export interface BulkChooser<Row> {
  /** Number of rows. */
  readonly count: number
  readonly isOpen: boolean
  readonly onCancel: () => void
  /** Starts the action with the chosen value. */
  readonly onChosen: (act: BulkAct<Row>) => void
}

/** Acts on one row and updates the list. Rejects if refused; the table reports it, so use `call`, not `useCall`. */
type BulkAct<Row> = (row: Row) => Promise<unknown>

/** An action on many rows: on each of them, at once or after a value was chosen; or one that takes them all. */
export type BulkAction<Row> = BulkFace &
  (
    | { readonly act: BulkAct<Row> }
    | { readonly choose: (chooser: BulkChooser<Row>) => ReactNode }
    | { readonly take: (rows: readonly Row[]) => void }
  )

/** An action whose value is known. */
export type BulkRun<Row> = BulkFace & { readonly act: BulkAct<Row> }

interface BulkFace {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly isDangerous?: boolean
  readonly confirm?: (count: number) => Question
  /** Asks for what the action needs, and then starts it. */
  readonly ensure?: (start: () => void) => void
}
