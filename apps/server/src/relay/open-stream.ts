import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { StreamSource } from './answer.ts'
import type { UpstreamResponse } from './http1/client.ts'
import type { SseEvent, SseReader } from './sse.ts'

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
export class StreamIdle extends Error {}

/** Most bytes of one stream. */
const streamBytesMax = 64 * 1024 * 1024

/** How long the connection may take to come to its end after upstream has said that it had finished; it is used again then. */
const endMs = 2_000

type Events = readonly SseEvent[]

const noEvents: Events = []

/** Bytes that may wait for a slow client; then upstream waits too. */
const keptBytesMax = 256 * 1024

/** Takes every piece for an event: for bytes that are none. */
export const pieceReader: SseReader = { push: (chunk) => [{ data: null, raw: chunk }] }

/** Reads an upstream stream event by event. */
export function openStream({ response, reader, deadlines, clock, idleMs, onIdle, onAbort }: OpenStreamOptions): StreamSource {
  // One wait for the whole stream, moved by what comes: starting one for each would cost more than reading.
  const idle = deadlines.start(idleMs, () => {
    stop(new StreamIdle())
    onIdle()
  })
  let waiting: PromiseWithResolvers<Events | null> | null = null
  /** What came while nobody waited. */
  let kept: SseEvent[] = []
  let keptBytes = 0
  let isPaused = false
  let isClosed = false
  let byteCount = 0
  let over: 'no' | 'ended' | { readonly error: unknown } = 'no'

  function give(events: Events | null): void {
    waiting?.resolve(events)
    waiting = null
  }

  function stop(error: unknown): void {
    if (over !== 'no') return
    over = { error }
    deadlines.cancel(idle)
    waiting?.reject(error)
    waiting = null
  }

  function keep(events: Events, length: number): void {
    kept.push(...events)
    keptBytes += length
    if (isPaused || keptBytes < keptBytesMax) return
    isPaused = true
    idle.at = Number.POSITIVE_INFINITY
    response.pause()
  }

  function takeKept(): Events {
    const events = kept
    kept = []
    keptBytes = 0
    if (isPaused) {
      isPaused = false
      idle.at = clock.monotonicMs() + idleMs
      response.resume()
    }
    return events
  }

  function read(bytes: Uint8Array): void {
    byteCount += bytes.length
    if (byteCount > streamBytesMax) throw new AnswerTooLong()
    const events = reader.push(bytes)
    if (events.length === 0) return
    if (waiting === null) keep(events, bytes.length)
    else give(events)
  }

  response.pipe({
    data(bytes) {
      if (isClosed) return
      if (!isPaused) idle.at = clock.monotonicMs() + idleMs
      try {
        read(bytes)
      } catch (error) {
        stop(error)
        onAbort()
      }
    },
    end() {
      over = 'ended'
      deadlines.cancel(idle)
      give(null)
    },
    fail: stop,
  })

  return {
    next() {
      if (kept.length > 0) return Promise.resolve(takeKept())
      if (over === 'ended') return Promise.resolve(null)
      if (over !== 'no') return Promise.reject(over.error)
      waiting = Promise.withResolvers()
      return waiting.promise
    },
    beat: () => give(noEvents),
    close() {
      if (over !== 'no') return
      isClosed = true
      takeKept()
      idle.at = clock.monotonicMs() + endMs
    },
    abort() {
      deadlines.cancel(idle)
      onAbort()
    },
  }
}
