import type { ServerResponse } from '@sluice/http1/response'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import { createChatChunks, toChatResponse } from '@sluice/vendors/protocols/responses/to-chunks'
import { createSseReader, imageLineBytesMax } from '../wire/sse.ts'
import { ConvertedStream, type StreamConversion } from './converted-stream.ts'

const decoder = new TextDecoder()

/** A response, whole or as a stream, in the form of a chat. Errors have the same form in both. */
export function asChat(clientResponse: ServerResponse, wantsUsage: boolean): ServerResponse {
  if (clientResponse instanceof Response || clientResponse.status !== 200) return clientResponse
  const { body } = clientResponse
  if (typeof body === 'function') return { ...clientResponse, body: (out) => body(new ConvertedStream(out, chatConversion(wantsUsage))) }
  const text = typeof body === 'string' ? body : decoder.decode(body)
  const response = parseJson(text)
  const chat = isObject(response) ? toChatResponse(response) : null
  return chat === null ? clientResponse : { ...clientResponse, body: JSON.stringify(chat) }
}

function chatConversion(wantsUsage: boolean): StreamConversion {
  const reader = createSseReader(imageLineBytesMax)
  const chunks = createChatChunks(wantsUsage)
  return {
    take(bytes) {
      let text = ''
      for (const { data } of reader.push(bytes)) {
        if (data === null) text += beat
        else for (const chunk of chunks.event(data)) text += `data: ${JSON.stringify(chunk)}\n\n`
      }
      return text
    },
    end: () => (chunks.isComplete ? 'data: [DONE]\n\n' : ''),
  }
}

const beat = ': keep-alive\n\n'
