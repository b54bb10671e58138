import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ModelPlace, NamedModel } from './body-row.ts'

/** Characters of a client's name in a place, and of a value that stands for a model. */
const nameMax = 64

/** What an entry with a model may set for its attempt: Anthropic's members, and the prompt at LiteLLM. All numbers and switches may be set. */
const settings: ReadonlySet<string> = new Set(['model', 'max_tokens', 'thinking', 'output_config', 'speed', 'messages'])

/**
 * The models of a member that says which ones answer if the requested one fails: names, objects with a `model`, or objects of the model that
 * fails with those that follow it, alone or in lists (Anthropic, "Refusals and fallback"; LiteLLM, "Fallbacks" and "Client-Side Fallbacks", stored
 * copies read 2026-11-29). A value that cannot be read stands for a model of its own text, which no token may use and no price is for.
 * @param role of objects with a `model`; of all others nothing tells whether they answered
 */
export function* fallbackModelsIn(value: Json, place: string, role: ModelPlace['role']): Generator<NamedModel> {
  for (const [entry, at] of entriesOf(value, place)) {
    if (typeof entry === 'string') yield { place: at, model: entry, role: 'instead' }
    else if (isObject(entry)) yield* typeof entry['model'] === 'string' ? modelOf(entry, at, role) : modelsAfter(entry, at)
    else if (isText(entry)) yield unreadable(entry, at)
  }
}

/** Numbers and switches that an entry may set beside those of `settings`: they change no bill. */
const harmless: ReadonlySet<string> = new Set([
  ...['temperature', 'top_p', 'top_k', 'stream', 'seed', 'timeout', 'num_retries', 'max_completion_tokens', 'presence_penalty'],
  ...['frequency_penalty', 'drop_params'],
])

/** Members of entries with a model whose bill is not known, by their place and by the name that a channel allows them by. */
export function* unknownSettingsIn(value: Json, place: string): Generator<{ readonly place: string; readonly name: string }> {
  for (const [entry, at] of entriesOf(value, place))
    if (isObject(entry) && typeof entry['model'] === 'string')
      for (const name in entry)
        if (!settings.has(name) && !harmless.has(name) && (entry[name] ?? null) !== null)
          yield { place: inside(at, name), name: inside(place, name) }
}

function* entriesOf(value: Json, place: string): Generator<readonly [Json, string]> {
  if (!Array.isArray(value)) yield [value, place]
  else for (const [index, entry] of value.entries()) yield [entry, `${place}[${index}]`]
}

function* modelOf(entry: JsonObject, place: string, role: ModelPlace['role']): Generator<NamedModel> {
  yield { place: `${place}.model`, model: String(entry['model']), role }
  for (const name in entry) {
    const value = entry[name] ?? null
    if (!settings.has(name) && isText(value)) yield unreadable(value, inside(place, name))
  }
}

/** What follows each model of an object. */
function* modelsAfter(entry: JsonObject, place: string): Generator<NamedModel> {
  for (const name in entry)
    for (const [follower, at] of entriesOf(entry[name] ?? null, inside(place, name))) {
      if (typeof follower === 'string') yield { place: at, model: follower, role: 'instead' }
      else if (isObject(follower) && typeof follower['model'] === 'string') yield* modelOf(follower, at, 'instead')
      else if (isText(follower)) yield unreadable(follower, at)
    }
}

const inside = (place: string, name: string): string => `${place}.${name.slice(0, nameMax)}`

/** Whether a value may hold a name: numbers, switches and what is empty do not. */
function isText(value: Json): boolean {
  if (typeof value === 'string') return value !== ''
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function unreadable(value: Json, place: string): NamedModel {
  return { place, model: JSON.stringify(value).slice(0, nameMax), role: 'instead' }
}
