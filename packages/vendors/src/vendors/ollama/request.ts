import { argumentsIn, isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { hasLegacyFunctions, withTools } from '../../protocols/shared/legacy-functions.ts'
import { withNamedResults } from '../../protocols/shared/named-results.ts'
import { withoutEmptyLimits } from '../../protocols/shared/token-limit-fields.ts'

/** Levels of thinking; models that know no levels take them as "on". */
const levels: Readonly<Record<string, string | false>> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
}

/** Settings of sampling with the same name on both sides. */
const sampling = ['temperature', 'top_p', 'top_k', 'seed', 'stop', 'frequency_penalty', 'presence_penalty'] as const

/** A chat for `/api/chat` ("Generate a chat completion", a stored copy of August 2026, read 2026-11-22). */
export function toOllama(request: JsonObject, { model, stream, outputLimit }: Target): Outgoing {
  const chat = withTools(withoutEmptyLimits(request))
  const { tools, tool_choice: choice, reasoning_effort: effort, think, keep_alive: keepAlive } = chat
  const messages = toMessages(chat['messages'])
  const thinks = think ?? lookUp(levels, textOr(effort, ''))
  const options = optionsOf(chat, outputLimit)
  const format = formatOf(chat['response_format'])
  const refused = refusedIn(chat, messages)
  return {
    path: '/api/chat',
    headers: noHeaders,
    body: {
      model,
      messages: messages ?? [],
      // The server's own default is a stream.
      stream,
      ...(Array.isArray(tools) && tools.length > 0 && choice !== 'none' ? { tools } : {}),
      ...(format === null ? {} : { format }),
      ...(chat['logprobs'] === true ? { logprobs: true, top_logprobs: chat['top_logprobs'] ?? 0 } : {}),
      ...(thinks === undefined || thinks === null ? {} : { think: thinks }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
      ...(keepAlive === undefined || keepAlive === null ? {} : { keep_alive: keepAlive }),
    },
    ...(hasLegacyFunctions(request) ? { callsFunctions: true } : {}),
    ...(refused === null ? {} : { refused }),
  }
}

function refusedIn({ tool_choice: choice }: JsonObject, messages: readonly JsonObject[] | null): string | null {
  if (messages === null) return 'messages'
  return choice === 'required' || isObject(choice) ? 'tool_choice' : null
}

function optionsOf(chat: JsonObject, outputLimit: number | undefined): JsonObject {
  const { max_completion_tokens: newer, max_tokens: older, num_ctx: context, options } = chat
  const limit = outputLimit ?? newer ?? older
  const set = sampling.flatMap((name) => (chat[name] === undefined || chat[name] === null ? [] : [[name, chat[name]] as const]))
  return {
    ...Object.fromEntries(set),
    ...(typeof limit === 'number' ? { num_predict: limit } : {}),
    ...(typeof context === 'number' ? { num_ctx: context } : {}),
    ...(isObject(options) ? options : {}),
  }
}

function formatOf(format: Json | undefined): Json | null {
  if (!isObject(format)) return null
  const { type, json_schema: declared } = format
  if (type === 'json_object') return 'json'
  return type === 'json_schema' && isObject(declared) && isObject(declared['schema']) ? declared['schema'] : null
}

/** `null` = a part that the server cannot take. */
function toMessages(list: Json | undefined): readonly JsonObject[] | null {
  const messages = withNamedResults(Array.isArray(list) ? list.filter(isObject) : []).map(toMessage)
  return messages.every((message) => message !== null) ? messages : null
}

const callsIn = ({ tool_calls: calls }: JsonObject): readonly JsonObject[] => (Array.isArray(calls) ? calls.filter(isObject) : [])
const nameIn = ({ function: called }: JsonObject): string => (isObject(called) ? textOr(called['name'], '') : '')

function toMessage(message: JsonObject): JsonObject | null {
  const { role, reasoning_content: thinking } = message
  const read = contentOf(message['content'])
  if (read === null) return null
  const calls = callsIn(message)
  return {
    role: role === 'developer' ? 'system' : (role ?? 'user'),
    content: read.text,
    ...(read.images.length === 0 ? {} : { images: read.images }),
    ...(typeof thinking === 'string' && thinking !== '' ? { thinking } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
    ...(role === 'tool' ? { tool_name: textOr(message['name'], '') } : {}),
  }
}

function toCall(call: JsonObject): JsonObject {
  const args = isObject(call['function']) ? call['function']['arguments'] : undefined
  return { function: { name: nameIn(call), arguments: argumentsIn(args) } }
}

interface Content {
  readonly text: string
  /** Base64. */
  readonly images: readonly string[]
}

function contentOf(content: Json | undefined): Content | null {
  if (!Array.isArray(content)) return { text: textOr(content, ''), images: [] }
  const parts = content.filter(isObject).map((part) => partOf(part))
  if (!parts.every((part) => part !== null)) return null
  const texts = parts.flatMap((part) => part.text ?? [])
  return { text: texts.join('\n'), images: parts.flatMap((part) => part.image ?? []) }
}

function partOf(part: JsonObject): { readonly text?: string; readonly image?: string } | null {
  const { type, text, refusal, image_url: image } = part
  if (type === 'text' || type === 'input_text') return { text: textOr(text, '') }
  if (type === 'refusal') return { text: textOr(refusal, '') }
  if (type !== 'image_url') return null
  const url = isObject(image) ? textOr(image['url'], '') : textOr(image, '')
  const data = /^data:image\/[\w.+-]+;base64,/i.exec(url)
  return data === null ? null : { image: url.slice(data[0].length) }
}
