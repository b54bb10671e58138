import type { ChatDialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream } from '../../core/stream.ts'
import { chunkWithFunctionCall, hasLegacyFunctions } from './legacy-functions.ts'

/** Whether a chat wants at most one call in a response: it says so, or it has functions in the old form, of which a message calls one. */
export function asksOneCall(chat: JsonObject): boolean {
  return chat['parallel_tool_calls'] === false || hasLegacyFunctions(chat)
}

/**
 * A dialect of a vendor whose form has no switch against parallel calls. If the client wants one call at a time, it gets the first of an
 * response; the model sees the result of that one and calls again. What the model wrote is charged, as the vendor does.
 */
export function singly<D extends ChatDialect>(dialect: D): D {
  return {
    ...dialect,
    request: (chat, target) => ({ ...dialect.request(chat, target), ...(asksOneCall(chat) ? { oneCall: true } : {}) }),
    response(json, context) {
      const read = dialect.response(json, context)
      if (context.oneCall !== true || read === null || 'kind' in read) return read
      return { ...read, response: mapChoices(read.response, 'message', (message) => withFirstCall(message)) }
    },
    stream: (context) => (context.oneCall === true ? firstCalls(dialect, context) : dialect.stream(context)),
  }
}

/** The message of a whole response with the first of its calls. @returns the message itself if it has no more */
export function withFirstCall(message: JsonObject): JsonObject {
  const { tool_calls: calls } = message
  return Array.isArray(calls) && calls.length > 1 ? { ...message, tool_calls: calls.slice(0, 1) } : message
}

function firstCalls(dialect: ChatDialect, { callsFunctions, ...context }: ResponseContext): ChatStream {
  const inner = dialect.stream(context)
  const kept = new Map<Json, Json>()
  const toClientChunks = (chunks: readonly JsonObject[]) => (callsFunctions === true ? chunks.map(chunkWithFunctionCall) : chunks)

  function delta(message: JsonObject, choice: Json): JsonObject {
    const { tool_calls: calls, ...rest } = message
    if (!Array.isArray(calls)) return message
    const own = calls.filter((call) => {
      const index = isObject(call) ? (call['index'] ?? 0) : 0
      if (!kept.has(choice)) kept.set(choice, index)
      return kept.get(choice) === index
    })
    return own.length === 0 ? rest : { ...rest, tool_calls: own }
  }

  return {
    ...inner,
    event(data, name) {
      const step = inner.event(data, name)
      const chunks = step.chunks.map((chunk) => mapChoices(chunk, 'delta', delta)).filter((chunk) => !isEmpty(chunk))
      return { ...step, chunks: toClientChunks(chunks) }
    },
    end() {
      const { rest, ...end } = inner.end()
      return rest === undefined ? end : { ...end, rest: toClientChunks(rest) }
    },
  }
}

function mapChoices(body: JsonObject, member: 'message' | 'delta', change: (message: JsonObject, choice: Json) => JsonObject): JsonObject {
  const { choices } = body
  if (!Array.isArray(choices)) return body
  const changed = choices.map((choice) => {
    const message = isObject(choice) ? choice[member] : undefined
    return isObject(choice) && isObject(message) ? { ...choice, [member]: change(message, choice['index'] ?? 0) } : choice
  })
  return { ...body, choices: changed }
}

/** Nothing but calls that were left out was in it. */
function isEmpty({ choices }: JsonObject): boolean {
  return (
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.every(
      (choice) =>
        isObject(choice) &&
        isObject(choice['delta']) &&
        Object.keys(choice['delta']).length === 0 &&
        typeof choice['finish_reason'] !== 'string',
    )
  )
}
