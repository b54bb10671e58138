import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withUsageOf } from '../../core/no-usage.ts'
import type { PassedEvent, Passthrough, ReadResponseParts } from '../../core/passthrough.ts'
import type { Target } from '../../core/request.ts'
import type { ReferableItem } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { withItemIds } from '../calls/call-ids.ts'
import { withoutIdleChoice } from '../calls/tool-members.ts'
import { anySchemas, withPlainSchemas } from '../calls/tool-schemas.ts'
import { withFittingImages } from '../media/response-media.ts'
import { passing } from '../openai/stream-usage.ts'
import { usageIn } from '../openai/usage.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { joinedResponse } from '../shared/joined-events.ts'
import { errorIn } from '../shared/openai-failure.ts'
import { withOutputLimit } from '../shared/output-limit.ts'
import { withoutEmptyLimits } from '../shared/token-limit-fields.ts'
import { withoutOwnItems } from './own-items.ts'
import { keptIdsIn } from './references.ts'
import { toolUsage, usedTool } from './tools.ts'
import { WrittenItems } from './written-items.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/** OpenAI API reference, "Responses" and its streaming events, read 2026-11-21. The event that ends a stream carries the whole response. */
const passthrough: Passthrough = {
  joined: joinedResponse,
  response(json) {
    if (!isObject(json)) return null
    const failure = failureIn(json)
    if (failure !== null) return withUsageOf(failure, usageOf(json))
    const { output } = json
    return Array.isArray(output) ? { usage: usageOf(json), text: output.map(itemText).join(''), ...kept(json) } : null
  },
  event: (data) => eventOf(data, createResponseReader()),
  open(note) {
    const read = createResponseReader()
    if (note === undefined) return (data) => eventOf(data, read)
    return (data) =>
      eventOf(data, (event) => {
        note(event)
        return read(event)
      })
  },
}

function eventOf(data: string, read: (event: JsonObject) => PassedEvent): PassedEvent {
  const event = parseJson(data)
  if (!isObject(event)) return { ...nothing, isEmpty: true }
  // Only what is no event of a response has no type.
  return typeof event['type'] === 'string' ? read(event) : { ...nothing, isEmpty: true, failure: failureIn(event) }
}

/** Reads the events of one stream. */
function createResponseReader(): (event: JsonObject) => PassedEvent {
  const generated = new Set<Json>()
  const written = new WrittenItems()
  return (event) => {
    const seen = drawingIn(event, generated) ?? readResponseEvent(event)
    return typeof event['delta'] === 'string' ? written.piece(event, seen) : written.whole(event, seen)
  }
}

/** More images than any response has. */
const imagesMax = 1_000

/**
 * The beginning of an image, which is charged from there on: the vendor finishes it, although its client may leave. What ends it is not charged
 * again. `null` = the event is about something else. @param generated the images that have begun
 */
function drawingIn(event: JsonObject, generated: Set<Json>): PassedEvent | null {
  const { type, item_id: id, item } = event
  if (type === 'response.image_generation_call.partial_image' && typeof id === 'string' && generated.size < imagesMax) {
    if (generated.has(id)) return nothing
    generated.add(id)
    return itemDone({ ...event, type: 'image_generation_call', result: 'begun' })
  }
  const isEnd = type === 'response.output_item.done' && isObject(item) && item['type'] === 'image_generation_call'
  return isEnd && generated.has(item['id'] ?? '') ? nothing : null
}

/** Runs for every event, so the usual one, a text delta, takes the shortest path. */
export function readResponseEvent(event: JsonObject): PassedEvent {
  const { type, delta, response } = event
  if (typeof delta === 'string') return isAudio(type) ? nothing : { ...nothing, text: delta }
  switch (type) {
    case 'response.completed':
    case 'response.incomplete':
      return isObject(response) ? { ...nothing, usage: usageOf(response), finished: true, isLast: true, ...kept(response) } : nothing
    case 'response.failed':
      return isObject(response) ? failedEnd(response) : { ...nothing, failure: unexplained, isLast: true }
    case 'error':
      return { ...nothing, failure: failureIn({ error: isObject(event['error']) ? event['error'] : withoutType(event) }) ?? unexplained }
    case 'response.output_item.done':
      return itemDone(event['item'])
    default:
      return nothing
  }
}

