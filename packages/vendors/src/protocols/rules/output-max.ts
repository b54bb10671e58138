import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { limitPlaces } from '../shared/output-limit-of-request.ts'

/** The minimum thinking budget of Claude, and what is left for its output (Anthropic, "Extended thinking", read 2026-11-21). */
const [budgetMin, responseMin] = [1_024, 256]

/** A request with no higher limit of output than this; the same object if it has none. */
export function withinOutputMax(body: JsonObject, tokens: number): JsonObject {
  const lowered = limitPlaces.reduce((read, path) => withinAt(read, path, tokens), body)
  return lowered === body ? body : withSmallerBudget(lowered, tokens)
}

function withinAt(body: JsonObject, [name = '', ...rest]: readonly string[], tokens: number): JsonObject {
  const value = body[name]
  const lowered = rest.length === 0 ? lower(value, tokens) : isObject(value) ? withinAt(value, rest, tokens) : value
  return lowered === value ? body : { ...body, [name]: lowered ?? null }
}

const lower = (value: Json | undefined, tokens: number): Json | undefined => (typeof value === 'number' && value > tokens ? tokens : value)

/** A budget of reasoning must be below the limit; with too little of it, the model does not think. */
function withSmallerBudget(body: JsonObject, tokens: number): JsonObject {
  const { thinking, ...rest } = body
  const budget = isObject(thinking) ? thinking['budget_tokens'] : undefined
  if (typeof budget !== 'number' || budget < tokens) return body
  return tokens < budgetMin + responseMin
    ? rest
    : { ...body, thinking: { ...(isObject(thinking) ? thinking : {}), budget_tokens: tokens - responseMin } }
}
