import type { Deadlines } from '../lib/deadlines.ts'
import type { StreamSource } from './answer.ts'
import { createSseReader } from './sse.ts'

interface OpenStreamOptions {
  readonly body: ReadableStream<Uint8Array>
  readonly deadlines: Deadlines
  /** Longest wait for the next bytes. */
  readonly idleMs: number
  /** Stops the upstream request. */
  readonly abort: () => void
}

/** Reads an upstream stream event by event. Nothing is read ahead of what the client takes. */
export function openStream({ body, deadlines, idleMs, abort }: OpenStreamOptions): StreamSource {
  const reader = body.getReader()
  const sse = createSseReader()

  async function read() {
    const deadline = deadlines.start(idleMs, abort)
    try {
      return await reader.read()
    } finally {
      deadlines.cancel(deadline)
    }
  }

  return {
    async next() {
      for (;;) {
        const { done, value } = await read()
        if (done) return null
        const events = sse.push(value)
        if (events.length > 0) return events
      }
    },
    abort,
  }
}
