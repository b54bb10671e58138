import { asText, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelPlace, NamedModel } from './body-row.ts'
import type { SitedModel, ValuePlace } from './model-sites.ts'

/** Characters of a client's name in a place, and of a value that stands for a model. */
const nameMax = 64

/**
 * What an entry with a model may set for its attempt: Anthropic's overrides, which the reservation counts with, and the prompt at LiteLLM. A text
 * or an object in any other member may name a model. The other members that are known are in `harmless`.
 */
const settings: ReadonlySet<string> = new Set(['model', 'max_tokens', 'thinking', 'output_config', 'speed', 'messages'])

/**
 * The models of a member that says which ones serve if the requested one fails: names, objects with a `model`, or objects of the model that
 * fails with those that follow it, alone or in lists (Anthropic, "Refusals and fallback"; LiteLLM, "Fallbacks" and "Client-Side Fallbacks", stored
 * copies read 2026-11-29). A value that cannot be read stands for a model of its own text, which no token may use and no price is for.
 * @param role of objects with a `model`; of all others nothing shows whether they served the request
 */
export function* fallbackModelsIn(value: Json, start: ValuePlace, role: ModelPlace['role']): Generator<FallbackModel> {
  for (const [entry, at] of entriesOf(value, start)) {
    if (typeof entry === 'string') yield namedAt(entry, at, 'instead')
    else if (isObject(entry)) yield* typeof entry['model'] === 'string' ? modelOf(entry, at.place, role) : modelsAfter(entry, at.place)
    else if (isText(entry)) yield unreadable(entry, at.place)
  }
}

type FallbackModel = SitedModel & Pick<NamedModel, 'role'>

/** Members that an entry may set beside `settings`: they change no bill. */
const harmless: ReadonlySet<string> = new Set([
  ...['temperature', 'top_p', 'top_k', 'stream', 'seed', 'timeout', 'num_retries', 'max_completion_tokens', 'presence_penalty'],
  ...['frequency_penalty', 'drop_params'],
])

/** Members of entries with a model whose bill is not known, by their place and by the name that a channel allows them by. */
export function* unknownSettingsIn(value: Json, start: ValuePlace): Generator<{ readonly place: string; readonly name: string }> {
  for (const [entry, { place }] of entriesOf(value, start))
    if (isObject(entry) && typeof entry['model'] === 'string')
      for (const name in entry)
        if (!settings.has(name) && !harmless.has(name) && (entry[name] ?? null) !== null)
          yield { place: inside(place, name), name: inside(start.place, name) }
}

function* entriesOf(value: Json, start: ValuePlace): Generator<readonly [Json, ValuePlace]> {
  if (!Array.isArray(value)) yield [value, start]
  else for (const [key, entry] of value.entries()) yield [entry, { place: `${start.place}[${key}]`, holder: value, key }]
}

function namedAt(model: string, { place, holder, key }: ValuePlace, role: ModelPlace['role']): FallbackModel {
  return { place, model, role, site: { holder, key, model } }
}

function* modelOf(entry: JsonObject, place: string, role: ModelPlace['role']): Generator<FallbackModel> {
  yield namedAt(asText(entry['model']), { place: `${place}.model`, holder: entry, key: 'model' }, role)
  for (const name in entry) {
    const value = entry[name] ?? null
    if (!settings.has(name) && isText(value)) yield unreadable(value, inside(place, name))
  }
}

/** What follows each model of an object. */
function* modelsAfter(entry: JsonObject, place: string): Generator<FallbackModel> {
  for (const name in entry)
    for (const [follower, at] of entriesOf(entry[name] ?? null, { place: inside(place, name), holder: entry, key: name })) {
      if (typeof follower === 'string') yield namedAt(follower, at, 'instead')
      else if (isObject(follower) && typeof follower['model'] === 'string') yield* modelOf(follower, at.place, 'instead')
      else if (isText(follower)) yield unreadable(follower, at.place)
    }
}

const inside = (place: string, name: string): string => `${place}.${name.slice(0, nameMax)}`

/** Whether a value may hold a name: numbers, switches and what is empty do not. */
function isText(value: Json): boolean {
  if (typeof value === 'string') return value !== ''
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function unreadable(value: Json, place: string): FallbackModel {
  return { place, model: JSON.stringify(value).slice(0, nameMax), role: 'instead', site: null }
}
