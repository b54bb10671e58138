import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/**
 * What a response cost the customer, as vendors report it in their usage: `cost` in dollars (OpenRouter, "Usage accounting"),
 * `cost.total_cost` (Perplexity), `cost_in_usd_ticks` in units of 1e-10 dollars (xAI, "Cost tracking"); stored copies read 2026-11-29.
 */
export function reportedCost(usage: JsonObject): number | null {
  const { cost, cost_in_usd_ticks: ticks, cost_details: details, is_byok: isOwnKey } = usage
  if (ticks !== undefined) return nanosOf(ticks, 1e-10)
  const dollars = isObject(cost) ? cost['total_cost'] : cost
  const charged = nanosOf(dollars, 1)
  if (charged === null || isOwnKey !== true) return charged
  // With a key of the provider's, the provider charges its account, and OpenRouter only its fee.
  const upstream = nanosOf(isObject(details) ? details['upstream_inference_cost'] : undefined, 1)
  return upstream === null ? charged : Math.min(nanosMax, charged + upstream)
}

/** No response costs more than a thousand dollars: a larger number is an error of the vendor. */
const nanosMax = 1_000_000_000_000

function nanosOf(value: Json | undefined, dollars: number): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null
  const nanos = Math.ceil(Number((value * dollars * 1e9).toFixed(3)))
  return nanos <= nanosMax ? nanos : null
}
