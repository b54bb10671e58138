import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import type { EventSink, StreamSource } from '../model/answer.ts'
import type { ExceededTimeout } from '../model/attempt-failure.ts'
import type { SseEvent } from '../model/sse-event.ts'
import type { SseReader } from '../wire/sse.ts'
import type { BodySink, UpstreamResponse } from './http1/client.ts'

interface OpenStreamOptions {
  readonly response: UpstreamResponse
  readonly reader: SseReader
  readonly deadlines: Deadlines
  readonly clock: Clock
  /** Longest wait for the next bytes. */
  readonly idleMs: number
  /** Stops the upstream request because it was silent for too long. */
  readonly onIdle: () => void
  /** Stops the upstream request because nobody wants the rest. */
  readonly onAbort: () => void
}

/** An answer goes on beyond everything that somebody could want of it. */
export class AnswerTooLong extends Error {}

/** Nothing came for too long. */
export class StreamIdle extends Error {
  readonly exceeded: ExceededTimeout

  constructor(ms: number) {
    super('nothing came for too long')
    this.exceeded = { setting: 'idle_seconds', ms }
  }
}

/** Most bytes of one stream. */
const streamBytesMax = 64 * 1024 * 1024

/** How long the connection may take to come to its end after upstream has said that it had finished; it is used again then. */
const endMs = 2_000

type Events = readonly SseEvent[]

/** Bytes that may wait until somebody reads; then upstream waits too. */
const keptBytesMax = 256 * 1024

/** Takes every piece for an event: for bytes that are none. */
export const pieceReader: SseReader = { push: (chunk) => [{ data: null, raw: chunk }] }

/** Reads an upstream stream event by event. */
export function openStream(options: OpenStreamOptions): StreamSource {
  return new UpstreamStream(options)
}

class UpstreamStream implements StreamSource, BodySink {
  readonly #options: OpenStreamOptions
  /** One wait for the whole stream, moved by what comes: starting one for each would cost more than reading. */
  readonly #idle: Deadline
  #sink: EventSink | null = null
  #waiting: PromiseWithResolvers<Events | null> | null = null
  /** What came while nobody waited. */
  #kept: SseEvent[] = []
  #keptBytes = 0
  #isPaused = false
  #isClosed = false
  #byteCount = 0
  #over: 'no' | 'ended' | { readonly error: unknown } = 'no'

  constructor(options: OpenStreamOptions) {
    this.#options = options
    this.#idle = options.deadlines.start(options.idleMs, () => {
      this.fail(new StreamIdle(options.idleMs))
      options.onIdle()
    })
    options.response.pipe(this)
  }

  next(): Promise<Events | null> {
    if (this.#kept.length > 0) return Promise.resolve(this.#takeKept())
    if (this.#over === 'ended') return Promise.resolve(null)
    if (this.#over !== 'no') return Promise.reject(this.#over.error)
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  flow(sink: EventSink): void {
    this.#sink = sink
    const events = this.#takeKept()
    if (events.length > 0) sink.events(events)
    if (this.#over === 'ended') sink.end()
    else if (this.#over !== 'no') sink.fail(this.#over.error)
  }

  pause(): void {
    if (this.#isPaused || this.#isClosed) return
    this.#isPaused = true
    this.#idle.at = Number.POSITIVE_INFINITY
    this.#options.response.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#moveIdle(this.#options.idleMs)
    this.#options.response.resume()
  }

  close(): void {
    if (this.#over !== 'no') return
    this.resume()
    this.#isClosed = true
    this.#kept = []
    this.#moveIdle(endMs)
  }

  abort(): void {
    this.#options.deadlines.cancel(this.#idle)
    this.#options.onAbort()
  }

  data(bytes: Uint8Array): void {
    if (this.#isClosed) return
    if (!this.#isPaused) this.#moveIdle(this.#options.idleMs)
    try {
      this.#read(bytes)
    } catch (error) {
      this.fail(error)
      this.#options.onAbort()
    }
  }

  end(): void {
    if (this.#over !== 'no') return
    this.#over = 'ended'
    this.#options.deadlines.cancel(this.#idle)
    this.#give(null)
    this.#sink?.end()
  }

  fail(error: unknown): void {
    if (this.#over !== 'no') return
    this.#over = { error }
    this.#options.deadlines.cancel(this.#idle)
    this.#waiting?.reject(error)
    this.#waiting = null
    this.#sink?.fail(error)
  }

  #read(bytes: Uint8Array): void {
    this.#byteCount += bytes.length
    if (this.#byteCount > streamBytesMax) throw new AnswerTooLong()
    const events = this.#options.reader.push(bytes)
    if (events.length === 0) return
    if (this.#sink !== null) this.#sink.events(events)
    else if (this.#waiting !== null) this.#give(events)
    else this.#keep(events, bytes.length)
  }

  #keep(events: Events, length: number): void {
    this.#kept.push(...events)
    this.#keptBytes += length
    if (this.#keptBytes >= keptBytesMax) this.pause()
  }

  #takeKept(): Events {
    const events = this.#kept
    this.#kept = []
    this.#keptBytes = 0
    this.resume()
    return events
  }

  #give(events: Events | null): void {
    this.#waiting?.resolve(events)
    this.#waiting = null
  }

  #moveIdle(ms: number): void {
    this.#idle.at = this.#options.clock.monotonicMs() + ms
  }
}
