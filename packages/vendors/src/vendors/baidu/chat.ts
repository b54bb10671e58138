import type { ChatDialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { asText, isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { laterUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { fittingCalls } from '../../protocols/calls/conform-calls.ts'
import { inputsOf, ToolCallIndexes } from '../../protocols/openai/repair-tool-calls.ts'
import { usageIn } from '../../protocols/openai/usage.ts'
import { withAllowedTools } from '../../protocols/shared/allowed-tools.ts'
import { chunkOf, completionOf, functionsIn, omitUndefined, refusal, stopsIn, toolCall } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { turnsOf } from './messages.ts'
import { pathOf } from './models.ts'

/**
 * The interface of 2023 (cloud.baidu.com, "ERNIE Bot" and "Error codes", stored copies read 2026-11-22). It has neither log probabilities
 * nor several choices nor images; `seed` and the presence penalty only tune the sampling, so they are not sent.
 */
export const baiduChat = fittingCalls({
  request(request, { model, stream, outputLimit }) {
    const chat = withAllowedTools(request)
    const { messages, system } = turnsOf(chat)
    const functions = functionsIn(chat).map(({ name, description, parameters }) => omitUndefined({ name, description, parameters }))
    const body = omitUndefined({
      messages,
      stream,
      system: system === '' ? undefined : system,
      functions: functions.length === 0 ? undefined : functions,
      tool_choice: isObject(chat['tool_choice']) ? chat['tool_choice'] : undefined,
      ...sampling(chat, outputLimit),
    })
    return { path: pathOf('chat', model), headers: {}, body, ...refusal(chat) }
  },
  failure: readFailure,
  response(json, context) {
    if (!isObject(json)) return null
    const failure = failureIn(json)
    if (failure !== null) return failure
    const { result, function_call: call } = json
    if (typeof result !== 'string' && !isObject(call)) return null
    const usage = usageIn(json)
    const calls = isObject(call) ? { tool_calls: [toolCall(`call_${context.id}`, call['name'], call['arguments'])] } : {}
    const message = { content: textOr(result, ''), ...calls }
    return { response: completionOf(context, { message, reason: reasonOf(json), usage }), usage }
  },
  stream: (context) => streamOf(context),
} satisfies ChatDialect)

function sampling(chat: JsonObject, outputLimit: number | undefined): JsonObject {
  const { temperature, top_p, stop, user, frequency_penalty: penalty, max_completion_tokens: newer, max_tokens: older } = chat
  const limit = outputLimit ?? newer ?? older
  const stops = stopsIn(stop)
  return {
    temperature: typeof temperature === 'number' ? Math.min(1, Math.max(0.01, temperature)) : undefined,
    top_p,
    penalty_score: typeof penalty === 'number' ? Math.min(2, Math.max(1, 1 + penalty / 2)) : undefined,
    max_output_tokens: typeof limit === 'number' ? Math.max(2, limit) : undefined,
    stop: stops.length === 0 ? undefined : stops,
    user_id: user,
  }
}

/** Errors have status 200 (same site, "Error codes"). */
export function failureIn({ error_code: code, error_msg: message }: JsonObject): Failure | null {
  if (code === undefined || code === null || code === 0) return null
  return { kind: 'unavailable', message: textOr(message, `error ${asText(code)}`), type: null, param: null, code: asText(code) }
}

function reasonOf({ is_truncated: isCut, function_call: call, finish_reason: reason }: JsonObject): string {
  if (isObject(call)) return 'tool_calls'
  if (reason === 'content_filter') return reason
  return isCut === true || reason === 'length' ? 'length' : 'stop'
}

function streamOf(context: ResponseContext): ChatStream {
  let usage: Usage | null = null
  let complete = false
  let isBegun = false
  const placed = new ToolCallIndexes()

  function read(json: Json | undefined): StreamStep {
    if (!isObject(json)) return { chunks: [], text: '', failure: null }
    const failure = failureIn(json)
    if (failure !== null) return { chunks: [], text: '', failure }
    usage = laterUsage(usage, usageIn(json))
    const { result, function_call: call, is_end: isEnd } = json
    if (result === undefined && call === undefined && isEnd === undefined) return { chunks: [], text: '', failure: null }
    const text = textOr(result, '')
    const calls = isObject(call)
      ? placed.kept([{ index: 0, ...toolCall(`call_${context.id}`, call['name'], call['arguments']) }], context.id)
      : []
    const delta = { ...(isBegun ? {} : { role: 'assistant' }), content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
    isBegun = true
    complete ||= isEnd === true
    const chunks = [chunkOf(context, delta), ...(isEnd === true ? [chunkOf(context, {}, reasonOf(json))] : [])]
    return { chunks, text: text + inputsOf(calls), failure: null, isLast: isEnd === true }
  }

  return { event: (data) => read(parseJson(data)), end: () => ({ complete, usage }) }
}
