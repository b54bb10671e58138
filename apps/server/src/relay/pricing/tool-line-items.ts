import type { Delegated } from '@sluice/vendors/core/usage'
import { withCallLimit } from '@sluice/vendors/protocols/bodies/body-use'
import { noTools, usualImages } from '@sluice/vendors/protocols/bodies/offered-tools'
import { type Counts, type LineItem, quotaForAll, type Rates, units } from '../../ledger/price.ts'
import type { BillableParams } from '../model/request-params.ts'
import { countsOf } from './billable-counts.ts'
import type { PriceBasis, ResolvedPrice } from './resolve-price.ts'

/** Usage of one model at one price. */
export interface ModelLineItem extends LineItem {
  readonly model: string
}

/** What of the vendor's own tools is reserved: the first use of each, or as many as the request allows. */
export type ToolUses = 'first' | 'all'

/** Quota for the tools that a response may use. */
export function toolsQuota(
  { use }: BillableParams,
  uses: ToolUses,
  { resolvedPrice, basis }: { readonly resolvedPrice: ResolvedPrice; readonly basis: PriceBasis },
): number {
  if (use === undefined || use.offered === noTools) return 0
  const { searches, fileSearches, gigabytes, containers, drawings } = use.offered
  const isAll = uses === 'all'
  const counts = isAll
    ? { searches, fileSearches, containers }
    : { searches: Math.min(searches, 1), fileSearches: Math.min(fileSearches, 1), containers: gigabytes }
  const images = isAll ? Math.min(usualImages, withCallLimit(use).images) : 1
  const generated = drawings.map((drawing) => ({ ...drawing, usage: { ...drawing.usage, images } }))
  return quotaForAll([{ counts, rates: resolvedPrice.ratesFor(basis) }, ...toolLineItemsOf(resolvedPrice, generated)])
}

/** Usage of another model is charged as if requested directly; a tool with one price is one line item. */
export function toolLineItemsOf(resolvedPrice: ResolvedPrice, delegated: readonly Delegated[]): readonly ModelLineItem[] {
  const charges = new Map<Rates, ModelLineItem>()
  for (const { models, size, quality, usage } of delegated) {
    const painter = resolvedPrice.ofTool(models)
    if (painter === null) continue
    const rates = painter.price.ratesFor({ ...usage, imageSize: size, imageQuality: quality })
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
