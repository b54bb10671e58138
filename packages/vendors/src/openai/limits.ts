import type { JsonObject } from '../json.ts'

/** Fields that limit output tokens. */
const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** Removes limits of 0 and -1: some clients mean no limit by them, and most vendors refuse them. */
export function withoutEmptyLimits(body: JsonObject): JsonObject {
  const empty = names.filter((name) => body[name] === 0 || body[name] === -1)
  return empty.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !empty.some((other) => other === name)))
}
