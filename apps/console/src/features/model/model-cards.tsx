import { useT } from '../../lib/t.ts'
import { limitText } from './model-prices.ts'
import type { ListedModels } from './model-table.tsx'
import { Kinds, MainPrices, ModelBadge, SortedBy } from './model-words.tsx'

/** The rows of the models table as cards, for narrow screens. */
export function ModelCards({ rows, unit, sort, quotaPerDollar, onOpen }: ListedModels) {
  const t = useT()
  return (
    <ul aria-label={t('model.title')} className="divide-y rounded-md border bg-surface">
      {rows.map((row) => (
        <li key={row.name}>
          <button type="button" onClick={() => onOpen(row.name)} className="w-full space-y-1.5 px-4 py-3 text-left -outline-offset-2">
            <span className="flex items-start justify-between gap-3">
              <span className="min-w-0 font-mono text-sm break-all">{row.name}</span>
              <ModelBadge row={row} />
            </span>
            <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-sm text-muted">
              <span className="flex flex-wrap items-center gap-2">
                <Kinds kinds={row.kinds} />
                {row.context === 0 ? null : <span className="tabular">{t('model.context.short', { tokens: limitText(row.context) })}</span>}
                <span className="tabular empty:hidden">
                  <SortedBy row={row} sort={sort} />
                </span>
              </span>
              <span className="text-text tabular">
                <MainPrices row={row} unit={unit} quotaPerDollar={quotaPerDollar} />
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
