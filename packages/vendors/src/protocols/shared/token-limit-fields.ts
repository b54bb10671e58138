import type { Json, JsonObject } from '../../core/json.ts'

/** Removes limits of 0 and -1: some clients mean no limit by them, and most vendors refuse them. */
export function withoutEmptyLimits(body: JsonObject): JsonObject {
  return isEmpty(body['max_tokens']) || isEmpty(body['max_completion_tokens']) || isEmpty(body['max_output_tokens'])
    ? Object.fromEntries(Object.entries(body).filter(([name, value]) => !(limits.has(name) && isEmpty(value))))
    : body
}

const limits: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens', 'max_output_tokens'])

function isEmpty(value: Json | undefined): boolean {
  return value === 0 || value === -1
}

/** The limit of output tokens that a chat names; `null` = none. The newer name wins, and a limit of 0 or -1 means none. */
export function limitIn({ max_completion_tokens: newer, max_tokens: older }: JsonObject): number | null {
  const limit = newer ?? older
  return typeof limit === 'number' && limit > 0 ? limit : null
}
