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
  /** It takes the width that the others leave, and its text is cut to that. */
  readonly isFlexible?: boolean
}

/** A text after numbers: both ends would touch without a wider gap. */
export function followsNumber<Row>(columns: readonly Column<Row>[], index: number): boolean {
  return columns[index - 1]?.isNumber === true && columns[index]?.isNumber !== true
}

/** A row as a card, for narrow screens. */
export interface Card<Row> {
  /** The row's name, also in the labels of its buttons and in questions about it. */
  readonly title: (row: Row) => string
  /** How the card shows the name, if not as it is. */
  readonly heading?: (row: Row) => ReactNode
  readonly badge?: (row: Row) => ReactNode
  readonly facts: (row: Row) => readonly { readonly label: string; readonly value: ReactNode }[]
}