function failedEnd(response: JsonObject): PassedEvent {
  const usage = usageOf(response)
  return { ...nothing, usage, failure: withUsageOf(failureIn(response) ?? unexplained, usage), isLast: true }
}

/** A tool call is charged even if the stream ends before it reports its usage. */
function itemDone(item: Json | undefined): PassedEvent {
  const usage = isObject(item) ? usedTool(item, []) : null
  return usage === null ? nothing : { ...nothing, usage, isPart: true }
}

/** The tokens of the model, and the usage of its tools. */
function usageOf(response: JsonObject): Usage | null {
  const usage = usageIn(response)
  return usage === null ? null : { ...usage, ...toolUsage(response) }
}

/** Audio (base64) and its transcript, which do not count as text. */
function isAudio(type: Json | undefined): boolean {
  return typeof type === 'string' && type.startsWith('response.audio.')
}

const unexplained: Failure = {
  kind: 'unavailable',
  message: 'the upstream service reported a failed response',
  type: null,
  param: null,
  code: null,
}

/** Codes of a failed response that the vendor caused; all other codes concern the client's request. */
const vendorsOwn = ['server_error', 'rate_limit_exceeded', 'vector_store_timeout']

function failureIn(response: JsonObject): Failure | null {
  const failure = errorIn(response)
  if (failure === null || failure.code === null || failure.kind !== 'unavailable') return failure
  return vendorsOwn.includes(failure.code) || /^\d+$/.test(failure.code) ? failure : { ...failure, kind: 'bad_request' }
}

function withoutType({ type: _type, ...event }: JsonObject): JsonObject {
  return event
}

/** The vendor stores a response unless `store` is false. Only it can read encrypted reasoning, and has the containers, stored or not. */
function kept({ id, store, output }: JsonObject): Pick<ReadResponseParts, 'storedId' | 'items'> {
  const isKept = typeof id === 'string' && id !== '' && store !== false
  const outputItems = objectsIn(output)
  const items = outputItems.map((item): ReferableItem => {
    const { id: itemId, encrypted_content: encrypted } = item
    return {
      id: isKept && typeof itemId === 'string' ? itemId : '',
      ...(typeof encrypted === 'string' && encrypted !== '' ? { encrypted } : {}),
    }
  })
  const inside = outputItems.flatMap(keptIdsIn).map((inner): ReferableItem => ({ id: inner, isTextless: true }))
  const known = [...items.filter((item) => item.id !== '' || item.encrypted !== undefined), ...inside]
  return { ...(isKept ? { storedId: id } : {}), ...(known.length === 0 ? {} : { items: known }) }
}

/** The text that a model wrote in an item, in any field. */
function itemText(item: Json): string {
  if (!isObject(item)) return ''
  const { content, summary, arguments: args, input } = item
  return partsText(content) + partsText(summary) + [args, input].filter((text) => typeof text === 'string').join('')
}

function partsText(parts: Json | undefined): string {
  if (!Array.isArray(parts)) return ''
  return parts
    .map((part) => (isObject(part) ? [part['text'], part['refusal']].filter((text) => typeof text === 'string').join('') : ''))
    .join('')
}

/** Without a choice of tools where there are none, and with ids of calls that are not too long: earlier turns may be those of another vendor. */
function fittedItems(body: JsonObject, { calls, rewrites }: Target): JsonObject {
  const form = calls?.schemas ?? anySchemas
  const chosen = withPlainSchemas(withoutIdleChoice(body, rewrites), { place: 'response', form, rewrites })
  const { input } = chosen
  const items = Array.isArray(input) ? withItemIds(input, rewrites) : input
  return items === input || items === undefined ? chosen : { ...chosen, input: items }
}

export const responses = {
  ...passing('/v1/responses', passthrough, (body, target) =>
    withFittingImages(
      withOutputLimit(fittedItems(withoutEmptyLimits(withoutOwnItems(body)), target), 'max_output_tokens', target),
      target.rewrites,
    ),
  ),
  storesItems: true,
} satisfies Dialect
