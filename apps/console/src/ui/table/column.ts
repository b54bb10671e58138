import type { ReactNode } from 'react'

/** One column: its cells, its sorting, its export. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Without it the column cannot be sorted. `null` is last in both directions. */
  readonly sortValue?: (row: Row) => string | number | null
  /** Numbers are aligned at the end. */
  readonly isNumber?: boolean
  readonly isHiddenAtFirst?: boolean
}

/** A row as a card, for narrow screens. */
export interface Card<Row> {
  /** The row's name, also in the labels of its buttons and in questions about it. */
  readonly title: (row: Row) => string
  readonly badge?: (row: Row) => ReactNode
  readonly facts: (row: Row) => readonly { readonly label: string; readonly value: ReactNode }[]
}
