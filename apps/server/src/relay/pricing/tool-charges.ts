import type { Delegated } from '@sluice/vendors/dialect'
import { type Charge, type Counts, quotaForAll, type Rates, units } from '../../ledger/price.ts'
import type { WantedPieces } from '../model/request-params.ts'
import { countsOf } from './charge.ts'
import type { PriceBasis, Quote } from './prices.ts'

/** What a tool of the vendor took, and of which model. */
export interface ToolCharge extends Charge {
  readonly model: string
}

/** Quota for one call of the tool that a request insists on; 0: it insists on none. */
export function insistedQuota({ tool }: WantedPieces, quote: Quote, basis: PriceBasis): number {
  if (tool === undefined) return 0
  const { searches, fileSearches, containers, delegated } = tool
  return quotaForAll([{ counts: { searches, fileSearches, containers }, rates: quote.ratesFor(basis) }, ...toolChargesOf(quote, delegated)])
}

/** What another model did is paid like what is asked of it directly; what has one price is one charge. */
export function toolChargesOf(quote: Quote, delegated: readonly Delegated[]): readonly ToolCharge[] {
  const charges = new Map<Rates, ToolCharge>()
  for (const { models, size, quality, usage } of delegated) {
    const painter = quote.ofTool(models)
    if (painter === null) continue
    const rates = painter.quote.ratesFor({ ...usage, pictureSize: size, pictureQuality: quality })
    const counts = countsOf(usage, painter.quote.price, true)
    const known = charges.get(rates)
    charges.set(rates, { model: painter.model, rates, counts: known === undefined ? counts : sumOf(known.counts, counts) })
  }
  return [...charges.values()]
}

function sumOf(first: Counts, second: Counts): Counts {
  return Object.fromEntries(units.map((unit) => [unit, (first[unit] ?? 0) + (second[unit] ?? 0)]))
}
