import type { ModelRow } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { CopyButton } from '../../ui/copy-field.tsx'
import { isRowClick } from '../../ui/table/is-row-click.ts'
import type { ModelSort } from './model-order.ts'
import { limitText } from './model-prices.ts'
import type { PriceUnit } from './model-search.ts'
import { Kinds, MainPrices, ModelBadge, SortedBy, Vendors } from './model-words.tsx'

export interface ListedModels {
  readonly rows: readonly ModelRow[]
  readonly unit: PriceUnit
  readonly sort: ModelSort | undefined
  readonly quotaPerDollar: number
  readonly onOpen: (name: string) => void
}

const cell = 'h-(--row) px-3 py-1'

/** Orders by what has no column otherwise. */
const moreColumns: Readonly<Partial<Record<ModelSort, 'released' | 'firstByte' | 'throughput'>>> = {
  '-released': 'released',
  speed: 'firstByte',
  '-throughput': 'throughput',
}

export function ModelTable({ rows, unit, sort, quotaPerDollar, onOpen }: ListedModels) {
  const t = useT()
  const more = sort && moreColumns[sort]
  return (
    <section
      aria-label={t('model.title')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="overflow-x-auto rounded-md border bg-surface thin-scroll"
    >
      <table className="w-full">
        <thead className="border-b text-left text-sm text-muted">
          <tr>
            {(['name', 'kind', 'vendor', 'context'] as const).map((column) => (
              <th key={column} scope="col" className={`${cell} font-medium ${column === 'context' ? 'text-right' : ''}`}>
                {t(`model.column.${column}`)}
              </th>
            ))}
            {more === undefined ? null : (
              <th
                scope="col"
                className={`${cell} text-right font-medium`}
                title={more === 'released' ? undefined : t(`model.${more}.hint`)}
              >
                {t(`model.column.${more}`)}
              </th>
            )}
            <th scope="col" className={`${cell} text-right font-medium`} title={t(`model.price.note.${unit}`)}>
              {t(`model.column.price.${unit}`)}
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              {t('model.column.state')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.name}
              onClick={(event) => (isRowClick(event) ? onOpen(row.name) : undefined)}
              className="group cursor-pointer border-b last:border-b-0 hover:bg-hover"
            >
              <th scope="row" className={`${cell} text-left font-normal`}>
                <span className="flex items-center gap-1">
                  <button
                    type="button"
                    onClick={() => onOpen(row.name)}
                    className="max-w-96 truncate rounded-sm py-0.5 font-mono text-sm hover:text-accent hover:underline touch:min-h-11"
                    title={row.name}
                  >
                    {row.name}
                  </button>
                  <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 touch:opacity-100">
                    <CopyButton text={row.name} label={t('model.copy', { name: row.name })} />
                  </span>
                </span>
              </th>
              <td className={cell}>
                <Kinds kinds={row.kinds} />
              </td>
              <td className={cell}>
                <Vendors types={row.vendors} hasNames={false} />
              </td>
              <td className={`${cell} text-right tabular`}>{row.context === 0 ? '' : limitText(row.context)}</td>
              {more === undefined ? null : (
                <td className={`${cell} text-right whitespace-nowrap tabular`}>
                  <SortedBy row={row} sort={sort} />
                </td>
              )}
              <td className={`${cell} text-right tabular`}>
                <MainPrices row={row} unit={unit} quotaPerDollar={quotaPerDollar} />
              </td>
              <td className={cell}>
                <ModelBadge row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
