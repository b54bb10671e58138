import { releaseBuffer } from '@sluice/http1/release-buffer'
import type { Message } from '@sluice/http1/web-socket-frames'
import type { Outgoing } from '@sluice/vendors/core/request'
import { messagesType } from '../wire/frame-readers.ts'
import type { BodySink, Outbound, UpstreamResponse } from './http1/client.ts'
import { HandshakeRefused, type OpenDeps, openWebSocket, type UpstreamSocket } from './http1/web-socket.ts'

type Messages = Pick<Outgoing, 'messages' | 'messageEveryMs'>

/** How long sending the messages takes, for which the vendor need not respond. */
export const messagesMs = ({ messages, messageEveryMs = 0 }: Messages): number => (messages?.length ?? 0) * messageEveryMs

interface MessagesRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Address of the proxy; `null`: none. */
  readonly proxy: string | null
  readonly hops: string
  /** Its messages are sent once the connection is open. */
  readonly outgoing: Messages
}

/** Close code of a client that needs no more (RFC 6455, 7.4.1). */
const normalClosure = 1000

/**
 * A request over a WebSocket: the connection is opened, messages are sent, and those that come are the body of the response. If the
 * handshake is refused, the refusal is the response.
 */
export function sendMessages(
  { outgoing: { messages = [], messageEveryMs: everyMs }, url, ...options }: MessagesRequest,
  deps: OpenDeps,
): Outbound {
  const abortController = new AbortController()
  let body: MessageBody | null = null

  async function open(): Promise<UpstreamResponse> {
    try {
      const socket = await openWebSocket({ ...options, url: url.replace(/^ws/, 'http'), signal: abortController.signal }, deps)
      body = new MessageBody(socket)
      if (everyMs === undefined) for (const text of messages) say(socket, text)
      else body.say(messages, everyMs)
      return body
    } catch (error) {
      if (error instanceof HandshakeRefused) return refusalOf(error)
      throw error
    }
  }

  return {
    response: open(),
    get isSent() {
      return body !== null
    },
    abort() {
      abortController.abort()
      body?.abort()
    },
  }
}

const say = (socket: UpstreamSocket, text: string): void => socket.pass({ isText: true, bytes: Buffer.from(text), isOwned: false })

function refusalOf({ status, body }: HandshakeRefused): UpstreamResponse {
  return {
    status,
    header: () => null,
    pipe(sink) {
      sink.data(Buffer.from(body))
      sink.end()
    },
    pause: () => {},
    resume: () => {},
    abort: () => {},
  }
}

/** The messages of a connection as the body of a response, each a piece of it. */
class MessageBody implements UpstreamResponse {
  readonly status = 200
  readonly #socket: UpstreamSocket
  #sink: BodySink | null = null
  #isOver = false
  /** Sends the next message. */
  #timer: ReturnType<typeof setInterval> | null = null

  constructor(socket: UpstreamSocket) {
    this.#socket = socket
  }

  /** Sends the messages one by one, as long as the other side listens. */
  say(messages: readonly string[], everyMs: number): void {
    const left = messages.values()
    const next = (): void => {
      const { done, value } = left.next()
      if (done === true) this.#stop()
      else say(this.#socket, value)
    }
    this.#timer = setInterval(next, everyMs)
    next()
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  header(name: string): string | null {
    return name === 'content-type' ? messagesType : null
  }

  pipe(sink: BodySink): void {
    this.#sink = sink
    this.#socket.pipe({
      message: (message) => this.#take(message),
      closed: () => this.#end(),
      pong: () => {},
      drained: () => {},
    })
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop()
    this.#socket.close(normalClosure)
    this.#sink?.fail(new Error('the connection was closed'))
  }

  /** The bytes of a message may be used again for the next one, so they are copied. */
  #take({ bytes, isOwned }: Message): void {
    const copy = new Uint8Array(bytes)
    if (isOwned) releaseBuffer(bytes)
    if (!this.#isOver) this.#sink?.data(copy)
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop()
    this.#sink?.end()
  }
}
