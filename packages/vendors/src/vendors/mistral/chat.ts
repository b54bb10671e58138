import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { effortIn, modelOf, withoutFields } from '../../protocols/compat/fields.ts'
import { withSomeTool } from '../../protocols/compat/tool-choice.ts'
import { withRefusalContent } from '../../protocols/shared/chat-parts.ts'
import { shortToolId } from './short-tool-id.ts'

/** A chat as Mistral takes it: tool choice, ids of calls, the last message and the level of reasoning differ from OpenAI's. */
export function mistralChat(body: JsonObject): JsonObject {
  return withEffort(withToolChoice(withTurns(body)))
}

/** The models that reason at choice, of which each knows only these two levels. */
const reasons = /^mistral-(?:large-4|medium-(?:3|2604|latest)|small-(?:2603|latest))/

function withEffort(body: JsonObject): JsonObject {
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  if (effort === null || !reasons.test(modelOf(body))) return rest
  return { ...rest, reasoning_effort: ['none', 'minimal'].includes(effort) ? 'none' : 'high' }
}

function withToolChoice(body: JsonObject): JsonObject {
  const { tools } = body
  const hasTools = Array.isArray(tools) && tools.length > 0
  return hasTools ? withSomeTool(body, 'any') : withoutFields(body, ['parallel_tool_calls', 'tool_choice'])
}

/** Members of messages that OpenAI's clients send and that are refused with 422. */
const unknown = [
  ...['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'],
  ...['refusal', 'annotations', 'audio', 'function_call'],
]

function withTurns(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const turns = messages.flatMap((message, place) => {
    const next = isObject(message) ? turn(message) : message
    return isResult(messages[place - 1]) && isSaid(message) ? [between, next] : [next]
  })
  const last = turns.at(-1)
  // A response that the model is to continue.
  if (!isObject(last) || last['role'] !== 'assistant') return { ...body, messages: turns }
  return { ...body, messages: [...turns.slice(0, -1), { ...last, prefix: true }] }
}

const isResult = (message: Json | undefined): boolean => isObject(message) && message['role'] === 'tool'
const isSaid = (message: Json): boolean => isObject(message) && message['role'] === 'user'

/** A user who speaks right after a result is refused ("Unexpected role 'user' after role 'tool'", code 3230, as zed-industries/zed 37021 quotes it, read 2026-11-26). */
const between: JsonObject = { role: 'assistant', content: 'Okay.' }

function turn(original: JsonObject): JsonObject {
  const message = withRefusalContent(original)
  const { role, tool_calls: calls, tool_call_id: id } = message
  const rest = withParts(withoutFields(message, role === 'tool' ? unknown : [...unknown, 'name']))
  if (role === 'developer') return { ...rest, role: 'system' }
  if (role === 'tool' && typeof id === 'string') return { ...rest, tool_call_id: shortToolId(id) }
  if (role !== 'assistant' || !Array.isArray(calls)) return rest
  return { ...rest, tool_calls: calls.map((call) => (isObject(call) ? withShortId(call) : call)) }
}

function withParts(message: JsonObject): JsonObject {
  const { content } = message
  return Array.isArray(content) ? { ...message, content: content.map(partOf) } : message
}

/** Documents have an address or a data address, and audio is its bytes or an address. */
function partOf(part: Json): Json {
  if (!isObject(part)) return part
  const { type, file, input_audio: audio } = part
  if (type === 'refusal') return { type: 'text', text: part['refusal'] ?? '' }
  if (type === 'input_audio' && isObject(audio)) return { type, input_audio: audio['data'] ?? '' }
  if (type !== 'file' || !isObject(file)) return part
  const { file_url: url, file_data: data = url, file_id: id, filename } = file
  if (typeof data !== 'string') return { type, file_id: id ?? '' }
  return { type: 'document_url', document_url: data, ...(typeof filename === 'string' ? { document_name: filename } : {}) }
}

function withShortId(call: JsonObject): JsonObject {
  return typeof call['id'] === 'string' ? { ...withoutFields(call, ['index']), id: shortToolId(call['id']) } : call
}
