import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isOwnReasoning } from './own-items.ts'

/** The input of a response as a list of items. */
export function inputItems(input: Json | undefined): readonly JsonObject[] {
  if (typeof input === 'string') return input === '' ? [] : [{ role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}

/**
 * The output of a response as items of the next input: without ids, which no vendor knows, and without reasoning that no vendor wants back. An image is no item
 * of an input without its id (OpenAI API reference, "Responses", the items of `input`, read 2026-11-30).
 */
export function historyItems(output: Json | undefined): readonly JsonObject[] {
  const items = Array.isArray(output) ? output.filter(isObject) : []
  return items.filter((item) => item['type'] !== 'reasoning' || isOwnReasoning(item)).map(withoutId)
}

function withoutId(whole: JsonObject): JsonObject {
  const { id: _id, status: _status, ...item } = whole
  return item['type'] === 'image_generation_call' ? whole : item
}

/** A request with what was said before it in the place of a reference to it. */
export function withHistory({ previous_response_id: _previous, ...body }: JsonObject, history: readonly JsonObject[]): JsonObject {
  return { ...body, input: [...history, ...inputItems(body['input'])] }
}

/** Input items as they are listed, each with an id and its content in parts (OpenAI API reference, "List input items", read 2026-11-21). */
export function listedItems(input: Json, responseId: string): readonly JsonObject[] {
  return inputItems(input).map((item, index) => {
    const { role, content, type = 'message' } = item
    const id = textOr(item['id'], '') || `msg_${responseId.replace(/^resp_/, '')}_in_${index}`
    const part = role === 'assistant' ? 'output_text' : 'input_text'
    const parts = typeof content === 'string' ? { content: [{ type: part, text: content }] } : {}
    return { ...item, id, type, ...(type === 'message' ? { status: 'completed', ...parts } : {}) }
  })
}
