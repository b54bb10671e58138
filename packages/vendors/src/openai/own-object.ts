import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

/** What a vendor adds to an answer stands in an object of its own, `x_...`. `null`: none has the field. */
export function ownObject(body: JsonObject, field: string): JsonObject | null {
  for (const key in body) {
    if (!key.startsWith('x_')) continue
    const own = body[key]
    if (isObject(own) && own[field] !== undefined && own[field] !== null) return own
  }
  return null
}
