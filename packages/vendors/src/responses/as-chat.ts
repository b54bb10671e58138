import { type AnswerReader, type Piece, readingBy } from '../answer-reader.ts'
import { objectsIn } from '../chat-parts.ts'
import type { Failure, StreamEnd, Usage } from '../dialect.ts'
import { isObject, parseJson, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { sumOfUsages } from '../no-usage.ts'
import { readResponseEvent, responses } from '../openai/responses.ts'

const nothing: Piece = {}

/** Answers of OpenAI's responses as those of a chat: its events, read one after the other. */
export const responsesAsChat = readingBy<JsonObject>({ create: createReader, partOf, partsOf })

function partOf(data: string): JsonObject | null {
  const event = parseJson(data)
  return isObject(event) ? event : null
}

/** A whole response as the events that it could have come in. */
function partsOf(json: Json): readonly JsonObject[] | Failure | null {
  const seen = responses.passthrough.reply(json)
  if (seen === null || 'kind' in seen) return seen
  if (!isObject(json)) return null
  const items = objectsIn(json['output'])
  return [
    ...items.flatMap(eventsOf),
    { type: json['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', response: json },
  ]
}

function eventsOf(item: JsonObject, index: number): readonly JsonObject[] {
  const { content, arguments: given, input, summary } = item
  const said = objectsIn(content).map(({ text, refusal }) =>
    refusal === undefined
      ? { type: 'response.output_text.delta', delta: textOr(text, '') }
      : { type: 'response.refusal.delta', delta: textOr(refusal, '') },
  )
  const thought = objectsIn(summary).map(({ text }) => ({ type: 'response.reasoning_summary_text.delta', delta: textOr(text, '') }))
  const begun = { type: 'response.output_item.added', output_index: index, item }
  if (item['type'] === 'function_call')
    return [begun, { type: 'response.function_call_arguments.delta', output_index: index, delta: textOr(given, '{}') }]
  if (item['type'] === 'custom_tool_call')
    return [begun, { type: 'response.custom_tool_call_input.delta', output_index: index, delta: textOr(input, '') }]
  return item['type'] === 'reasoning' ? [...thought, { type: 'response.output_item.done', output_index: index, item }] : said
}

function createReader(): AnswerReader<JsonObject> {
  /** Place of an item in the output -> index of the call in the chat. */
  const calls = new Map<Json | undefined, number>()
  /** Encrypted thoughts since the last call. They are returned with the next one, because only then does the model go on with them. */
  let thoughts: JsonObject[] = []
  let usage: Usage | null = null
  /** What the tools of the vendor used, until it tells the usage of all. */
  let parts: Usage | null = null
  let isComplete = false

  function called(event: JsonObject, called: JsonObject): readonly JsonObject[] {
    const index = calls.get(event['output_index'])
    return index === undefined ? [] : [{ tool_calls: [{ index, ...called }] }]
  }

  function begun(event: JsonObject): Piece {
    const { item, output_index: place } = event
    if (!isObject(item) || (item['type'] !== 'function_call' && item['type'] !== 'custom_tool_call')) return nothing
    calls.set(place, calls.size)
    const { call_id: id, name } = item
    const extra = thoughts.length === 0 ? {} : { extra_content: { openai: { reasoning: thoughts } } }
    thoughts = []
    return item['type'] === 'function_call'
      ? { deltas: called(event, { id, type: 'function', function: { name, arguments: '' }, ...extra }) }
      : { deltas: called(event, { id, type: 'custom', custom: { name, input: '' }, ...extra }) }
  }

  function thought({ item }: JsonObject): Piece {
    if (!isObject(item) || item['type'] !== 'reasoning' || typeof item['encrypted_content'] !== 'string') return nothing
    const { id, summary = [], encrypted_content } = item
    thoughts.push({ id, summary, encrypted_content })
    return nothing
  }

  function ended(response: Json | undefined): Piece {
    isComplete = true
    const { incomplete_details: details } = isObject(response) ? response : {}
    const reason = isObject(details) ? details['reason'] : undefined
    if (reason === 'max_output_tokens') return { finish: 'length', isLast: true }
    if (reason === 'content_filter') return { finish: 'content_filter', isLast: true }
    return { finish: calls.size > 0 ? 'tool_calls' : 'stop', isLast: true }
  }

  function deltasOf(event: JsonObject): readonly JsonObject[] {
    const { type, delta } = event
    switch (type) {
      case 'response.output_text.delta':
        return [{ content: delta }]
      case 'response.refusal.delta':
        return [{ refusal: delta }]
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [{ reasoning_content: delta }]
      case 'response.function_call_arguments.delta':
        return called(event, { function: { arguments: delta } })
      case 'response.custom_tool_call_input.delta':
        return called(event, { custom: { input: delta } })
      default:
        return []
    }
  }

  return {
    take(event) {
      const seen = readResponseEvent(event)
      if (seen.failure !== null) return { failure: seen.failure }
      if (seen.isPart === true) parts = sumOfUsages(parts, seen.usage)
      else if (seen.usage !== null) usage = seen.usage
      if (seen.isLast === true) return ended(event['response'])
      if (event['type'] === 'response.output_item.added') return begun(event)
      return event['type'] === 'response.output_item.done' ? thought(event) : { deltas: deltasOf(event), text: seen.text }
    },
    end: (): StreamEnd =>
      usage === null && parts !== null ? { complete: isComplete, usage: parts, isPartial: true } : { complete: isComplete, usage },
  }
}
