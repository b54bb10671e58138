import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { knownUsage, reportedUsage } from '../../core/no-usage.ts'
import type { StreamEnd } from '../../core/stream.ts'
import { preparedChat } from '../compat/prepared-chat.ts'
import { countedResponse } from '../shared/media-usage.ts'
import { onceAtEnd } from '../shared/once-at-end.ts'
import { excessIn, writtenStep } from '../shared/response-parts.ts'
import { holdsAll, supportsExtra } from '../shared/supports-extra.ts'
import { discoveredTools } from './namespaces.ts'
import { itemsOf } from './referable-items.ts'
import { createResponseEvents } from './response-events.ts'
import { discoveredToolsKey, echoOf, returnsReasoning } from './response-object.ts'
import { toChat } from './to-chat.ts'

/** Fields of a chat, as the client knows them. */
const fieldNames: Readonly<Record<string, string>> = {
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
  max_completion_tokens: 'max_output_tokens',
  web_search_options: 'tools[].type',
  messages: 'input',
  'messages[].content': 'input[].content',
  image_url: 'input_image',
  file: 'input_file',
}

/** Responses of a vendor that has chats only. The vendor stores none; the gateway does, unless the client says `store: false`. */
export function byChat(chat: ChatDialect) {
  return {
    fallbackKind: 'chat',
    fieldNames,
    ...(chat.searchesWeb === undefined ? {} : { searchesWeb: chat.searchesWeb }),
    request(body, target) {
      const holds = supportsExtra(chat, target)
      const upstreamChat = preparedChat(chat, toChat(body, holds), target)
      const echo = { ...echoOf(body), [returnsReasoning]: holds('reasoning_content'), [discoveredToolsKey]: discoveredTools(body['input']) }
      return { ...chat.request({ ...upstreamChat, model: target.model }, target), chat: upstreamChat, echo }
    },
    failure: chat.failure,
    retryWithout(body, failure, model) {
      return (chat.retryWithout?.(toChat(body, holdsAll), failure, model) ?? null) === null ? null : body
    },
    response(json, context) {
      const chatResponse = chat.response(json, { ...context, isDetailed: true })
      if (chatResponse === null || 'kind' in chatResponse) return chatResponse
      const read = countedResponse(chatResponse)
      const events = createResponseEvents(context)
      events.chunk(asChunk(read.response))
      const excess = excessIn(events)
      if (excess !== null) return { ...excess, unread: { usage: chatResponse.usage, text: '' } }
      const response = events.end(chatResponse.usage).at(-1)?.['response']
      return isObject(response) ? { ...read, response: response, items: itemsOf(response) } : null
    },
    stream(context) {
      const inner = chat.stream({ ...context, isDetailed: true })
      const events = createResponseEvents(context)
      const atEnd = onceAtEnd(events.chunk)
      let last: readonly JsonObject[] = []
      return {
        event(data, name) {
          return writtenStep(inner.event(data, name), events)
        },
        end(): StreamEnd {
          const { rest, ...end } = inner.end()
          const left = atEnd(rest)
          const { count } = events
          last = end.complete ? [...left, ...events.end(reportedUsage(end))] : []
          return { ...end, count, last, items: itemsOf(last.at(-1)?.['response']) }
        },
        whole() {
          const response = last.at(-1)?.['response']
          return isObject(response) ? { ...knownUsage(inner.end()), response: response, items: itemsOf(response) } : null
        },
      }
    },
  } satisfies Dialect
}

/** A whole chat as the only chunk of its stream. */
function asChunk({ choices }: JsonObject): JsonObject {
  const [choice] = Array.isArray(choices) ? choices : []
  if (!isObject(choice)) return {}
  const { message, finish_reason: reason } = choice
  return {
    choices: [{ delta: isObject(message) ? { ...message, tool_calls: indexed(message['tool_calls']) } : {}, finish_reason: reason }],
  }
}

function indexed(calls: Json | undefined): readonly Json[] {
  return Array.isArray(calls) ? calls.map((call, index) => (isObject(call) ? { ...call, index } : call)) : []
}
