import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import type { Sort } from '../../lib/list-search.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Checkbox } from '../toggle.tsx'
import { type Column, followsNumber } from './column.ts'
import { useIsWide } from './use-is-wide.ts'

export const cellClass =
  'h-(--row) border-b px-3 py-0.5 lg:px-1.5 2xl:px-3 font-normal whitespace-nowrap transition-colors group-last:border-b-0 group-focus-visible:shadow-[inset_0_2px_var(--accent),inset_0_-2px_var(--accent)]'
export const stickyStart = 'sticky left-0 z-1'
export const stickyEnd =
  'sticky right-0 z-1 w-px pr-2 group-data-wide/frame:shadow-[-8px_0_8px_-8px_var(--control)] group-focus-visible:shadow-[inset_0_2px_var(--accent),inset_0_-2px_var(--accent),inset_-2px_0_var(--accent)]'
export const headClass = 'sticky top-0 z-2 h-8 border-b bg-surface px-3 lg:px-1.5 2xl:px-3 text-xs font-medium text-muted whitespace-nowrap'

interface TableFrameProps {
  readonly label: string
  readonly isBusy: boolean
  readonly children: ReactNode
}

/** A scroll container: a table wider than the page scrolls in it, and its head stays visible. */
export function TableFrame({ label, isBusy, children }: TableFrameProps) {
  const t = useT()
  const region = useRef<HTMLElement>(null)
  const isWide = useIsWide(region)
  return (
    <div data-wide={isWide || undefined} className="group/frame relative">
      {isBusy ? <ProgressLine /> : null}
      <section
        ref={region}
        aria-label={t('list.region', { name: label })}
        aria-busy={isBusy}
        aria-description={isWide ? t('list.scroll') : undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-[calc(100dvh-12rem)] overflow-auto rounded-md border bg-surface thin-scroll"
      >
        <table className="w-full border-separate border-spacing-0 text-sm">
          <caption className="sr-only">{label}</caption>
          {children}
        </table>
      </section>
    </div>
  )
}

function ProgressLine() {
  return (
    <div aria-hidden className="absolute inset-x-px top-0 z-10 h-0.5 overflow-hidden rounded-t-md">
      <div className="h-full w-1/4 animate-slide bg-accent" />
    </div>
  )
}

interface TableHeadProps<Row extends { readonly id: number }> {
  readonly list: Pick<ListView<Row>, 'sort' | 'setSort'>
  readonly columns: readonly Column<Row>[]
  readonly hasActions: boolean
  readonly selectAll: { readonly isChecked: boolean; readonly isPartly: boolean; readonly toggle: () => void } | null
}

export function TableHead<Row extends { readonly id: number }>({ list, columns, hasActions, selectAll }: TableHeadProps<Row>) {
  const t = useT()
  return (
    <thead>
      <tr>
        {selectAll === null ? null : (
          <th scope="col" className={cx(headClass, 'w-9 pr-0 text-left')}>
            <Checkbox
              label={t('list.select.all')}
              isChecked={selectAll.isChecked}
              isPartly={selectAll.isPartly}
              onChange={selectAll.toggle}
            />
          </th>
        )}
        {columns.map((column, index) => (
          <HeadCell
            key={column.id}
            column={column}
            isFirst={index === 0}
            look={cx(followsNumber(columns, index) && 'lg:pl-4')}
            sort={list.sort}
            setSort={list.setSort}
          />
        ))}
        {hasActions ? (
          <th scope="col" className={cx(headClass, 'right-0 z-3')}>
            <span className="sr-only">{t('list.actions')}</span>
          </th>
        ) : null}
      </tr>
    </thead>
  )
}

/** Shows that a column can be sorted: under a pointer only, where its width would be missing in the columns. */
const quietArrow = 'opacity-40 lg:pointer-fine:opacity-0 lg:pointer-fine:group-hover/sort:opacity-40 group-focus-visible/sort:opacity-40'

interface HeadCellProps<Row> {
  readonly column: Column<Row>
  readonly isFirst: boolean
  readonly look: string
  readonly sort: Sort | null
  readonly setSort: (sort: Sort | null) => void
}

function HeadCell<Row>({ column, isFirst, look, sort, setSort }: HeadCellProps<Row>) {
  const direction = sort?.id !== column.id ? undefined : sort.desc ? 'descending' : 'ascending'
  const Arrow = direction === undefined ? ChevronsUpDown : direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={cx(headClass, isFirst && 'left-0 z-3', column.isNumber ? 'text-right' : 'text-left', look)}
    >
      {column.sortValue === undefined ? (
        column.header
      ) : (
        <button
          type="button"
          onClick={() => setSort(nextSort(column.id, sort))}
          className={cx(
            'group/sort -mx-1.5 inline-flex h-7 items-center gap-0.5 rounded-sm px-1.5 hover:bg-hover hover:text-text',
            direction !== undefined && 'text-text',
            column.isNumber && 'flex-row-reverse',
          )}
        >
          {column.header}
          <Arrow
            aria-hidden
            className={cx(
              'size-3',
              direction === undefined && quietArrow,
              direction === undefined && (column.isNumber ? 'lg:pointer-fine:-ml-3.5' : 'lg:pointer-fine:-mr-3.5'),
            )}
          />
        </button>
      )}
    </th>
  )
}

/** Ascending, descending, then the server's order again. */
export function nextSort(id: string, sort: Sort | null): Sort | null {
  if (sort?.id !== id) return { id, desc: false }
  return sort.desc ? null : { id, desc: true }
}
