import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { knownUsage, reportedUsage } from '../../core/no-usage.ts'
import type { StreamEnd } from '../../core/stream.ts'
import { preparedChat } from '../compat/prepared-chat.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { countedResponse } from '../shared/media-usage.ts'
import { onceAtEnd } from '../shared/once-at-end.ts'
import { withSupportedImages } from '../shared/output-images.ts'
import { excessIn, writtenStep } from '../shared/response-parts.ts'
import { holdsAll, supportsExtra } from '../shared/supports-extra.ts'
import { asksToHide, asksToShow, hidesReasoning, showsReasoning } from './hidden-reasoning.ts'
import { createMessageEvents } from './message-events.ts'
import { toChat } from './to-chat.ts'

/** Fields of a chat, as the client knows them. */
const fieldNames: Readonly<Record<string, string>> = {
  web_search_options: 'tools[].type',
  'tools[].filters.allowed_domains': 'tools[].allowed_domains',
  stop: 'stop_sequences',
  response_format: 'output_config.format',
  reasoning_effort: 'thinking',
  image_url: 'messages[].content[].image',
  file: 'messages[].content[].document',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  max_completion_tokens: 'max_tokens',
  user: 'metadata.user_id',
}

/** Anthropic's messages of a vendor that speaks another protocol: the request becomes a chat, and its response a message. */
export function messagesByChat(chat: ChatDialect) {
  return {
    fallbackKind: 'chat',
    fieldNames,
    ...(chat.searchesWeb === undefined ? {} : { searchesWeb: chat.searchesWeb }),
    ...(chat.needsImageBytes === undefined ? {} : { needsImageBytes: chat.needsImageBytes }),
    request(body, target) {
      const holds = supportsExtra(chat, target)
      const upstreamChat = preparedChat(chat, withSupportedImages(toChat(body, holds), holds, target.rewrites), target)
      const outgoing = chat.request({ ...upstreamChat, model: target.model }, target)
      const reasoningBlocks = { [hidesReasoning]: asksToHide(body), [showsReasoning]: asksToShow(body) }
      return { ...outgoing, chat: upstreamChat, echo: { ...outgoing.echo, stop: upstreamChat['stop'] ?? null, ...reasoningBlocks } }
    },
    failure: chat.failure,
    retryWithout(body, failure, model) {
      const { messages } = body
      const isRefused = Array.isArray(messages) && (chat.retryWithout?.(toChat(body, holdsAll), failure, model) ?? null) !== null
      return isRefused ? body : null
    },
    response(json, context) {
      const chatResponse = chat.response(json, { ...context, isDetailed: true })
      if (chatResponse === null || 'kind' in chatResponse) return chatResponse
      const read = countedResponse(chatResponse)
      const events = createMessageEvents(context)
      events.chunk(asChunk(read.response))
      const excess = excessIn(events)
      if (excess !== null) return { ...excess, unread: { usage: chatResponse.usage, text: '' } }
      return { ...read, response: events.whole(chatResponse.usage) }
    },
    stream(context) {
      const inner = chat.stream({ ...context, isDetailed: true })
      const events = createMessageEvents(context)
      const atEnd = onceAtEnd(events.chunk)
      return {
        event(data, name) {
          return writtenStep(inner.event(data, name), events)
        },
        end(): StreamEnd {
          const { rest, ...end } = inner.end()
          const left = atEnd(rest)
          const { count } = events
          return { ...end, count, last: end.complete ? [...left, ...events.end(reportedUsage(end))] : [] }
        },
        whole() {
          const end = inner.end()
          return { ...knownUsage(end), response: events.whole(reportedUsage(end)) }
        },
      }
    },
  } satisfies Dialect
}

/** A whole chat as the only chunk of its stream. */
function asChunk({ choices }: JsonObject): JsonObject {
  const [choice] = objectsIn(choices)
  const message = choice?.['message']
  if (choice === undefined || !isObject(message)) return {}
  const calls = objectsIn(message['tool_calls']).map((call, index) => ({ ...call, index }))
  return { choices: [{ ...choice, delta: { ...message, tool_calls: calls } }] }
}
