import type { ServerResponse } from '@sluice/http1/response'
import { createSseReader, imageLineBytesMax } from '../wire/sse.ts'
import { ConvertedStream, type StreamConversion } from './converted-stream.ts'

const encoder = new TextEncoder()
/** Events of our own, whose escapes may be longer than those of the vendor's, which had a limit. */
const eventMax = 8 * imageLineBytesMax

/** The events of a stream as the items of one JSON array, for clients of Google's API that do not ask for server-sent events. */
export function asJsonArray(response: ServerResponse): ServerResponse {
  if (response instanceof Response) return response
  const { status, headers, body } = response
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return response
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: typeof body === 'function' ? (out) => body(new ConvertedStream(out, arrayConversion())) : `[${itemsIn(body).join(',\n')}]`,
  }
}

function itemsIn(body: string | Uint8Array): readonly string[] {
  const events = createSseReader(eventMax).push(typeof body === 'string' ? encoder.encode(body) : body)
  return events.flatMap(({ data }) => (isItem(data) ? data : []))
}

/** Some servers send a terminator of another protocol, which would break the array. */
const isItem = (data: string | null): data is string => data?.startsWith('{') === true

function arrayConversion(): StreamConversion {
  const reader = createSseReader(eventMax)
  let hasItems = false
  return {
    /** Heartbeats become white space, which is allowed before and between items. */
    take(bytes) {
      let items = ''
      for (const { data } of reader.push(bytes)) {
        if (!isItem(data)) continue
        items += `${hasItems ? ',\n' : '['}${data}`
        hasItems = true
      }
      return items === '' ? '\n' : items
    },
    end: () => (hasItems ? ']' : '[]'),
  }
}
