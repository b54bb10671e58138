import type { ChatDialect } from '../../../core/dialect.ts'
import type { Failure } from '../../../core/failure.ts'
import { isObject, textOr } from '../../../core/is-object.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { noHeaders } from '../../../core/no-headers.ts'
import type { ClientResponse, ResponseContext } from '../../../core/response.ts'
import { errorIn, readFailure } from '../../../protocols/gemini/failure.ts'
import { omitUndefined, stopsIn } from '../../../protocols/shared/chat-parts.ts'
import { bounded } from '../../../protocols/shared/output-cap.ts'

/** Our name of its only chat model is older than its own. */
const chatModel = 'chat-bison-001'

/** Fields that this retired interface cannot hold: it knows texts only. */
function refusedIn({ tools, functions, response_format: format, stop }: JsonObject): string | null {
  if (Array.isArray(tools) && tools.length > 0) return 'tools'
  if (Array.isArray(functions) && functions.length > 0) return 'functions'
  if (stopsIn(stop).length > 0) return 'stop'
  return isObject(format) && format['type'] !== 'text' ? 'response_format' : null
}

function textOf(content: Json | undefined): string {
  const parts = Array.isArray(content) ? content.filter(isObject).map((part) => textOr(part['text'], '')) : [textOr(content, '')]
  return parts.join('')
}

function hasOtherParts(messages: readonly JsonObject[]): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some((part) => isObject(part) && part['type'] !== 'text'))
}

function toPalm(chat: JsonObject): JsonObject {
  const messages = Array.isArray(chat['messages']) ? chat['messages'].filter(isObject) : []
  const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
  const context = messages
    .filter(isSystem)
    .map(({ content }) => textOf(content))
    .join('\n')
  const turns = messages.filter((message) => !isSystem(message))
  return omitUndefined({
    prompt: {
      ...(context === '' ? {} : { context }),
      messages: turns.map(({ role, content }) => ({ author: role === 'assistant' ? '1' : '0', content: textOf(content) })),
    },
    temperature: chat['temperature'],
    topP: chat['top_p'],
    topK: chat['top_k'],
    candidateCount: chat['n'],
  })
}

function fromPalm(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const failure = errorIn(json)
  if (failure !== null) return failure
  if (!isObject(json)) return null
  const { candidates, filters } = json
  const rows = Array.isArray(candidates) ? candidates.filter(isObject) : []
  const isFiltered = rows.length === 0 && Array.isArray(filters) && filters.length > 0
  if (rows.length === 0 && !isFiltered) return null
  const choice = (index: number, content: string, reason: string) => ({
    index,
    message: { role: 'assistant', content },
    logprobs: null,
    finish_reason: reason,
  })
  const choices = isFiltered
    ? [choice(0, '', 'content_filter')]
    : rows.map((row, index) => choice(index, textOr(row['content'], ''), 'stop'))
  const { id, created, model } = context
  return { response: { id, object: 'chat.completion', created, model, choices }, usage: null }
}

const notStreamed = { chunks: [], text: '', failure: null }

/**
 * PaLM's `generateMessage` (PaLM API reference of 2023, as clients of that time call it, read 2026-11-22). Google ended it; servers that
 * still speak it know no streams, so a whole response is sent as one. It has no limit of output, so the response is cut at the client's.
 */
export const palm: ChatDialect = bounded({
  request(chat, { model }) {
    const messages = Array.isArray(chat['messages']) ? chat['messages'].filter(isObject) : []
    const refused = refusedIn(chat) ?? (hasOtherParts(messages) ? 'messages[].content' : null)
    const name = /^palm-?2$/i.test(model) ? chatModel : model
    return {
      path: `/v1beta2/models/${name}:generateMessage`,
      headers: noHeaders,
      body: toPalm(chat),
      ...(refused === null ? {} : { refused }),
    }
  },
  response: fromPalm,
  stream: () => ({ event: () => notStreamed, end: () => ({ complete: false, usage: null }) }),
  failure: readRetired,
  lacks: ['logprobs', 'top_logprobs'],
})

/** Google's own servers respond to that the model is not found, since the service ended. */
function readRetired(status: number, body: string): Failure {
  const failure = readFailure(status, body)
  return failure.kind === 'model_not_found'
    ? { ...failure, message: `${failure.message} (PaLM 2 has ended; Gemini is its successor)` }
    : failure
}
