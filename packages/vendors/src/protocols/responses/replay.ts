import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { closingEvents, deltaEvent, type Item, openingEvents } from './items.ts'

/** A whole response as the events of the requested stream. */
export function replayEvents(response: JsonObject): readonly JsonObject[] {
  const { output, status } = response
  const empty = { ...response, status: 'in_progress', output: [], usage: null }
  const items = Array.isArray(output) ? output.filter(isObject) : []
  const events: ReadonlyArray<readonly [type: string, fields: JsonObject]> = [
    ['response.created', { response: empty }],
    ['response.in_progress', { response: empty }],
    ...items.flatMap(itemEvents),
    [`response.${textOr(status, 'completed')}`, { response }],
  ]
  return events.map(([type, fields], index) => ({ type, ...fields, sequence_number: index }))
}

function itemEvents(object: JsonObject, index: number): ReadonlyArray<readonly [type: string, fields: JsonObject]> {
  const done = ['response.output_item.done', { output_index: index, item: object }] as const
  const item = itemOf(object)
  if (item === null) return [['response.output_item.added', { output_index: index, item: object }], done]
  const delta = deltaEvent(item, index, item.text)
  const written = delta === null ? [] : [delta]
  return [...openingEvents(item, index), ...written, ...closingEvents(item, index).slice(0, -1), done]
}

/** `null` = it is more than one text, and is sent without deltas. */
function itemOf({ type, id, content, summary, call_id: callId, name, namespace, arguments: args, input }: JsonObject): Item | null {
  const group = typeof namespace === 'string' ? { namespace } : {}
  const plain = { id: textOr(id, ''), callId: textOr(callId, ''), name: textOr(name, ''), ...group }
  if (type === 'function_call') return { ...plain, kind: 'call', text: textOr(args, '') }
  if (type === 'custom_tool_call') return { ...plain, kind: 'custom', text: textOr(input, '') }
  const part = onlyPart(type === 'reasoning' ? summary : content)
  if (part === null) return null
  if (type === 'reasoning') return { ...plain, kind: 'reasoning', text: textOr(part['text'], '') }
  if (part['type'] === 'refusal') return { ...plain, kind: 'refusal', text: textOr(part['refusal'], '') }
  return part['type'] === 'output_text' ? { ...plain, kind: 'text', text: textOr(part['text'], '') } : null
}

function onlyPart(parts: Json | undefined): JsonObject | null {
  const [part, ...others] = Array.isArray(parts) ? parts : []
  return isObject(part) && others.length === 0 ? part : null
}
