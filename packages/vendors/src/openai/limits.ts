import type { Json, JsonObject } from '../json.ts'

/** Fields that limit output tokens. */
const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** Removes limits of 0 and -1: some clients mean no limit by them, and most vendors refuse them. */
export function withoutEmptyLimits(body: JsonObject): JsonObject {
  return names.some((name) => isEmpty(body[name]))
    ? Object.fromEntries(Object.entries(body).filter(([name, value]) => !(limits.has(name) && isEmpty(value))))
    : body
}

const limits: ReadonlySet<string> = new Set(names)

function isEmpty(value: Json | undefined): boolean {
  return value === 0 || value === -1
}
