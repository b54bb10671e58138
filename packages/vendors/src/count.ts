import { isObject } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/** LLM tokens: more than any model reads or writes for one request, so a larger number is a mistake that nobody should pay for. */
const countMax = 1_000_000_000

/**
 * A count of LLM tokens as a vendor gives it. `null`: not given. `NaN`: given, but no count (negative, a fraction, beyond all
 * sense), which spoils every sum that it gets into.
 */
export function readCount(value: Json | undefined): number | null {
  if (value === undefined || value === null) return null
  return isCount(value) ? value : Number.NaN
}

export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= countMax
}

/** A count that stands in a group of its own: `prompt_tokens_details.cached_tokens`. */
export function readCountIn(usage: JsonObject, group: string, name: string): number | null {
  const details = usage[group]
  return isObject(details) ? readCount(details[name]) : null
}
