import type { PlainResponse, ResponseStream } from '@sluice/http1/response'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'

export interface Waiting {
  /** Resolves when a channel has begun its response; rejects if none does. */
  readonly response: Promise<PlainResponse>
  /** Interval between heartbeats to the client. */
  readonly heartbeatMs: number
  readonly deadlines: Deadlines
  readonly headers: () => Readonly<Record<string, string>>
  readonly beat: Uint8Array
  /** The event that reports the error. */
  readonly errorEvent: (error: unknown) => Uint8Array
}

/**
 * The response of a stream. If no channel responds within a heartbeat interval, the client gets status 200, headers and heartbeats while
 * channels are still tried; if all fail, an event reports the error, because the status was already sent.
 */
export function responseOrHeartbeats(waiting: Waiting): Promise<PlainResponse> {
  const { response, heartbeatMs, deadlines } = waiting
  return new Promise((resolve, reject) => {
    const deadline = deadlines.start(heartbeatMs, () => resolve(earlyResponse(waiting)))
    response.finally(() => deadlines.cancel(deadline)).then(resolve, reject)
  })
}

function earlyResponse(waiting: Waiting): PlainResponse {
  return { status: 200, headers: waiting.headers(), body: (out) => new Heartbeats(waiting, out).start() }
}

const encoder = new TextEncoder()

class Heartbeats {
  readonly #waiting: Waiting
  readonly #out: ResponseStream
  #next: Deadline | null = null
  /** The client has not read the last heartbeat. */
  #isFull = false

  constructor(waiting: Waiting, out: ResponseStream) {
    this.#waiting = waiting
    this.#out = out
  }

  start(): void {
    this.#out.drained = () => {
      this.#isFull = false
    }
    this.#beat()
    this.#waiting.response.then(
      (response) => this.#handOver(response),
      (error: unknown) => this.#end(this.#waiting.errorEvent(error)),
    )
  }

  #beat(): void {
    const { beat, deadlines, heartbeatMs } = this.#waiting
    if (!this.#isFull) this.#isFull = !this.#out.write(beat)
    this.#next = deadlines.start(heartbeatMs, () => this.#beat())
  }

  #stop(): void {
    if (this.#next !== null) this.#waiting.deadlines.cancel(this.#next)
  }

  #handOver({ body }: PlainResponse): void {
    this.#stop()
    if (typeof body === 'function') body(this.#out)
    else this.#end(typeof body === 'string' ? encoder.encode(body) : body)
  }

  #end(last: Uint8Array): void {
    this.#stop()
    this.#out.write(last)
    this.#out.end()
  }
}
