import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { sumOfUsages } from '../../core/no-usage.ts'
import type { StreamEnd } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { outputText } from '../shared/output-text.ts'
import { type Piece, type ResponseReader, readingBy } from '../shared/response-reader.ts'
import { CalledItems, isCall } from './call-items.ts'
import { readResponseEvent, responses } from './native.ts'
import { WrittenTexts } from './written-texts.ts'

const nothing: Piece = {}

/** Responses of OpenAI's Responses API as those of a chat: events, read one after the other. */
export const responsesAsChat = readingBy<JsonObject>({ create: createReader, partOf, partsOf })

function partOf(data: string): JsonObject | null {
  const event = parseJson(data)
  return isObject(event) ? event : null
}

/** A whole response is its last event. */
function partsOf(response: Json): readonly JsonObject[] | Failure | null {
  const json = withEnd(response)
  const seen = responses.passthrough.response(json)
  if (seen === null || 'kind' in seen) return seen
  return isObject(json) ? [{ type: json['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', response: json }] : null
}

function createReader(): ResponseReader<JsonObject> {
  const texts = new WrittenTexts()
  const calls = new CalledItems()
  let usage: Usage | null = null
  /** What the tools of the vendor used, until it reports the total usage. */
  let parts: Usage | null = null
  let isComplete = false

  function ended(response: Json | undefined): Piece {
    if (isComplete) return { isLast: true }
    isComplete = true
    const { incomplete_details: details, output } = isObject(response) ? response : {}
    const items = objectsIn(output)
    const deltas = [...texts.endAll(items), ...calls.endAll(items)]
    const reason = isObject(details) ? details['reason'] : undefined
    return { ...added(deltas), finish: lookUp(reasons, textOr(reason, '')) ?? (calls.count > 0 ? 'tool_calls' : 'stop'), isLast: true }
  }

  function itemEnded({ item, output_index: place }: JsonObject): Piece {
    if (!isObject(item)) return nothing
    if (isCall(item)) return added(calls.end(item, place))
    if (item['type'] === 'reasoning') calls.reasoning(item)
    return added(texts.end(item, place))
  }

  function otherOf(event: JsonObject, seen: string): Piece {
    const { type, output_index: place, item, arguments: called, input } = event
    switch (type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return { deltas: calls.piece(seen, place), text: seen }
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return added(calls.whole(textOr(called ?? input, ''), place))
      case 'response.output_item.added':
        return isObject(item) && isCall(item) ? { deltas: calls.begin(item, place) } : nothing
      case 'response.output_item.done':
        return itemEnded(event)
      default:
        return { text: seen }
    }
  }

  return {
    take(event) {
      const seen = readResponseEvent(event)
      if (seen.failure !== null) return { failure: seen.failure }
      if (seen.isPart === true) parts = sumOfUsages(parts, seen.usage)
      else if (seen.usage !== null) usage = seen.usage
      if (seen.isLast === true) return ended(event['response'])
      const deltas = texts.event(event)
      if (deltas === null) return otherOf(event, seen.text)
      return event['delta'] === undefined ? added(deltas) : { deltas, text: seen.text }
    },
    end: (): StreamEnd =>
      usage === null && parts !== null ? { complete: isComplete, usage: parts, isPartial: true } : { complete: isComplete, usage },
  }
}

const unfinished: ReadonlySet<string> = new Set(['incomplete', 'cancelled', 'in_progress', 'queued'])

/** A whole response that is not complete for a reason that chats do not have, as one that was cut: it must not look finished. */
function withEnd(response: Json): Json {
  if (!isObject(response) || !unfinished.has(textOr(response['status'], ''))) return response
  const { incomplete_details: details } = response
  const isKnown = isObject(details) && lookUp(reasons, textOr(details['reason'], '')) !== undefined
  return isKnown ? response : { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
}

/** What ends a response early that a chat can say. */
const reasons: Readonly<Record<string, string>> = { max_output_tokens: 'length', content_filter: 'content_filter' }

/** What a whole item brings that has not come before. */
const added = (deltas: readonly JsonObject[]): Piece => ({ deltas, text: deltas.map(outputText).join('') })
