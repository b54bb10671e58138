import type { JsonObject } from '../../core/json.ts'

/** Numbers of a chat in the range that a vendor accepts: a value outside it becomes the nearest one inside. */
export function withinRanges(body: JsonObject, ranges: Readonly<Record<string, readonly [least: number, most: number]>>): JsonObject {
  const changed = Object.entries(ranges).flatMap(([name, [least, most]]) => {
    const value = body[name]
    return typeof value === 'number' && (value < least || value > most) ? [[name, Math.min(most, Math.max(least, value))] as const] : []
  })
  return changed.length === 0 ? body : { ...body, ...Object.fromEntries(changed) }
}
