import { memo, type ReactNode } from 'react'
import { useIsReading } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Checkbox } from '../toggle.tsx'
import { CellCopy } from './cell-copy.tsx'
import { type Column, followsNumber } from './column.ts'
import { isRowClick } from './is-row-click.ts'
import { RowActions } from './row-actions.tsx'
import { isSameRow, type RowProps } from './row-props.ts'
import { cellClass, stickyEnd, stickyStart, TableFrame, TableHead } from './table-head.tsx'
import type { Selection } from './use-selection.ts'

interface TableProps<Row extends { readonly id: number }> {
  readonly list: Pick<ListView<Row>, 'key' | 'sort' | 'setSort'>
  readonly rows: readonly RowProps<Row>[]
  readonly label: string
  /** The shown columns, in order. */
  readonly columns: readonly Column<Row>[]
  readonly hasActions: boolean
  readonly selection: Selection<Row> | null
  readonly allCount: number
}

/** One page of rows as a `<table>`. */
export function Table<Row extends { readonly id: number }>(props: TableProps<Row>) {
  const { list, rows, label, columns, hasActions, selection, allCount } = props
  return (
    <CellCopy>
      <ReadFrame
        list={list}
        label={label}
        head={
          <TableHead
            list={list}
            columns={columns}
            hasActions={hasActions}
            selectAll={
              selection && {
                isChecked: selection.rows.length > 0 && selection.rows.length === allCount,
                isPartly: selection.rows.length > 0 && selection.rows.length < allCount,
                toggle: selection.toggleAll,
              }
            }
          />
        }
      >
        {rows.map((row) => (
          <TableRow key={row.row.id} {...row} columns={columns} />
        ))}
      </ReadFrame>
    </CellCopy>
  )
}

interface ReadFrameProps {
  readonly list: Pick<ListView<{ readonly id: number }>, 'key'>
  readonly label: string
  readonly head: ReactNode
  /** The rows. */
  readonly children: ReactNode
}

/** Shows that rows are read: with a line at the top, and the present rows pale. */
function ReadFrame({ list, label, head, children }: ReadFrameProps) {
  const isReading = useIsReading(list)
  return (
    <TableFrame label={label} isBusy={isReading}>
      {head}
      <tbody className={cx('transition-opacity', isReading && 'opacity-60 delay-150')}>{children}</tbody>
    </TableFrame>
  )
}

interface TableRowProps<Row> extends RowProps<Row> {
  readonly columns: readonly Column<Row>[]
}

// Holds: `memo` loses the type parameter only.
const TableRow = memo(PlainTableRow, isSameRow) as typeof PlainTableRow

function PlainTableRow<Row extends { readonly id: number }>({ row, name, isSelected, actions, columns, ...on }: TableRowProps<Row>) {
  const t = useT()
  const look = isSelected === true ? 'bg-accent-tint' : 'bg-surface group-hover:bg-hover'
  return (
    <tr
      data-row={row.id}
      tabIndex={-1}
      aria-selected={isSelected ?? undefined}
      onKeyDown={(event) => on.onRowKey(event, row)}
      onClick={(event) => (isRowClick(event) ? on.onOpen?.(row) : undefined)}
      className={cx('group -outline-offset-2', on.onOpen !== null && 'cursor-pointer')}
    >
      {isSelected === null ? null : (
        <td className={cx(cellClass, 'w-9 pr-0', look)}>
          <Checkbox
            label={t('list.select.row', { name })}
            isChecked={isSelected}
            onChange={(_, event) => on.onSelect(row, 'shiftKey' in event && event.shiftKey === true)}
          />
        </td>
      )}
      {columns.map((column, index) => {
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
              column.isFlexible && 'w-full min-w-44 max-w-0 lg:min-w-24',
            )}
          >
            {column.cell(row)}
          </Cell>
        )
      })}
      {actions === null ? null : (
        <td className={cx(cellClass, look, stickyEnd)}>
          <RowActions name={name} actions={actions} onRun={(action) => on.onRun(row, action)} />
        </td>
      )}
    </tr>
  )
}
