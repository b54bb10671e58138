import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ReferableItem } from '../../core/response.ts'

/** Most characters of images that are kept of a response: with longer ones, it would be too long to be kept at all. */
const imageCharsMax = 512 * 1024

/** A response and its items with their content, because no vendor stores them. */
export function itemsOf(response: Json | undefined): readonly ReferableItem[] {
  if (!isObject(response)) return []
  const { output } = response
  const outputItems = Array.isArray(output) ? output.filter(isObject) : []
  const chars = outputItems.reduce((sum, item) => sum + (isImage(item) ? textOr(item['result'], '').length : 0), 0)
  const items = chars > imageCharsMax ? outputItems.map(withoutBytes) : outputItems
  const kept = items === outputItems ? response : { ...response, output: items }
  return [...items, kept].map((content) => ({ id: textOr(content['id'], ''), content }))
}

const isImage = ({ type }: JsonObject): boolean => type === 'image_generation_call'

const withoutBytes = (item: JsonObject): JsonObject => (isImage(item) ? { ...item, result: null } : item)
