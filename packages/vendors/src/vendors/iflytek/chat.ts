import type { ChatDialect } from '../../core/dialect.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { fittingCalls } from '../../protocols/calls/conform-calls.ts'
import { inputsOf, ToolCallIndexes } from '../../protocols/openai/repair-tool-calls.ts'
import { usageIn } from '../../protocols/openai/usage.ts'
import {
  callsIn,
  chunkOf,
  formatInstruction,
  functionsIn,
  objectsIn,
  omitUndefined,
  refusal,
  stopsIn,
  textOfContent,
  toolCall,
} from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { writtenBody } from '../../protocols/shared/request-text.ts'
import { failureIn } from './header-failure.ts'
import { appIdOf } from './hosts.ts'
import { isCapable, sparkModel } from './models.ts'

/**
 * The WebSocket interface (xfyun.cn, "Spark: Web", a stored copy read 2026-11-22): one message is the request, and messages with chunks are the response. It
 * has no stop words; penalties, `seed` and `top_p` only tune the sampling, so they are not sent.
 */
export const iflytekChat = fittingCalls({
  request(chat, { model, channel, outputLimit, rewrites }) {
    const { path, domain } = sparkModel(model, channel.other)
    const body = frameOf(chat, { domain, appId: appIdOf(channel), outputLimit })
    return { path, headers: {}, body, messages: [writtenBody(body, rewrites)], ...refused(chat, domain) }
  },
  failure: readFailure,
  // Output comes as messages only; what is JSON is a refusal.
  response: (json) => (isObject(json) ? failureIn(json) : null),
  stream: (context) => streamOf(context),
} satisfies ChatDialect)

interface FrameSettings {
  readonly domain: string
  readonly appId: string
  readonly outputLimit: number | undefined
}

function frameOf(chat: JsonObject, { domain, appId, outputLimit }: FrameSettings): JsonObject {
  const { temperature, top_k, max_completion_tokens: newer, max_tokens: older, user } = chat
  const limit = outputLimit ?? newer ?? older
  const functions = functionsIn(chat).map(({ name, description, parameters }) => omitUndefined({ name, description, parameters }))
  return {
    header: omitUndefined({ app_id: appId, uid: typeof user === 'string' && user !== '' ? user.slice(0, 32) : undefined }),
    parameter: {
      chat: omitUndefined({
        domain,
        temperature: typeof temperature === 'number' ? Math.min(1, Math.max(0.01, temperature)) : undefined,
        top_k: typeof top_k === 'number' ? Math.min(6, Math.max(1, top_k)) : undefined,
        max_tokens: typeof limit === 'number' ? limit : undefined,
        auditing: 'default',
      }),
    },
    payload: { message: { text: turnsOf(chat, domain) }, ...(functions.length === 0 ? {} : { functions: { text: functions } }) },
  }
}

function refused(chat: JsonObject, domain: string): { readonly refused?: string } {
  const { stop, tool_choice: choice } = chat
  if (isObject(choice)) return { refused: 'tool_choice' }
  if (stopsIn(stop).length > 0) return { refused: 'stop' }
  if (functionsIn(chat).length > 0 && !isCapable(domain)) return { refused: 'tools' }
  return refusal(chat)
}

/** Older models know no system message: it is then the user's, before all others. Calls and their results are sent as text. */
function turnsOf(chat: JsonObject, domain: string): readonly JsonObject[] {
  const all = objectsIn(chat['messages'])
  const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
  const systemTexts = [...all.filter(isSystem).map(({ content }) => textOfContent(content)), formatInstruction(chat)]
  const system = systemTexts.filter((text) => text !== '').join('\n')
  const first = system === '' ? [] : [{ role: isCapable(domain) ? 'system' : 'user', content: system }]
  const response = first[0]?.role === 'user' ? [{ role: 'assistant', content: 'Okay.' }] : []
  return [...first, ...response, ...all.filter((message) => !isSystem(message)).map(turnOf)]
}

function turnOf(message: JsonObject): JsonObject {
  const { role, content, tool_call_id: id } = message
  if (role === 'tool') return { role: 'user', content: `Result of the function call ${textOr(id, '')}: ${textOfContent(content)}` }
  const calls = callsIn(message).map(({ id: callId, name, input }) => `Function call ${callId}: ${name}(${input})`)
  return { role: textOr(role, 'user'), content: [textOfContent(content), ...calls].filter((text) => text !== '').join('\n') || '.' }
}

function streamOf(context: ResponseContext): ChatStream {
  let usage: Usage | null = null
  let complete = false
  let isBegun = false
  let hasCalls = false
  const placed = new ToolCallIndexes()

  function read(json: Json | undefined): StreamStep {
    if (!isObject(json)) return { chunks: [], text: '', failure: null }
    const failure = failureIn(json)
    if (failure !== null) return { chunks: [], text: '', failure }
    const { pieces, isLast, usage: counted } = partsOf(json)
    usage = counted ?? usage
    complete ||= isLast
    const chunks: JsonObject[] = []
    let text = ''
    for (const piece of pieces) {
      const calls = placed.kept(callIn(piece, context), context.id)
      const delta = deltaOf(piece, calls)
      chunks.push(chunkOf(context, isBegun ? delta : { role: 'assistant', ...delta }))
      isBegun = true
      hasCalls ||= calls.length > 0
      text += textIn(piece) + inputsOf(calls)
    }
    if (isLast) chunks.push(chunkOf(context, {}, hasCalls ? 'tool_calls' : 'stop'))
    return { chunks, text, failure: null, isLast }
  }

  return { event: (data) => read(parseJson(data)), end: () => ({ complete, usage }) }
}

/** The pieces of a message, and what the last one has besides. */
function partsOf({ header, payload }: JsonObject) {
  const { choices, usage } = isObject(payload) ? payload : {}
  const counted = isObject(usage) && isObject(usage['text']) ? usageIn({ usage: usage['text'] }) : null
  const pieces = isObject(choices) ? objectsIn(choices['text']) : []
  return { pieces, isLast: statusIn(header) === 2 || statusIn(choices) === 2, usage: counted }
}

const statusIn = (value: Json | undefined): Json | undefined => (isObject(value) ? value['status'] : undefined)

/** A response has one call at most, and it has no id. */
function callIn({ function_call: call }: JsonObject, { id }: ResponseContext): readonly JsonObject[] {
  return isObject(call) ? [{ index: 0, ...toolCall(`call_${id}`, call['name'], call['arguments']) }] : []
}

function deltaOf({ content, reasoning_content: reasoning }: JsonObject, calls: readonly JsonObject[]): JsonObject {
  return {
    content: textOr(content, ''),
    ...(typeof reasoning === 'string' && reasoning !== '' ? { reasoning_content: reasoning } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function textIn({ content, reasoning_content: reasoning }: JsonObject): string {
  return textOr(reasoning, '') + textOr(content, '')
}
