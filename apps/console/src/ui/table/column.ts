import type { ReactNode } from 'react'

/** One column: what it shows, how it sorts, what it says in a file. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Without it the column does not sort. `null` stands last either way. */
  readonly sortValue?: (row: Row) => string | number | null
  /** Numbers stand at the end of their column. */
  readonly isNumber?: boolean
  readonly isHiddenAtFirst?: boolean
  /** Its value in an exported file; without it the value that it sorts by. */
  readonly csv?: (row: Row) => string | number
}

/** A row where there is no room for a table. */
export interface Card<Row> {
  /** What people call the row; also in the names of its buttons and in questions about it. */
  readonly title: (row: Row) => string
  readonly badge?: (row: Row) => ReactNode
  readonly facts: (row: Row) => readonly { readonly label: string; readonly value: ReactNode }[]
}
