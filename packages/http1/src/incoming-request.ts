import { ByteQueue } from './byte-queue.ts'
import { ClientAbort, type Signal } from './client-abort.ts'
import type { FieldReader } from './fields.ts'
import { heldBy } from './read-gate.ts'
import type { RequestHead } from './request-head.ts'

/** The body of a request, for one reader. Reading rejects if the body broke off. */
export interface ReceivedBody {
  /** The next bytes; `null` = the end. */
  read(): Promise<Uint8Array | null>
  /** The whole body. */
  bytes(): Promise<Uint8Array>
  /** The whole body if it has arrived in one piece, which is the usual case; `null` = wait for `bytes`. */
  taken(): Uint8Array | null
  /** Discards the rest. A waiting reader gets the end. */
  cancel(): void
}

/** A request as the server received it. */
export interface IncomingRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: FieldReader
  /** Aborts when the client disconnects before its response is complete. */
  readonly signal: Signal
  /** `null` = no body. */
  readonly body: ReceivedBody | null
  /** Declared length of the body, in bytes; 0: there is none, or it has no declared length. */
  readonly bodyLength: number
}

/** What a request's body needs of its connection. */
export interface BodySource {
  /** Called when the body is read: sends `100 Continue` if the client waits for it. */
  onBodyRead(): void
  /** Stops reading the socket for this reason, until it is released. */
  hold(reason: number): void
  release(reason: number): void
}

/** Bytes that wait for a reader; beyond this the socket is not read. One read may exceed it. */
const keptBytesMax = 64 * 1024

export class ReceivedRequest implements IncomingRequest, ReceivedBody {
  readonly method: string
  readonly url: string
  readonly headers: FieldReader
  readonly signal = new ClientAbort()
  readonly bodyLength: number
  readonly #source: BodySource
  readonly #hasBody: boolean
  readonly #kept = new ByteQueue()
  /** Whether the reader waits for the whole body, however long it is. */
  #isWanted = false
  #isComplete = false
  #isCancelled = false
  #error: unknown = null
  /** Resumes the reader that waits for bytes. */
  #waiting: (() => void) | null = null

  constructor({ method, target, fields, framing }: RequestHead, source: BodySource) {
    this.method = method
    this.url = target
    this.headers = fields
    this.#source = source
    this.bodyLength = typeof framing === 'number' ? framing : 0
    this.#hasBody = framing !== 0
    this.#isComplete = !this.#hasBody
  }

  get body(): ReceivedBody | null {
    return this.#hasBody ? this : null
  }

  async read(): Promise<Uint8Array | null> {
    while (this.#kept.byteLength === 0 && !this.#isOver()) {
      this.#source.release(heldBy.reader)
      await this.#more()
    }
    return this.#kept.shift() ?? this.#end()
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

  /** Adds bytes of the body. */
  take(bytes: Buffer): void {
    if (this.#isCancelled) return
    this.#kept.push(bytes)
    if (this.#isWanted) return
    if (this.#kept.byteLength >= keptBytesMax) this.#source.hold(heldBy.reader)
    this.#wake()
  }

  /** The whole body has arrived. */
  complete(): void {
    this.#isComplete = true
    this.#wake()
  }

  /** The connection was closed. */
  lost(error: unknown): void {
    if (!this.#isComplete) this.#error = error
    this.#wake()
    this.signal.report()
  }

  /** Whether the rest is discarded. */
  get isCancelled(): boolean {
    return this.#isCancelled
  }

  #isOver(): boolean {
    return this.#isComplete || this.#isCancelled || this.#error !== null
  }

  /** @throws the error that broke the body off */
  #end(): null {
    if (this.#error !== null && !this.#isCancelled) throw this.#error
    return null
  }

  #more(): Promise<void> {
    this.#source.onBodyRead()
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  #wake(): void {
    this.#waiting?.()
    this.#waiting = null
  }
}
