import type { Reply, ReplyStream } from '@sluice/http1/reply'
import { createSseReader, pictureLineBytesMax } from '../wire/sse.ts'

const encoder = new TextEncoder()
const space = encoder.encode('\n')
/** Events of our own, whose escapes may be longer than those of the vendor's, which had a limit. */
const eventMax = 8 * pictureLineBytesMax

/** The events of a stream as the items of one JSON array, for clients of Google's API that do not ask for server-sent events. */
export function asJsonArray(reply: Reply): Reply {
  if (reply instanceof Response) return reply
  const { status, headers, body } = reply
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return reply
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: typeof body === 'function' ? (out) => body(new ArrayStream(out)) : `[${itemsIn(body).join(',\n')}]`,
  }
}

function itemsIn(body: string | Uint8Array): readonly string[] {
  const events = createSseReader(eventMax).push(typeof body === 'string' ? encoder.encode(body) : body)
  return events.flatMap(({ data }) => (isItem(data) ? data : []))
}

/** Some servers send a terminator of another protocol, which would break the array. */
const isItem = (data: string | null): data is string => data?.startsWith('{') === true

class ArrayStream implements ReplyStream {
  readonly #out: ReplyStream
  readonly #reader = createSseReader(eventMax)
  #hasItems = false

  constructor(out: ReplyStream) {
    this.#out = out
  }

  get drained(): () => void {
    return this.#out.drained
  }

  set drained(call: () => void) {
    this.#out.drained = call
  }

  /** Heartbeats become white space, which is allowed before and between items. */
  write(bytes: Uint8Array): boolean {
    let items = ''
    for (const { data } of this.#reader.push(bytes)) {
      if (!isItem(data)) continue
      items += `${this.#hasItems ? ',\n' : '['}${data}`
      this.#hasItems = true
    }
    return this.#out.write(items === '' ? space : encoder.encode(items))
  }

  end(): void {
    this.#out.write(encoder.encode(this.#hasItems ? ']' : '[]'))
    this.#out.end()
  }

  reset(): void {
    this.#out.reset()
  }
}
