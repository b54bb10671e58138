import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelPlace, NamedModel } from './body-row.ts'

/** Where a body names a model: a member of one of its objects, or an entry of one of its lists. */
export interface ModelSite {
  readonly holder: JsonObject | readonly Json[]
  readonly key: string | number
  readonly model: string
}

/** A model with the place where it stands; `null` = a value of another form stands for it. */
export interface SitedModel extends Pick<NamedModel, 'place' | 'model'> {
  readonly site: ModelSite | null
}

/** A value of a body, by the object or list that has it. */
export interface ValuePlace extends Pick<ModelSite, 'holder' | 'key'> {
  readonly place: string
}

/** @param at what is left of the way: `model`, `[].model`; an entry that is a text is itself a name */
export function modelsAt(value: Json, at: ModelPlace['at'], { place, holder, key }: ValuePlace): readonly SitedModel[] {
  if (typeof value === 'string') return [{ place, model: value, site: { holder, key, model: value } }]
  if (at === '') return []
  const [step = '', ...rest] = at.split('.')
  const name = step.replace('[]', '')
  const [inner, start] = name === '' ? [value, { place, holder, key }] : memberOf(value, name, place)
  if (inner === undefined || inner === null) return []
  if (!step.endsWith('[]')) return modelsAt(inner, rest.join('.'), start)
  const entries = Array.isArray(inner) ? inner : []
  return entries.flatMap((entry, index) =>
    modelsAt(entry, rest.join('.'), { place: `${start.place}[${index}]`, holder: entries, key: index }),
  )
}

function memberOf(value: Json, name: string, place: string): readonly [Json | undefined, ValuePlace] {
  const holder = isObject(value) ? value : {}
  return [holder[name], { place: `${place}.${name}`, holder, key: name }]
}
