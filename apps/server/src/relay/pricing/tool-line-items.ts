import type { Delegated } from '@sluice/vendors/dialect'
import { type Counts, type LineItem, quotaForAll, type Rates, units } from '../../ledger/price.ts'
import type { BillableParams } from '../model/request-params.ts'
import { countsOf } from './billable-counts.ts'
import type { PriceBasis, ResolvedPrice } from './resolve-price.ts'

/** Usage of one model at one price. */
export interface ModelLineItem extends LineItem {
  readonly model: string
}

/** Quota for one call of the tool that a request forces; 0: it forces none. */
export function insistedQuota({ tool }: BillableParams, resolvedPrice: ResolvedPrice, basis: PriceBasis): number {
  if (tool === undefined) return 0
  const { searches, fileSearches, containers, delegated } = tool
  return quotaForAll([
    { counts: { searches, fileSearches, containers }, rates: resolvedPrice.ratesFor(basis) },
    ...toolLineItemsOf(resolvedPrice, delegated),
  ])
}

/** Usage of another model is charged as if requested directly; a tool with one price is one line item. */
export function toolLineItemsOf(resolvedPrice: ResolvedPrice, delegated: readonly Delegated[]): readonly ModelLineItem[] {
  const charges = new Map<Rates, ModelLineItem>()
  for (const { models, size, quality, usage } of delegated) {
    const painter = resolvedPrice.ofTool(models)
    if (painter === null) continue
    const rates = painter.price.ratesFor({ ...usage, pictureSize: size, pictureQuality: quality })
    const counts = countsOf(usage, painter.price.price, true)
    addItem(charges, { model: painter.model, rates, counts })
  }
  return [...charges.values()]
}

/** Adds an item to those of its rates. */
export function addItem(items: Map<Rates, ModelLineItem>, item: ModelLineItem): void {
  const known = items.get(item.rates)
  items.set(item.rates, known === undefined ? item : { ...item, counts: sumOf(known.counts, item.counts) })
}

function sumOf(first: Counts, second: Counts): Counts {
  return Object.fromEntries(units.map((unit) => [unit, (first[unit] ?? 0) + (second[unit] ?? 0)]))
}
