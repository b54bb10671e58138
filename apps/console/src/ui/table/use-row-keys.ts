import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import { isPlainKey, useKey } from '../../lib/shortcuts.ts'
import type { RowAction } from './actions.ts'
import { type RowRunner, rowElement } from './use-row-runner.ts'
import type { Selection } from './use-selection.ts'

interface RowKeys<Row> {
  readonly rows: readonly Row[]
  readonly rowActions: (row: Row) => readonly RowAction[]
  readonly runner: RowRunner
  readonly selection: Selection<Row> | null
}

/** `j` and `k` move through the rows; in a row, `x` selects it, and the keys of its actions run them. */
export function useRowKeys<Row extends { readonly id: number }>({
  rows,
  rowActions,
  runner,
  selection,
}: RowKeys<Row>): (event: KeyboardEvent, row: Row) => void {
  const navigate = useNavigate()
  useKey('j', () => walk(rows, 1))
  useKey('k', () => walk(rows, -1))
  return (event, row) => {
    if (!isRowKey(event)) return
    const action = rowActions(row).find(({ key }) => key === event.key)
    const isSelecting = event.key === 'x' && selection !== null
    if (action === undefined && !isSelecting) return
    event.preventDefault()
    if (isSelecting) selection.toggle(row.id, false)
    else if (action !== undefined && 'link' in action) void navigate(action.link)
    else if (action !== undefined && action.isDisabled !== true) runner.run(row.id, action)
  }
}

/** A shortcut of a row. Enter presses the button that has the focus. */
function isRowKey(event: KeyboardEvent): boolean {
  return isPlainKey(event.nativeEvent) && (event.key !== 'Enter' || event.target === event.currentTarget)
}

function walk(rows: readonly { readonly id: number }[], by: 1 | -1): void {
  const at = rows.findIndex(({ id }) => rowElement(id)?.contains(document.activeElement) === true)
  const next = at < 0 ? (by > 0 ? rows[0] : rows.at(-1)) : rows[at + by]
  if (next !== undefined) rowElement(next.id)?.focus()
}
