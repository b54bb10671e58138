import { useMemo } from 'react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Checkbox } from '../toggle.tsx'
import type { RowAction } from './actions.ts'
import { CellCopy } from './cell-copy.tsx'
import { type Card, type Column, followsNumber } from './column.ts'
import { isRowClick } from './is-row-click.ts'
import { RowActions } from './row-actions.tsx'
import { cellClass, stickyEnd, stickyStart, TableFrame, TableHead } from './table-head.tsx'
import type { OnRowKey } from './use-row-keys.ts'
import type { RowRunner } from './use-row-runner.ts'
import type { Selection } from './use-selection.ts'

interface TableProps<Row extends { readonly id: number }> {
  readonly list: Pick<ListView<Row>, 'sort' | 'setSort' | 'isFetching'>
  readonly rows: readonly Row[]
  readonly label: string
  readonly card: Card<Row>
  /** The shown columns, in order. */
  readonly columns: readonly Column<Row>[]
  readonly rowActions: ((row: Row) => readonly RowAction[]) | null
  readonly runner: RowRunner
  readonly selection: Selection<Row> | null
  readonly allCount: number
  readonly onRowKey: OnRowKey<Row>
  readonly onOpen: ((row: Row) => void) | undefined
}

/** One page of rows as a `<table>`. */
export function Table<Row extends { readonly id: number }>(props: TableProps<Row>) {
  const { list, rows, label, columns, selection, rowActions, allCount } = props
  return (
    <CellCopy>
      <TableFrame label={label} isBusy={list.isFetching}>
        <TableHead
          list={list}
          columns={columns}
          hasActions={rowActions !== null}
          selectAll={
            selection && {
              isChecked: selection.rows.length > 0 && selection.rows.length === allCount,
              isPartly: selection.rows.length > 0 && selection.rows.length < allCount,
              toggle: selection.toggleAll,
            }
          }
        />
        <tbody className={cx('transition-opacity', list.isFetching && 'opacity-60 delay-150')}>
          {rows.map((row) => (
            <TableRow key={row.id} {...props} row={row} />
          ))}
        </tbody>
      </TableFrame>
    </CellCopy>
  )
}

function TableRow<Row extends { readonly id: number }>({ row, ...props }: TableProps<Row> & { readonly row: Row }) {
  const t = useT()
  const { columns, card, rowActions, runner, selection, onRowKey, onOpen } = props
  const name = card.title(row)
  const isSelected = selection?.has(row.id) === true
  const look = isSelected ? 'bg-accent-tint' : 'bg-surface group-hover:bg-hover'
  // Most renders of a list, such as those of a selection or of a reload, change no cell.
  const cells = useMemo(
    () =>
      columns.map((column, index) => {
        const Cell = index === 0 ? 'th' : 'td'
        return (
          <Cell
            key={column.id}
            {...(index === 0 && { scope: 'row' })}
            className={cx(
              cellClass,
              look,
              index === 0 && stickyStart,
              column.isNumber ? 'text-right tabular' : 'text-left',
              followsNumber(columns, index) && 'lg:pl-4',
              column.isFlexible && 'w-full min-w-24 max-w-0',
            )}
          >
            {column.cell(row)}
          </Cell>
        )
      }),
    [columns, row, look],
  )
  return (
    <tr
      data-row={row.id}
      tabIndex={-1}
      aria-selected={selection === null ? undefined : isSelected}
      onKeyDown={(event) => onRowKey(event, row)}
      onClick={(event) => (onOpen !== undefined && isRowClick(event) ? onOpen(row) : undefined)}
      className={cx('group -outline-offset-2', onOpen !== undefined && 'cursor-pointer')}
    >
      {selection === null ? null : (
        <td className={cx(cellClass, 'w-9 pr-0', look)}>
          <Checkbox
            label={t('list.select.row', { name })}
            isChecked={isSelected}
            onChange={(_, event) => selection.toggle(row.id, 'shiftKey' in event && event.shiftKey === true)}
          />
        </td>
      )}
      {cells}
      {rowActions === null ? null : (
        <td className={cx(cellClass, look, stickyEnd)}>
          <RowActions id={row.id} name={name} actions={rowActions(row)} runner={runner} />
        </td>
      )}
    </tr>
  )
}
