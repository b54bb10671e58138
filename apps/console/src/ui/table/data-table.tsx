import { type ReactNode, useMemo } from 'react'
import { type RowCount, rowCounts, rowsOfPage } from '../../lib/list-rows.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { type ExportFormat, useFileExport } from '../../lib/use-file-export.ts'
import type { ListView } from '../../lib/use-list.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { useSlowWait } from '../../lib/use-slow-wait.ts'
import { useShowsRows } from '../../lib/visible-rows.ts'
import { ConfirmDialog } from '../dialog.tsx'
import { Pagination } from '../pagination.tsx'
import { Select } from '../select.tsx'
import type { BulkAction, RowAction } from './actions.ts'
import { BulkBar } from './bulk-bar.tsx'
import { CardsHead } from './cards-head.tsx'
import type { Card, Column } from './column.ts'
import { ExportSheet } from './export-sheet.tsx'
import { isEmptyList } from './is-empty-list.ts'
import { ListNotice, useIsForbidden } from './list-notice.tsx'
import { ListSkeleton } from './list-skeleton.tsx'
import { ListToolbar } from './list-toolbar.tsx'
import { RowCards } from './row-cards.tsx'
import { useRowProps } from './row-props.ts'
import { Table } from './table.tsx'
import { useColumns, useVisibleColumns } from './use-columns.ts'
import { useRowCommands } from './use-row-commands.ts'
import { useRowKeys } from './use-row-keys.ts'
import { type PendingAction, type RowRunner, useRowRunner } from './use-row-runner.ts'
import { type SearchBox, useSearchBox } from './use-search-box.ts'
import { type Selection, useSelection } from './use-selection.ts'
import { useSortedRows } from './use-sorted-rows.ts'

interface DataTableProps<Row extends { readonly id: number }> {
  readonly list: ListView<Row>
  /** The name of the rows in the plural. */
  readonly label: string
  /** The first is the row's heading and stays visible. */
  readonly columns: readonly Column<Row>[]
  /** A function outside of components, so that it stays the same. */
  readonly card: (t: Translate) => Card<Row>
  readonly rowActions?: (row: Row) => readonly RowAction[]
  /** Opens a row's details: a click on the row, except on what can be pressed there. */
  readonly onOpen?: (row: Row) => void
  /** If given, rows can be selected. */
  readonly bulkActions?: readonly BulkAction<Row>[]
  /** Label of the search box; without it there is none. */
  readonly searchLabel?: string
  /** For a page that sets the text of the search box itself. */
  readonly searchBox?: SearchBox
  /** Sort select and filters, beside the search box. */
  readonly toolbar?: ReactNode
  /** Between the toolbar and the rows. */
  readonly beforeRows?: ReactNode
  /** New rows are added by themselves: their number is not read out each time. */
  readonly isLive?: boolean
  /** Ids of columns that only a file has. */
  readonly alsoExported?: readonly string[]
  /** Clears the page's own filters; given only while one is set. */
  readonly clearFilters?: () => void
  readonly isForAdmins?: boolean
  /** Shown if no row exists at all, in place of the toolbar too. */
  readonly empty: ReactNode
  /** Rows come from elsewhere while the page is open, so an empty list keeps its toolbar. */
  readonly keepsToolbar?: boolean
}

const noActions = () => []

/**
 * The table of a list page, with all functions of a list. The page defines the rows and their actions:
 *
 *     const list = useList({ endpoint: token.list, search: token.search })
 *     const crud = useCrudActions(tokenCrud, list, useUpdate(token.setStatus, list))
 *     return (
 *       <DataTable
 *         list={list}
 *         label={t('token.title')}
 *         columns={[textColumn({ id: 'name', header: t('token.name'), value: (row) => row.name })]}
 *         card={tokenCard}
 *         rowActions={(row) => [crud.edit(row), crud.toggle(row), crud.remove(row)]}
 *         bulkActions={useCrudBulk(tokenCrud, list)}
 *         searchLabel={t('token.search')}
 *         toolbar={<Select ... />}
 *         empty={<EmptyState ... />}
 *       />
 *     )
 *
 * Create `columns` and `bulkActions` with `useMemo`, so that typing in the search box does not sort again.
 */
