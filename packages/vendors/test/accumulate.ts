import type { Failure } from '../src/core/failure.ts'
import { isObject, textOr } from '../src/core/is-object.ts'
import type { Json, JsonObject } from '../src/core/json.ts'
import type { ChatStream, StreamEnd } from '../src/core/stream.ts'

export interface Played extends StreamEnd {
  readonly chunks: readonly JsonObject[]
  /** The text of all steps, for counting. */
  readonly text: string
  readonly failures: readonly Failure[]
}

/** Everything that a stream returns for its events, which may have names. */
export function play(stream: ChatStream, events: ReadonlyArray<string | readonly [data: string, name?: string]>): Played {
  const steps = events.map((event) => (typeof event === 'string' ? stream.event(event) : stream.event(...event)))
  const end = stream.end()
  return {
    chunks: [...steps.flatMap(({ chunks }) => chunks), ...(end.rest ?? [])],
    text: steps.map(({ text }) => text).join(''),
    failures: steps.flatMap(({ failure }) => (failure === null ? [] : [failure])),
    ...end,
  }
}

/**
 * The one choice that a client joins from chunks: strings are appended, calls are merged by `index`, new members are copied.
 * @throws Error for any other list in pieces: OpenAI's client for Node keeps the last piece, the one for Python refuses it
 */
export function accumulate(chunks: readonly JsonObject[]): JsonObject {
  const choices = chunks.flatMap(({ choices: list }) => (Array.isArray(list) ? list.filter(isObject) : []))
  const message = choices.reduce<JsonObject>((sum, { delta }) => (isObject(delta) ? grow(sum, delta) : sum), {})
  const reasons = choices.map((choice) => choice['finish_reason']).filter((reason) => typeof reason === 'string')
  return { message, reasons }
}

function grow(sum: JsonObject, delta: JsonObject): JsonObject {
  const grown = Object.entries(delta).map(([field, value]) => [field, growValue(sum[field], value)] as const)
  return { ...sum, ...Object.fromEntries(grown) }
}

function growValue(before: Json | undefined, now: Json | undefined): Json | undefined {
  if (Array.isArray(now) && Array.isArray(before)) return now.filter(isObject).reduce(growList, before)
  if (isObject(now) && isObject(before)) return grow(before, now)
  return typeof now === 'string' && typeof before === 'string' ? before + now : now
}

function growList(list: readonly Json[], entry: JsonObject): readonly Json[] {
  const { index } = entry
  if (typeof index !== 'number') throw new Error('an entry of a list has no index')
  const before = list.find((item) => isObject(item) && item['index'] === index)
  if (!isObject(before)) return [...list, entry]
  return list.map((item) => (item === before ? { ...grow(before, entry), index } : item))
}

/** A message without the members that only streams need. */
export function withoutIndexes(message: JsonObject): JsonObject {
  const { tool_calls: calls } = message
  return {
    ...message,
    content: textOr(message['content'], ''),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(withoutIndex) } : {}),
  }
}

function withoutIndex(entry: Json): Json {
  if (!isObject(entry)) return entry
  const { index: _index, ...rest } = entry
  return rest
}
