import { isObject } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/** More tokens than any model processes for one request: a larger number is an error of the vendor and must not be charged. */
const countMax = 1_000_000_000

/**
 * A token count of a vendor. `null` = not given. `NaN` = invalid (negative, a fraction, or above the maximum), which makes every sum
 * with it `NaN`.
 */
export function readCount(value: Json | undefined): number | null {
  if (value === undefined || value === null) return null
  return isCount(value) ? value : Number.NaN
}

export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= countMax
}

/** A count in a nested object: `prompt_tokens_details.cached_tokens`. */
export function readCountIn(usage: JsonObject, group: string, name: string): number | null {
  const details = usage[group]
  return isObject(details) ? readCount(details[name]) : null
}
