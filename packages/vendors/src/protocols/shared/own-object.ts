import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

/** Some vendors put additions to a response into an object `x_...`: finds the one with the field, or `null`. */
export function ownObject(body: JsonObject, field: string): JsonObject | null {
  for (const key in body) {
    if (!key.startsWith('x_')) continue
    const own = body[key]
    if (isObject(own) && own[field] !== undefined && own[field] !== null) return own
  }
  return null
}
