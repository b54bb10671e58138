import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Kind } from '../kind.ts'
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

function objectWith(object: JsonObject, renamed: Renamed): JsonObject {
  const names = renamed.get(object)
  return Object.fromEntries(Object.entries(object).map(([name, value = null]) => [name, names?.get(name) ?? valueWith(value, renamed)]))
}

function valueWith(value: Json, renamed: Renamed): Json {
  if (isObject(value)) return objectWith(value, renamed)
  if (!Array.isArray(value)) return value
  const names = renamed.get(value)
  return value.map((entry, at) => names?.get(String(at)) ?? valueWith(entry, renamed))
}
