import { ByteQueue } from './byte-queue.ts'
import type { FieldReader } from './fields.ts'
import { HangUp, type Signal } from './hang-up.ts'
import { heldBy } from './read-gate.ts'
import type { RequestHead } from './request-head.ts'

/** The body of a request, read by one reader. Rejects where it broke off. */
export interface ReceivedBody {
  /** The next bytes; `null`: it is over. */
  read(): Promise<Uint8Array | null>
  /** All of it. */
  bytes(): Promise<Uint8Array>
  /** All of it where it has come and lies in one piece, which is the usual case; `null`: wait for `bytes`. */
  taken(): Uint8Array | null
  /** Nobody wants the rest. Whoever waits for it gets the end. */
  cancel(): void
}

/** A request as the server received it. */
export interface Received {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: FieldReader
  /** Says that the client has gone before its answer was complete. */
  readonly signal: Signal
  /** `null`: it has none. */
  readonly body: ReceivedBody | null
}

/** The connection that a request came by, as far as it matters to the request's body. */
export interface BodySource {
  /** Somebody waits for the body: whoever waits to be asked for it is asked. */
  wanted(): void
  /** Reads nothing more for that reason, until it is released. */
  hold(reason: number): void
  release(reason: number): void
}

/** Bytes that wait for a reader; beyond it the client waits. One read of the socket may bring more. */
const keptBytesMax = 64 * 1024

export class ReceivedRequest implements Received, ReceivedBody {
  readonly method: string
  readonly url: string
  readonly headers: FieldReader
  readonly signal = new HangUp()
  readonly #source: BodySource
  readonly #hasBody: boolean
  readonly #kept = new ByteQueue()
  /** Somebody waits for all of it, however much that is. */
  #isWanted = false
  #isComplete = false
  #isCancelled = false
  #error: unknown = null
  /** Somebody waits for bytes, or for all of them. */
  #waiting: (() => void) | null = null

  constructor({ method, target, fields, framing }: RequestHead, source: BodySource) {
    this.method = method
    this.url = target
    this.headers = fields
    this.#source = source
    this.#hasBody = framing !== 0
    this.#isComplete = !this.#hasBody
  }

  get body(): ReceivedBody | null {
    return this.#hasBody ? this : null
  }

  async read(): Promise<Uint8Array | null> {
    while (this.#kept.byteLength === 0 && !this.#isOver()) await this.#more()
    const next = this.#kept.shift()
    if (next === null) return this.#end()
    if (!this.#isComplete && this.#kept.byteLength < keptBytesMax) this.#source.release(heldBy.reader)
    return next
  }

  async bytes(): Promise<Uint8Array> {
    this.#isWanted = true
    this.#source.release(heldBy.reader)
    while (!this.#isOver()) await this.#more()
    this.#end()
    return this.#kept.takeAll()
  }

  taken(): Uint8Array | null {
    const all = this.#kept.first()
    if (!this.#isComplete || all === null || all.length !== this.#kept.byteLength) return null
    this.#kept.clear()
    return all
  }

  cancel(): void {
    if (this.#isComplete) return
    this.#isCancelled = true
    this.#kept.clear()
    this.#source.release(heldBy.reader)
    this.#wake()
  }

  /** Bytes of the body came. */
  take(bytes: Buffer): void {
    if (this.#isCancelled) return
    this.#kept.push(bytes)
    if (this.#isWanted) return
    if (this.#waiting !== null) this.#wake()
    else if (this.#kept.byteLength >= keptBytesMax) this.#source.hold(heldBy.reader)
  }

  /** All of the body came. */
  complete(): void {
    this.#isComplete = true
    this.#wake()
  }

  /** The connection is closed. */
  lost(error: unknown): void {
    if (!this.#isComplete) this.#error = error
    this.#wake()
    this.signal.tell()
  }

  /** Nobody wants the rest. */
  get isCancelled(): boolean {
    return this.#isCancelled
  }

  #isOver(): boolean {
    return this.#isComplete || this.#isCancelled || this.#error !== null
  }

  /** @throws why it broke off */
  #end(): null {
    if (this.#error !== null && !this.#isCancelled) throw this.#error
    return null
  }

  #more(): Promise<void> {
    this.#source.wanted()
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  #wake(): void {
    this.#waiting?.()
    this.#waiting = null
  }
}
