import fc from 'fast-check'
import { isObject } from '../src/core/is-object.ts'
import type { JsonObject } from '../src/core/json.ts'

const words = fc.constantFrom('Hello', ' there', '你好 🙂', '\n', '"', ' {', '\\')
const text = fc.array(words, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
const input = fc.constantFrom<JsonObject>({}, { city: 'Porto' }, { deep: { list: [1, 'a"b', null] }, ключ: 'ü' })

const block: fc.Arbitrary<JsonObject> = fc.oneof(
  text.map((value) => ({ type: 'text', text: value })),
  text.map((value) => ({ type: 'thinking', thinking: value, signature: 'EqQBCg' })),
  fc.constant({ type: 'thinking', thinking: '', signature: 'EqQBCh' }),
  fc.constant({ type: 'redacted_thinking', data: 'EmwKAhgB' }),
  input.map((value) => ({ type: 'tool_use', id: 'toolu_1', name: 'weather', input: value })),
  fc.constant({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }),
  fc.constant({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
  fc.constant({ type: 'a_block_of_next_year', data: 1 }),
)

const count = fc.constantFrom(0, 1, 7, 1000)
const usage: fc.Arbitrary<JsonObject> = fc.tuple(count, count, count, count, count).map(([input, output, read, five, hour]) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: five + hour,
  cache_creation: { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour },
  output_tokens_details: { thinking_tokens: Math.min(1, output) },
}))

/** Whole responses in the vendor's form. */
export const messages: fc.Arbitrary<JsonObject> = fc.record({
  id: fc.constant('msg_1'),
  type: fc.constant('message'),
  role: fc.constant('assistant'),
  model: fc.constant('claude-of-the-vendor'),
  content: fc.array(block, { maxLength: 5 }),
  stop_reason: fc.constantFrom('end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal', 'new_reason'),
  stop_sequence: fc.constant(null),
  stop_details: fc.constantFrom(
    null,
    { type: 'refusal', category: null, explanation: null },
    { type: 'refusal', explanation: 'It could harm.' },
  ),
  usage,
})

/** Positions at which texts are cut. */
export const cuts = fc.array(fc.nat(40), { maxLength: 6 })

/** The events of a message when it is streamed (Messages API, "Streaming", read 2026-11-21), its texts cut into pieces. */
export function eventsOf(message: JsonObject, at: readonly number[]): readonly JsonObject[] {
  const { content, stop_reason: reason, stop_details: details, usage: total } = message
  const counts = isObject(total) ? total : {}
  // The last event repeats the totals, but not the lifetimes of cache writes.
  const { cache_creation: _lifetimes, ...again } = counts
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...counts, output_tokens: 1 } } },
    { type: 'ping' },
    ...(Array.isArray(content) ? content.filter(isObject).flatMap((item, index) => blockEvents(item, index, at)) : []),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null, stop_details: details }, usage: again },
    { type: 'message_stop' },
  ]
}

function blockEvents(item: JsonObject, index: number, at: readonly number[]): readonly JsonObject[] {
  const delta = (value: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta: value })
  const pieces = (value: unknown): readonly string[] => split(String(value), at)
  const around = (start: JsonObject, deltas: readonly JsonObject[]): readonly JsonObject[] => [
    { type: 'content_block_start', index, content_block: start },
    { type: 'ping' },
    ...deltas,
    { type: 'an_event_of_next_year', index },
    { type: 'content_block_stop', index },
  ]
  switch (item['type']) {
    case 'text':
      return around(
        { ...item, text: '' },
        pieces(item['text']).map((piece) => delta({ type: 'text_delta', text: piece })),
      )
    case 'thinking': {
      const reasoning = pieces(item['thinking']).map((piece) => delta({ type: 'thinking_delta', thinking: piece }))
      const signature = delta({ type: 'signature_delta', signature: item['signature'] })
      return around({ ...item, thinking: '', signature: '' }, [...reasoning, signature])
    }
    case 'tool_use':
    case 'server_tool_use': {
      const json = Object.keys(isObject(item['input']) ? item['input'] : {}).length === 0 ? '' : JSON.stringify(item['input'])
      return around(
        { ...item, input: {} },
        pieces(json).map((piece) => delta({ type: 'input_json_delta', partial_json: piece })),
      )
    }
    default:
      return around(item, [])
  }
}

function split(value: string, at: readonly number[]): readonly string[] {
  const places = [0, ...at.map((cut) => cut % (value.length + 1)), value.length].toSorted((a, b) => a - b)
  return places.slice(1).map((end, index) => value.slice(places[index], end))
}
