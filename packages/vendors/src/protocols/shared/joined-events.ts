import { isObject, responseArguments, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { JsonTally } from '../../core/json-counter.ts'
import { objectsIn } from './chat-parts.ts'

// Whole responses from the events of a stream, for vendors that stream although a whole response was requested.

/** Members that later events replace. In a map, because to copy what is there for each event would take the square of their number. */
type Members = Map<string, Json>

function put(members: Members, later: Json | undefined): void {
  if (!isObject(later)) return
  for (const [name, value] of Object.entries(later)) if (value !== undefined) members.set(name, value)
}

const placeOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)

/** Values in the order of their places. */
const inOrder = <Value>(values: ReadonlyMap<number, Value>): readonly Value[] =>
  [...values].sort(([one], [other]) => one - other).map(([, value]) => value)

const ends: ReadonlySet<Json | undefined> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** A response (OpenAI API reference, "Responses" and its streaming events, read 2026-11-30). The last event has it; some leave out its items. */
export function joinedResponse(events: readonly JsonObject[]): JsonObject | null {
  const response = events.findLast(({ type }) => ends.has(type))?.['response']
  if (!isObject(response)) return null
  if (objectsIn(response['output']).length > 0) return response
  const items = new Map<number, Json>()
  for (const { type, output_index: index, item } of events) {
    if (type === 'response.output_item.done' && item !== undefined) items.set(placeOf(index), item)
  }
  return { ...response, output: inOrder(items) }
}

interface Block {
  readonly begun: JsonObject
  /** Texts that grew delta by delta. */
  readonly texts: Map<string, string>
  readonly citations: Json[]
  input: string
}

/** Members of a block that its deltas have by the same name. */
const grown = ['text', 'thinking', 'signature', 'content'] as const

/** A message (Anthropic API, "Streaming", read 2026-11-30). */
export function joinedMessage(events: readonly JsonObject[]): JsonObject | null {
  const begun = events.find(({ type }) => type === 'message_start')?.['message']
  if (!isObject(begun)) return null
  const blocks = new Map<number, Block>()
  const end: Members = new Map()
  const usage: Members = new Map()
  put(usage, begun['usage'])
  for (const event of events) {
    const { type, index, content_block: block, delta } = event
    if (type === 'content_block_start' && isObject(block))
      blocks.set(placeOf(index), { begun: block, texts: new Map(), citations: [], input: '' })
    else if (type === 'content_block_delta' && isObject(delta)) grow(blocks.get(placeOf(index)), delta)
    else if (type === 'message_delta') {
      put(end, delta)
      put(usage, event['usage'])
    }
  }
  if (typeof end.get('stop_reason') !== 'string') return null
  return { ...begun, ...Object.fromEntries(end), content: inOrder(blocks).map(blockOf), usage: Object.fromEntries(usage) }
}

function grow(block: Block | undefined, delta: JsonObject): void {
  if (block === undefined) return
  const { partial_json: input, citation } = delta
  for (const name of grown) {
    const piece = delta[name]
    if (typeof piece === 'string') block.texts.set(name, (block.texts.get(name) ?? textOr(block.begun[name], '')) + piece)
  }
  if (typeof input === 'string') block.input += input
  if (citation !== undefined) block.citations.push(citation)
}

function blockOf({ begun, texts, citations, input }: Block): JsonObject {
  return {
    ...begun,
    ...Object.fromEntries(texts),
    ...(citations.length === 0 ? {} : { citations }),
    ...(input === '' ? {} : { input: responseArguments(input, new JsonTally()) }),
  }
}

interface Candidate {
  readonly members: Members
  readonly parts: JsonObject[]
}

/** A response of Gemini, whose events are responses with a part of it each (Gemini API reference, a stored copy read 2026-11-22). */
export function joinedCandidates(events: readonly JsonObject[]): JsonObject | null {
  const candidates = new Map<number, Candidate>()
  const whole: Members = new Map()
  for (const event of events) {
    put(whole, event)
    for (const { content, ...members } of objectsIn(event['candidates'])) {
      const at = placeOf(members['index'])
      const known = candidates.get(at) ?? { members: new Map(), parts: [] }
      candidates.set(at, known)
      put(known.members, members)
      for (const part of isObject(content) ? objectsIn(content['parts']) : []) addPart(known.parts, part)
    }
  }
  if (events.length === 0) return null
  const response = Object.fromEntries(whole)
  if (candidates.size === 0) return response
  const all = inOrder(candidates).map(({ members, parts }) => ({ content: { parts, role: 'model' }, ...Object.fromEntries(members) }))
  return { ...response, candidates: all }
}

function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1)
  const isText = (one: JsonObject): boolean => typeof one['text'] === 'string' && one['thoughtSignature'] === undefined
  if (last === undefined || !isText(last) || typeof part['text'] !== 'string' || last['thought'] !== part['thought']) parts.push(part)
  else parts[parts.length - 1] = { ...part, text: textOr(last['text'], '') + part['text'] }
}

/** A completion (OpenAI API reference, "Completions", read 2026-11-21). */
export function joinedCompletion(events: readonly JsonObject[]): JsonObject | null {
  const choices = new Map<number, { text: string; readonly members: Members }>()
  let usage: Json | undefined
  for (const event of events) {
    if (isObject(event['usage'])) usage = event['usage']
    for (const choice of objectsIn(event['choices'])) {
      const at = placeOf(choice['index'])
      const known = choices.get(at) ?? { text: '', members: new Map() }
      choices.set(at, known)
      known.text += textOr(choice['text'], '')
      const reason = choice['finish_reason'] ?? known.members.get('finish_reason') ?? null
      put(known.members, { ...choice, finish_reason: reason })
    }
  }
  const [first] = events
  if (first === undefined || choices.size === 0) return null
  const all = inOrder(choices).map(({ text, members }) => ({ ...Object.fromEntries(members), text }))
  return { ...first, choices: all, ...(usage === undefined ? {} : { usage }) }
}
