import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

type ChangeItem = (item: JsonObject) => Json

/** The list with its objects changed. If no item changes, it is the list itself, which is not copied. */
export function changedItems(list: readonly Json[], change: ChangeItem): readonly Json[] {
  let copy: Json[] | null = null
  for (const [index, item] of list.entries()) {
    const next = isObject(item) ? change(item) : item
    if (next === item) continue
    copy ??= [...list]
    copy[index] = next
  }
  return copy ?? list
}

/** An object with the items of one of its lists changed. */
export function withChangedItems(from: JsonObject, name: string, change: ChangeItem): JsonObject {
  const list = from[name]
  if (!Array.isArray(list)) return from
  const changed = changedItems(list, change)
  return changed === list ? from : { ...from, [name]: changed }
}
