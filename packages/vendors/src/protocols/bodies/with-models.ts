import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { modelSitesOf } from './body-use.ts'
import type { ModelSite } from './model-sites.ts'

type Renamed = ReadonlyMap<ModelSite['holder'], ReadonlyMap<string, string>>

/**
 * A body whose models, beside the requested one, have the names that a channel knows them by. Takes time in proportion to the body.
 * @param nameOf the name of a model at the channel
 */
export function withModels(kind: Kind, body: JsonObject, nameOf: (model: string) => string): JsonObject {
  const renamed = new Map<ModelSite['holder'], Map<string, string>>()
  for (const { holder, key, model } of modelSitesOf(kind, body)) {
    const name = nameOf(model)
    if (name === model) continue
    const ofHolder = renamed.get(holder) ?? new Map<string, string>()
    renamed.set(holder, ofHolder.set(String(key), name))
  }
  return renamed.size === 0 ? body : objectWith(body, renamed)
}

/** What has no renamed model in it stays as it is. */
function objectWith(object: JsonObject, renamed: Renamed): JsonObject {
  const names = renamed.get(object)
  let copy: Record<string, Json | undefined> | null = null
  for (const name in object) {
    const value = object[name] ?? null
    const after = names?.get(name) ?? valueWith(value, renamed)
    if (after === value) continue
    copy ??= { ...object }
    copy[name] = after
  }
  return copy ?? object
}

function valueWith(value: Json, renamed: Renamed): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isObject(value)) return objectWith(value, renamed)
  if (!Array.isArray(value)) return value
  const names = renamed.get(value)
  let copy: Json[] | null = null
  for (const [at, entry] of value.entries()) {
    const after = names?.get(String(at)) ?? valueWith(entry, renamed)
    if (after === entry) continue
    copy ??= [...value]
    copy[at] = after
  }
  return copy ?? value
}
