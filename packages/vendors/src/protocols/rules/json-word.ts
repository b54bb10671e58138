import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

const instruction = 'Answer with JSON.'

const word = /json/i

/** Whether a text of a message has the word: a string, or a list of parts with texts. */
function hasWord(content: Json | undefined): boolean {
  if (typeof content === 'string') return word.test(content)
  return Array.isArray(content) && content.some((part) => isObject(part) && typeof part['text'] === 'string' && word.test(part['text']))
}

const anyHasWord = (list: readonly Json[]): boolean => list.some((message) => isObject(message) && hasWord(message['content']))

const asksForJson = (format: Json | undefined): boolean => isObject(format) && format['type'] === 'json_object'

/** A chat or Responses request for JSON output, with the word in its instructions, if no message has it. */
export function withJsonWord(body: JsonObject): JsonObject {
  const { messages, input, response_format: format, text } = body
  if (asksForJson(format) && Array.isArray(messages) && !anyHasWord(messages)) return { ...body, messages: instructed(messages) }
  if (!isObject(text) || !asksForJson(text['format'])) return body
  // Of a response, what stands in its instructions does not count.
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  return Array.isArray(items) && !anyHasWord(items) ? { ...body, input: [{ role: 'developer', content: instruction }, ...items] } : body
}

/** With the word at the end of the first instructions, or as such. */
function instructed(messages: readonly Json[]): readonly Json[] {
  const [first, ...rest] = messages
  if (!isObject(first) || (first['role'] !== 'system' && first['role'] !== 'developer'))
    return [{ role: 'system', content: instruction }, ...messages]
  const { content } = first
  if (Array.isArray(content)) return [{ ...first, content: [...content, { type: 'text', text: instruction }] }, ...rest]
  return [{ ...first, content: `${typeof content === 'string' ? content : ''}\n\n${instruction}` }, ...rest]
}
