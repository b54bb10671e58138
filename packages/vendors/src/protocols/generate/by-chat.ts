import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { believed, knownUsage, reportedUsage } from '../../core/no-usage.ts'
import type { Outgoing } from '../../core/request.ts'
import type { StreamEnd } from '../../core/stream.ts'
import { preparedChat } from '../compat/prepared-chat.ts'
import { countedResponse } from '../shared/media-usage.ts'
import { onceAtEnd } from '../shared/once-at-end.ts'
import { excessIn, writtenStep } from '../shared/response-parts.ts'
import { holdsAll, supportsExtra } from '../shared/supports-extra.ts'
import { createResponse } from './response.ts'
import { toChat, wantsReasoning } from './to-chat.ts'

/** Fields of a chat, as the client knows them. */
const fieldNames: Readonly<Record<string, string>> = {
  web_search_options: 'tools[].googleSearch',
  'tools[].type': 'tools[].googleSearch',
  tools: 'tools[].functionDeclarations',
  tool_choice: 'toolConfig.functionCallingConfig',
  n: 'generationConfig.candidateCount',
  stop: 'generationConfig.stopSequences',
  seed: 'generationConfig.seed',
  response_format: 'generationConfig.responseMimeType',
  reasoning_effort: 'generationConfig.thinkingConfig',
  image_url: 'contents[].parts[].inlineData',
  input_audio: 'contents[].parts[].inlineData',
  audio_url: 'contents[].parts[].fileData',
  file_url: 'contents[].parts[].fileData',
  video_url: 'contents[].parts[] (video)',
  file: 'contents[].parts[].inlineData',
  messages: 'contents',
  'messages[].content': 'contents[].parts',
  parallel_tool_calls: 'toolConfig.functionCallingConfig',
}

/** `generateContent` of a vendor that has chats in another form. */
export function generateByChat(chat: ChatDialect) {
  return {
    fallbackKind: 'chat',
    fieldNames,
    ...(chat.searchesWeb === undefined ? {} : { searchesWeb: chat.searchesWeb }),
    ...(chat.needsImageBytes === undefined ? {} : { needsImageBytes: chat.needsImageBytes }),
    request(body, target): Outgoing {
      const holds = supportsExtra(chat, target)
      const { chat: chatRequest, refused } = toChat(body, holds)
      // OpenAI's form has no such field, and some of its servers refuse fields that they do not know.
      const { top_k: tuning, ...rest } = preparedChat(chat, chatRequest, target)
      const upstreamChat: JsonObject = {
        ...rest,
        ...(holds('top_k') && tuning !== undefined ? { top_k: tuning } : {}),
        model: target.model,
        ...(target.stream ? { stream: true } : {}),
      }
      const outgoing = chat.request(upstreamChat, target)
      const field = refused ?? outgoing.refused
      return {
        ...outgoing,
        chat: upstreamChat,
        echo: { ...outgoing.echo, showsReasoning: wantsReasoning(body), returnsReasoning: holds('reasoning_content') },
        ...(field === undefined ? {} : { refused: field }),
      }
    },
    failure: chat.failure,
    retryWithout(body, failure, model) {
      return (chat.retryWithout?.(toChat(body, holdsAll).chat, failure, model) ?? null) === null ? null : body
    },
    response(json, context) {
      const chatResponse = chat.response(json, { ...context, isDetailed: true })
      if (chatResponse === null || 'kind' in chatResponse) return chatResponse
      const read = countedResponse(chatResponse)
      const response = createResponse(context)
      response.chunk(asChunk(read.response))
      const excess = excessIn(response)
      if (excess !== null) return { ...excess, unread: { usage: chatResponse.usage, text: '' } }
      return { ...read, response: response.whole(believed(chatResponse.usage)) }
    },
    stream(context) {
      const inner = chat.stream({ ...context, isDetailed: true })
      const response = createResponse(context)
      const atEnd = onceAtEnd(response.chunk)
      return {
        event(data, name) {
          return writtenStep(inner.event(data, name), response)
        },
        end(): StreamEnd {
          const { rest, ...end } = inner.end()
          const left = atEnd(rest)
          const { count } = response
          return { ...end, count, last: end.complete ? [...left, ...response.end(believed(reportedUsage(end)))] : [] }
        },
        whole() {
          const end = inner.end()
          return { ...knownUsage(end), response: response.whole(believed(reportedUsage(end))) }
        },
      }
    },
  } satisfies Dialect
}

/** A whole chat as the only chunk of its stream. */
function asChunk({ choices }: JsonObject): JsonObject {
  const list = Array.isArray(choices) ? choices.filter(isObject) : []
  return {
    choices: list.map(({ index, message, finish_reason }) => ({
      index,
      delta: isObject(message) ? { ...message, tool_calls: indexed(message['tool_calls']) } : {},
      finish_reason,
    })),
  }
}

function indexed(calls: Json | undefined): readonly Json[] {
  return Array.isArray(calls) ? calls.map((call, index) => (isObject(call) ? { ...call, index } : call)) : []
}
