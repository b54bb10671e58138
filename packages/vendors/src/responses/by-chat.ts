import type { ChatDialect, Dialect, MadeItem, StreamEnd } from '../dialect.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { createResponseEvents } from './response-events.ts'
import { echoOf } from './response-object.ts'
import { toChat } from './to-chat.ts'

/** Responses of a vendor that has chats only. The vendor stores none; the gateway does, unless the client says `store: false`. */
export function byChat(chat: ChatDialect) {
  return {
    fallbackKind: 'chat',
    ...(chat.searchesWeb === undefined ? {} : { searchesWeb: chat.searchesWeb }),
    request(body, target) {
      return { ...chat.request({ ...toChat(body), model: target.model }, target), echo: echoOf(body) }
    },
    failure: chat.failure,
    reply(json, context) {
      const read = chat.reply(json, context)
      if (read === null || 'kind' in read) return read
      const events = createResponseEvents(context)
      events.chunk(asChunk(read.reply))
      const response = events.end(read.usage).at(-1)?.['response']
      return isObject(response) ? { reply: response, usage: read.usage, items: itemsOf(response) } : null
    },
    stream(context) {
      const inner = chat.stream(context)
      const events = createResponseEvents(context)
      let last: readonly JsonObject[] = []
      return {
        event(data, name) {
          const step = inner.event(data, name)
          return { ...step, chunks: step.chunks.flatMap(events.chunk) }
        },
        end(): StreamEnd {
          const end = inner.end()
          const { count } = events
          last = end.complete ? events.end(end.usage) : []
          return { ...end, count, last, items: itemsOf(last.at(-1)?.['response']) }
        },
        whole() {
          const response = last.at(-1)?.['response']
          return isObject(response) ? { reply: response, usage: inner.end().usage, items: itemsOf(response) } : null
        },
      }
    },
  } satisfies Dialect
}

/** The response and its items with their content, because no vendor stores them. */
function itemsOf(response: Json | undefined): readonly MadeItem[] {
  if (!isObject(response)) return []
  const { output } = response
  const made = Array.isArray(output) ? output.filter(isObject) : []
  return [...made, response].map((content) => ({ id: textOr(content['id'], ''), content }))
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
