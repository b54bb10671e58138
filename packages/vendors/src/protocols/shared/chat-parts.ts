import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { usageObject } from '../../core/usage-object.ts'
import { fittingSchema } from './schema-instruction.ts'

// Parts of chats in OpenAI's form, for dialects of vendors with simpler forms (OpenAI API reference, "Chat", read 2026-11-21).

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The parts of content; a text among them, as many clients write it, is a part with it. */
export function partsIn(content: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part) => (typeof part === 'string' ? [{ type: 'text', text: part }] : isObject(part) ? [part] : []))
}

/** Whether content has the form that it may have in any protocol: none, a text, or a list of parts and texts. */
export function isContent(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return !isGiven(content) || typeof content === 'string'
  return content.every((part) => isObject(part) || typeof part === 'string')
}

/** The delta of a chat that adds a text to one of its members; none for an empty text. */
export const deltasOf = (member: string, text: string): readonly JsonObject[] => (text === '' ? [] : [{ [member]: text }])

/** The text of a message's content, whose parts are joined by line feeds. */
export function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .map(({ text, refusal: refused }) => text ?? refused)
    .filter((text) => typeof text === 'string')
    .join('\n')
}

/** A message of the model whose refusal, which stands beside its content in OpenAI's form, is its content. */
export function withRefusalContent(message: JsonObject): JsonObject {
  const { content, refusal: refused } = message
  return typeof refused === 'string' && refused !== '' && (!isGiven(content) || content === '') ? { ...message, content: refused } : message
}

/** Longest beginning of a data address, before its bytes: a type and parameters. Searched as a whole, millions of parameters took seconds. */
const headMax = 1_024

const mediaType = /^[\w.+-]+\/[\w.+-]+$/

/** The type, if one is named, and the base64 of a data address. `null` = it is none, or its data is not base64. */
export function bytesInAddress(address: string): { readonly type?: string; readonly data: string } | null {
  const head = address.slice(0, headMax)
  const comma = head.indexOf(',')
  if (comma === -1 || head.slice(0, 'data:'.length).toLowerCase() !== 'data:') return null
  const [type = '', ...parameters] = head.slice('data:'.length, comma).split(';')
  if (parameters.at(-1)?.toLowerCase() !== 'base64' || (type !== '' && !mediaType.test(type))) return null
  return { ...(type === '' ? {} : { type }), data: address.slice(comma + 1) }
}

/** The base64 of audio. Some clients send it as a data address (AI SDK, `openai-compatible`, read 2026-11-26). */
export function audioBytes({ data }: JsonObject): string {
  const text = textOr(data, '')
  return bytesInAddress(text)?.data ?? text
}

/** The first part of a chat's messages that is not text: `image_url`, `input_audio`, `file`. `undefined` = all of it is text. */
function otherThanText({ messages }: JsonObject): string | undefined {
  const parts = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  return parts.map(({ type }) => textOr(type, 'content')).find((type) => type !== 'text' && type !== 'refusal')
}

/** The response format that a chat requests, as prompt text for models that have no field for it; an empty text if it requests none. */
export function formatInstruction({ response_format: format }: JsonObject): string {
  if (!isObject(format)) return ''
  if (format['type'] === 'json_object') return 'Answer with one JSON object and nothing else.'
  if (format['type'] !== 'json_schema') return ''
  const schema = isObject(format['json_schema']) ? format['json_schema']['schema'] : undefined
  return `Answer with one JSON object, and nothing else, ${fittingSchema(schema ?? {})}`
}

/** The stop sequences of a chat, without empty ones. */
export function stopsIn(stop: Json | undefined): readonly string[] {
  return (Array.isArray(stop) ? stop : [stop]).filter((text): text is string => typeof text === 'string' && text !== '')
}

/** The functions that a chat declares and does not forbid. */
export function functionsIn({ tools, tool_choice: choice }: JsonObject): readonly JsonObject[] {
  return choice === 'none' ? [] : objectsIn(tools).flatMap(({ function: declared }) => (isObject(declared) ? [declared] : []))
}

/** A function call in a message, with its id and arguments as text. */
export function callsIn({ tool_calls: calls }: JsonObject) {
  return objectsIn(calls).map(({ id, function: called }) => {
    const { name, arguments: input } = isObject(called) ? called : {}
    return { id: textOr(id, ''), name: textOr(name, ''), input: textOr(input, '{}') }
  })
}

export function toolCall(id: string, name: Json | undefined, input: Json | undefined): JsonObject {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id, type: 'function', function: { name: textOr(name, ''), arguments: text } }
}

export function chunkOf({ id, created, model }: ResponseContext, delta: JsonObject, reason: string | null = null): JsonObject {
  return { id, object: 'chat.completion.chunk', created, model, choices: [{ index: 0, delta, finish_reason: reason }] }
}

/** The deltas of a response as chunks with `logprobs`, and one more with the reason of its end; `null`: it goes on. */
export function chunksOf({ id, created, model }: ResponseContext, deltas: readonly JsonObject[], reason: string | null): JsonObject[] {
  const chunk = (delta: JsonObject, finish: string | null): JsonObject => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })
  const chunks: JsonObject[] = []
  for (const delta of deltas) chunks.push(chunk(delta, null))
  if (reason !== null) chunks.push(chunk({}, reason))
  return chunks
}

interface Whole {
  readonly message: JsonObject
  readonly reason: string
  readonly usage: Usage | null
}

export function completionOf({ id, created, model }: ResponseContext, { message, reason, usage }: Whole): JsonObject {
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: reason, logprobs: null }
  const counted = usage === null ? {} : { usage: usageObject(usage) }
  return { id, object: 'chat.completion', created, model, choices: [choice], ...counted }
}

/** Fields without a value are left out. */
export function omitUndefined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

/** The parameter of a chat that simple forms cannot hold; an empty object if there is none. */
export function refusal(chat: JsonObject, { takesImages = false } = {}): { readonly refused?: string } {
  const { n, logprobs, tool_choice: choice } = chat
  const other = otherThanText(chat)
  if (other !== undefined && !(takesImages && other === 'image_url')) return { refused: other }
  if (typeof n === 'number' && n > 1) return { refused: 'n' }
  if (logprobs === true) return { refused: 'logprobs' }
  return choice === 'required' ? { refused: 'tool_choice' } : {}
}

/** Whether a chunk of a chat has the reason of its end. Runs for every chunk. */
export function isFinish({ choices }: JsonObject): boolean {
  if (!Array.isArray(choices)) return false
  for (const choice of choices) if (isObject(choice) && typeof choice['finish_reason'] === 'string') return true
  return false
}
