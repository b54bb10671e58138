import type { JsonObject } from '../json.ts'

/** Names that limits of output tokens have. */
const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** Some clients write 0 or -1 where they mean no limit, which most vendors refuse. */
export function withoutEmptyLimits(body: JsonObject): JsonObject {
  const empty = names.filter((name) => body[name] === 0 || body[name] === -1)
  return empty.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !empty.some((other) => other === name)))
}