export function DataTable<Row extends { readonly id: number }>(props: DataTableProps<Row>) {
  const { list, bulkActions = [], searchLabel, alsoExported = [] } = props
  const t = useT()
  const cardOf = props.card
  const card = useMemo(() => cardOf(t), [cardOf, t])
  const ownBox = useSearchBox(list)
  const box = props.searchBox ?? ownBox
  const columns = useColumns(list.name, props.columns)
  const sorted = useSortedRows(list, props.columns)
  const selection = useSelection(sorted, list.keyword)
  const runner = useRowRunner()
  const fileExport = useFileExport({ name: list.name, file: list.file })
  const parts: Parts<Row> = { columns: useVisibleColumns(columns), sorted, selection: bulkActions.length === 0 ? null : selection, runner }
  const onExport =
    list.file && ((format: ExportFormat) => fileExport.start(format, [...parts.columns.map(({ id }) => id), ...alsoExported]))
  const isForbidden = useIsForbidden(list, props.isForAdmins === true)
  const isEmpty = props.keepsToolbar !== true && isEmptyList(list, props.clearFilters)
  useKey('r', list.refresh)
  return (
    <>
      {isForbidden || isEmpty ? null : (
        <ListToolbar
          list={list}
          columns={columns}
          search={searchLabel === undefined ? null : { box, label: searchLabel }}
          onExport={onExport}
          fileExport={fileExport}
        >
          {props.toolbar}
        </ListToolbar>
      )}
      {props.beforeRows}
      <ListBody
        {...props}
        {...parts}
        card={card}
        allColumns={props.columns}
        clearSearch={() => box.commit('')}
        cardTools={
          onExport && (
            <ExportSheet columns={columns} onExport={onExport} isDisabled={list.rows.length === 0 || fileExport.rowCount !== null} />
          )
        }
      />
      <ListFoot list={list} count={sorted.length} isLive={props.isLive === true} />
      <BulkBar list={list.name} selection={selection} actions={bulkActions} nameOf={card.title} />
      {runner.pending === null ? null : <RowQuestion pending={runner.pending} />}
    </>
  )
}

interface Parts<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorted: readonly Row[]
  readonly selection: Selection<Row> | null
  readonly runner: RowRunner
}

interface ListBodyProps<Row extends { readonly id: number }> extends Omit<DataTableProps<Row>, 'columns' | 'card'>, Parts<Row> {
  readonly card: Card<Row>
  readonly clearSearch: () => void
  readonly cardTools: ReactNode
  /** Also those that are not shown. */
  readonly allColumns: readonly Column<Row>[]
}

/** The rows, or the reason why there are none. */
function ListBody<Row extends { readonly id: number }>({ list, label, card, rowActions, onOpen, ...props }: ListBodyProps<Row>) {
  const { columns, sorted, selection, runner } = props
  const isPhone = useIsPhone()
  const isSlow = useSlowWait(list.isLoading)
  const rows = rowsOfPage(sorted, list.page, list.span)
  useShowsRows(rows)
  const ofRows = { rows, rowActions: rowActions ?? noActions, nameOf: card.title, runner, selection }
  const onRowKey = useRowKeys(ofRows)
  useRowCommands(ofRows)
  const propsOf = useRowProps({ ...ofRows, rowActions: rowActions ?? null, onRowKey, onOpen: onOpen ?? null })
  const cardsHead = (
    <CardsHead list={list} columns={props.allColumns} selection={selection} allCount={sorted.length} tools={props.cardTools} />
  )
  if (list.isLoading || isSlow) {
    return (
      <>
        {isPhone ? cardsHead : null}
        <ListSkeleton
          {...{ label, columns, isPhone }}
          hasSelection={selection !== null}
          hasActions={rowActions !== undefined}
          isShown={isSlow}
        />
      </>
    )
  }
  if (rows.length === 0) {
    return (
      <div className="rounded-md border bg-surface">
        <ListNotice
          list={list}
          isForAdmins={props.isForAdmins === true}
          clearFilters={props.clearFilters ?? null}
          clearSearch={props.clearSearch}
          empty={props.empty}
        />
      </div>
    )
  }
  if (isPhone) {
    return (
      <>
        {cardsHead}
        <RowCards rows={rows.map(propsOf)} label={label} card={card} />
      </>
    )
  }
  return (
    <Table
      {...{ list, label, columns, selection }}
      rows={rows.map(propsOf)}
      hasActions={rowActions !== undefined}
      allCount={sorted.length}
    />
  )
}

interface ListFootProps<Row extends { readonly id: number }> {
  readonly list: ListView<Row>
  readonly count: number
  readonly isLive: boolean
}

/** The number of loaded rows, the choice of how many a page has, and the pagination. */
function ListFoot<Row extends { readonly id: number }>({ list, count, isLive }: ListFootProps<Row>) {
  const t = useT()
  return (
    <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <span className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span role={isLive ? undefined : 'status'} className="text-sm text-muted tabular">
          {count === 0 ? '' : t(list.mayHaveMore ? 'list.loaded.more' : 'list.loaded', { count })}
        </span>
        {count <= rowCounts[0] && !list.mayHaveMore && list.page === 1 ? null : (
          <Select
            size="sm"
            label={t('list.rows')}
            value={list.span.size}
            options={rowCounts.map((value) => ({ value, label: t('list.rows.count', { count: value }) }))}
            // Holds: the options are these numbers.
            onChange={(chosen) => list.setRowCount(chosen as RowCount)}
          />
        )}
      </span>
      <Pagination page={list.page} count={list.pageCount} onChange={list.goTo} />
    </div>
  )
}

function RowQuestion({ pending }: { readonly pending: PendingAction }) {
  const { title, text, extra, label, isOpen, yes, no } = pending
  return <ConfirmDialog title={title} text={text} extra={extra} confirmLabel={label} isOpen={isOpen} onConfirm={yes} onCancel={no} />
}
