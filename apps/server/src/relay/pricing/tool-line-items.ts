import type { Delegated } from '@sluice/vendors/dialect'
import { type Counts, type LineItem, quotaForAll, type Rates, units } from '../../ledger/price.ts'
import type { BillableParams } from '../model/request-params.ts'
import { countsOf } from './billable-counts.ts'
import type { PriceBasis, ResolvedPrice } from './resolve-price.ts'

/** Usage of one vendor tool, and the model it used. */
export interface ToolLineItem extends LineItem {
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
export function toolLineItemsOf(resolvedPrice: ResolvedPrice, delegated: readonly Delegated[]): readonly ToolLineItem[] {
  const charges = new Map<Rates, ToolLineItem>()
  for (const { models, size, quality, usage } of delegated) {
    const painter = resolvedPrice.ofTool(models)
    if (painter === null) continue
    const rates = painter.price.ratesFor({ ...usage, pictureSize: size, pictureQuality: quality })
    const counts = countsOf(usage, painter.price.price, true)
    const known = charges.get(rates)
    charges.set(rates, { model: painter.model, rates, counts: known === undefined ? counts : sumOf(known.counts, counts) })
  }
  return [...charges.values()]
}

function sumOf(first: Counts, second: Counts): Counts {
  return Object.fromEntries(units.map((unit) => [unit, (first[unit] ?? 0) + (second[unit] ?? 0)]))
}
