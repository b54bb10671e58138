import { X } from 'lucide-react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { IconButton } from '../../ui/button.tsx'
import { PriceCell } from './price-cell.tsx'
import { cellOf, type PriceScale, type RatioColumn, type RatioRow, ratioColumns, ratioMembers } from './ratio-rows.ts'
import { useWindow } from './use-window.ts'

interface RatioGridProps {
  readonly rows: readonly RatioRow[]
  readonly scale: PriceScale
  /** Shown instead of rows. */
  readonly none: string
  readonly onCell: (row: RatioRow, column: RatioColumn, value: number | null) => void
  readonly onRemove: (name: string) => void
}

/** Only visible rows are in the document. */
export function RatioGrid({ rows, scale, none, onCell, onRemove }: RatioGridProps) {
  const t = useT()
  const { rowHeight, from, to, ref, onScroll } = useWindow(rows.length)
  return (
    <section
      ref={ref}
      onScroll={onScroll}
      aria-label={t('setting.prices.table')}
      className="h-96 overflow-auto rounded-sm border thin-scroll"
    >
      <table aria-rowcount={rows.length + 1} className="w-full min-w-160 table-fixed border-separate border-spacing-0 text-sm">
        <thead>
          <tr aria-rowindex={1} className="h-8 text-left">
            <th className={cx(headClass, 'left-0 z-20 w-44 pl-3 sm:w-auto')}>{t('setting.prices.model')}</th>
            {ratioColumns.map((column) => (
              <th key={column} className={cx(headClass, 'w-20 touch:w-25 py-1 pr-2 pl-1 text-right')}>
                {t(`setting.prices.${column}`)}
              </th>
            ))}
            <th className={cx(headClass, 'w-9')}>
              <span className="sr-only">{t('list.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Spacer height={from * rowHeight} />
          {rows.slice(from, to).map((row, offset) => (
            <tr
              key={row.name}
              data-model={row.name}
              aria-rowindex={from + offset + 2}
              style={{ height: rowHeight }}
              className="group hover:bg-hover"
            >
              <th
                scope="row"
                className="sticky left-0 truncate border-b bg-surface pl-3 group-hover:bg-hover text-left font-mono text-xs font-normal"
                title={row.name}
              >
                {row.name}
              </th>
              {ratioColumns.map((column) => (
                <td key={column} className="border-b px-0.5">
                  <PriceCell
                    label={t('setting.prices.cell', { column: t(`setting.prices.${column}`), model: row.name })}
                    value={cellOf(row, column, scale)}
                    isDisabled={column === 'output' && !(row.ratio !== null && row.ratio > 0)}
                    onChange={(value) => onCell(row, column, value)}
                  />
                </td>
              ))}
              <td className="border-b pr-1">
                {ratioMembers.every((member) => row[member] === null) ? null : (
                  <IconButton label={t('setting.prices.remove', { model: row.name })} onClick={() => onRemove(row.name)}>
                    <X aria-hidden className="size-4" />
                  </IconButton>
                )}
              </td>
            </tr>
          ))}
          <Spacer height={(rows.length - to) * rowHeight} />
        </tbody>
      </table>
      {rows.length === 0 ? <p className="px-3 py-6 text-center text-muted">{none}</p> : null}
    </section>
  )
}

const headClass = 'sticky top-0 z-10 border-b bg-sunken text-xs font-medium text-muted'

/** Takes the place of the rows that are not rendered. */
function Spacer({ height }: { readonly height: number }) {
  return height <= 0 ? null : (
    <tr aria-hidden>
      <td colSpan={ratioColumns.length + 2} style={{ height, padding: 0 }} />
    </tr>
  )
}
