import type { Column } from '../ui/table/column.ts'
import { GroupEdit } from './group-edit.tsx'

interface GroupColumnSpec<Row> {
  readonly header: string
  readonly hint: string
  readonly allowsCustom: boolean
  readonly nameOf: (row: Row) => string
  /** Reports a refusal itself. */
  readonly edit: (row: Row, change: { readonly group: string }) => Promise<unknown>
}

/** The groups of a row, which a press changes. */
export function groupColumn<Row extends { readonly group: string }>(spec: GroupColumnSpec<Row>): Column<Row> {
  const { header, hint, allowsCustom, nameOf, edit } = spec
  return {
    id: 'group',
    header,
    cell: (row) => (
      <GroupEdit
        name={nameOf(row)}
        group={row.group}
        hint={hint}
        allowsCustom={allowsCustom}
        onSave={(group) => edit(row, { group }).catch(() => null)}
      />
    ),
    sortValue: ({ group }) => group,
  }
}
