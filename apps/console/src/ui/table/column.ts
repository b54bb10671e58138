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
  /** Its value in an exported file. */
  readonly csv?: (row: Row) => string | number
}

export interface BulkAction<Row> {
  readonly id: string
  readonly label: string
  readonly isDangerous?: boolean
  /** Asked first; says how many. */
  readonly confirm?: (count: number) => { readonly title: string; readonly text: string }
  readonly act: (row: Row) => Promise<unknown>
}
