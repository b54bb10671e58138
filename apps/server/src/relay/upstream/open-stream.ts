import type { ByteBudget } from '@sluice/http1/byte-budget'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import type { ExceededTimeout } from '../model/attempt-failure.ts'
import type { SseEvent } from '../model/sse-event.ts'
import type { EventSink, StreamSource } from '../model/upstream-response.ts'
import type { SseReader } from '../wire/sse.ts'
import type { BodySink, UpstreamResponse } from './http1/client.ts'
import { PendingEvent } from './pending-event.ts'

interface OpenStreamOptions {
  readonly response: UpstreamResponse
  readonly reader: SseReader
  readonly deadlines: Deadlines
  readonly clock: Clock
  /** Memory of all responses that are kept until they are complete. */
  readonly responses: ByteBudget
  /** Longest wait for the next bytes. */
  readonly idleMs: number
  /** Aborts the upstream request after the idle timeout. */
  readonly onIdle: () => void
  /** Aborts the upstream request because the rest is not needed. */
  readonly onAbort: () => void
}

/** The response exceeds the maximum size of a stream. */
export class ResponseTooLong extends Error {}

/** No bytes came within the idle timeout. */
export class StreamIdle extends Error {
  readonly exceeded: ExceededTimeout

  constructor(ms: number) {
    super('idle timeout')
    this.exceeded = { setting: 'idle_seconds', ms }
  }
}

/** Maximum bytes of one stream. */
const streamBytesMax = 64 * 1024 * 1024

/** How long upstream may take to end the response after its terminator; a connection that ends in time is reused. */
const endMs = 2_000

type Events = readonly SseEvent[]

/** Bytes that are buffered until they are read; beyond it upstream is paused. */
const keptBytesMax = 256 * 1024

/** Treats every chunk as an event, for raw bytes. */
export const pieceReader: SseReader = { push: (chunk) => [{ data: null, raw: chunk }] }

/** Reads an upstream stream event by event. */
export function openStream(options: OpenStreamOptions): StreamSource {
  return new UpstreamStream(options)
}

class UpstreamStream implements StreamSource, BodySink {
  readonly #options: OpenStreamOptions
  /** One deadline per stream, postponed by each chunk: a new timer per chunk would cost more than reading it. */
  readonly #idle: Deadline
  readonly #pending: PendingEvent
  #sink: EventSink | null = null
  #waiting: PromiseWithResolvers<Events | null> | null = null
  /** Events that came before anybody read them. */
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
    this.#pending = new PendingEvent({
      responses: options.responses,
      hold: () => this.#hold(),
      release: () => this.#release(),
      refuse: () => this.#breakOff(new ResponseTooLong()),
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
    this.#hold()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#release()
  }

  #hold(): void {
    this.#idle.at = Number.POSITIVE_INFINITY
    this.#options.response.pause()
  }

  /** Reads again once neither the reader nor the memory of all responses has to be waited for. */
  #release(): void {
    if (this.#isPaused || this.#pending.isHeld || this.#over !== 'no') return
    this.#moveIdle(this.#options.idleMs)
    this.#options.response.resume()
  }

  close(): void {
    if (this.#over !== 'no') return
    this.#pending.end()
    this.resume()
    this.#isClosed = true
    this.#kept = []
    this.#moveIdle(endMs)
  }

  abort(): void {
    this.#pending.end()
    this.#options.deadlines.cancel(this.#idle)
    this.#options.onAbort()
  }

  data(bytes: Uint8Array): void {
    if (this.#isClosed) return
    if (!this.#isPaused && !this.#pending.isHeld) this.#moveIdle(this.#options.idleMs)
    try {
      this.#read(bytes)
    } catch (error) {
      this.#breakOff(error)
    }
  }

  #breakOff(error: unknown): void {
    this.fail(error)
    this.#options.onAbort()
  }

  end(): void {
    if (this.#over !== 'no') return
    try {
      if (!this.#isClosed) this.#pass(this.#options.reader.end?.() ?? [], 0)
    } catch (error) {
      this.fail(error)
      return
    }
    this.#over = 'ended'
    this.#pending.end()
    this.#options.deadlines.cancel(this.#idle)
    this.#give(null)
    this.#sink?.end()
  }

  fail(error: unknown): void {
    if (this.#over !== 'no') return
    this.#over = { error }
    this.#pending.end()
    this.#options.deadlines.cancel(this.#idle)
    this.#waiting?.reject(error)
    this.#waiting = null
    this.#sink?.fail(error)
  }

  #read(bytes: Uint8Array): void {
    this.#byteCount += bytes.length
    if (this.#byteCount > streamBytesMax) throw new ResponseTooLong()
    const { reader } = this.#options
    this.#pass(reader.push(bytes), bytes.length)
    this.#pending.grow(reader.pendingBytes ?? 0)
  }

  /** @param length of the bytes that the events came in */
  #pass(events: Events, length: number): void {
    if (events.length === 0) return
    if (this.#sink !== null) this.#sink.events(events)
    else if (this.#waiting !== null) this.#give(events)
    else this.#keep(events, length)
  }

  #keep(events: Events, length: number): void {
    for (const event of events) this.#kept.push(event)
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
