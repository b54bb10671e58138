import type { ReferableItem } from '../dialect.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json } from '../json.ts'

/** A response and its items with their content, because no vendor stores them. */
export function itemsOf(response: Json | undefined): readonly ReferableItem[] {
  if (!isObject(response)) return []
  const { output } = response
  const made = Array.isArray(output) ? output.filter(isObject) : []
  return [...made, response].map((content) => ({ id: textOr(content['id'], ''), content }))
}
