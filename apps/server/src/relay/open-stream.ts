import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { StreamSource } from './answer.ts'
import { createSseReader, type SseEvent } from './sse.ts'

interface OpenStreamOptions {
  readonly body: ReadableStream<Uint8Array>
  readonly deadlines: Deadlines
  readonly clock: Clock
  /** Longest wait for the next bytes. */
  readonly idleMs: number
  /** Stops the upstream request because it was silent for too long. */
  readonly onIdle: () => void
  /** Stops the upstream request because nobody wants the rest. */
  readonly onAbort: () => void
}

type Events = readonly SseEvent[]

const noEvents: Events = []

/** Reads an upstream stream event by event. Nothing is read ahead of what the client takes. */
export function openStream({ body, deadlines, clock, idleMs, onIdle, onAbort }: OpenStreamOptions): StreamSource {
  const reader = body.getReader()
  const sse = createSseReader()
  // One wait for the whole stream, moved at each read: starting one for each would cost more than the read.
  const idle = deadlines.start(idleMs, onIdle)
  let isReading = false
  let resolveNext: ((events: Events | null) => void) | null = null
  let rejectNext: ((error: unknown) => void) | null = null
  /** What a read brought while nobody waited, because a beat had let the reader go. */
  let kept: Events | null | undefined

  function give(events: Events | null): void {
    if (resolveNext === null) kept = events
    else resolveNext(events)
    resolveNext = null
  }

  function onRead({ value }: { readonly value?: Uint8Array | undefined }): void {
    isReading = false
    idle.at = Number.POSITIVE_INFINITY
    const events = value === undefined ? null : sse.push(value)
    if (events === null || events.length > 0) give(events)
    else read()
  }

  function read(): void {
    isReading = true
    idle.at = clock.monotonicMs() + idleMs
    reader.read().then(onRead).catch(onError)
  }

  function onError(error: unknown): void {
    isReading = false
    rejectNext?.(error)
    resolveNext = null
  }

  return {
    next() {
      if (kept !== undefined) {
        const events = kept
        kept = undefined
        return Promise.resolve(events)
      }
      return new Promise((resolve, reject) => {
        resolveNext = resolve
        rejectNext = reject
        if (!isReading) read()
      })
    },
    beat() {
      resolveNext?.(noEvents)
      resolveNext = null
    },
    close: () => deadlines.cancel(idle),
    abort() {
      deadlines.cancel(idle)
      onAbort()
    },
  }
}
