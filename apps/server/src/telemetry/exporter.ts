import type { Logger } from 'pino'
import { type Attributes, type Span, toOtlp } from './otlp.ts'

/** Sends spans in batches, in the background. Spans that cannot be sent in time are dropped and counted. */
export interface Exporter {
  add(span: Span): void
  readonly delivered: number
  readonly dropped: number
  /** Sends queued spans for at most `lastMs`, and stops. */
  stop(): Promise<void>
}

interface ExporterDeps {
  /** Posts a body and returns the status of the response. Rejects if none came in time. */
  readonly post: (body: string) => Promise<number>
  readonly log: Logger
  readonly resource: Attributes
  readonly version: string
}

/** Queued spans: about 8 MB. */
const waitingMax = 4_096
/** Encoding a batch blocks the event loop for about 2 ms. */
const batchMax = 256
const everyMs = 5_000
/** Attempts to send a batch before it is dropped. */
const triesMax = 5
/** How long a shutdown may wait for the collector. */
const lastMs = 2_000

/** Statuses after which the batch is sent again (OTLP/HTTP, retryable response codes, read 2026-11-21). */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createExporter({ post, log, resource, version }: ExporterDeps): Exporter {
  let waiting: Span[] = []
  let tries = 0
  let exported = 0
  let dropped = 0
  let sending: Promise<void> | null = null
  const timer = setInterval(flush, everyMs)
  timer.unref()

  function flush(): void {
    if (sending !== null || waiting.length === 0) return
    sending = sendAll().finally(() => {
      sending = null
    })
  }

  /** Sends until the queue is empty or the collector refuses. */
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax)
      const result = await sendBatch(batch)
      if (result === 'later') return
      waiting = waiting.slice(batch.length)
      tries = 0
      if (result === 'taken') exported += batch.length
      else dropped += batch.length
    }
  }

  async function sendBatch(batch: readonly Span[]): Promise<'taken' | 'refused' | 'later'> {
    const status = await post(toOtlp(batch, resource, version)).catch(() => 0)
    if (status >= 200 && status < 300) return 'taken'
    // Without the URL, which may contain a secret.
    log.warn({ status, err: new Error(`status ${status}`) }, 'trace collector rejected spans')
    tries += 1
    return (status === 0 || retried.has(status)) && tries < triesMax ? 'later' : 'refused'
  }

  return {
    add(span) {
      if (waiting.length >= waitingMax) {
        dropped += 1
        return
      }
      waiting.push(span)
      if (waiting.length === batchMax) setImmediate(flush)
    },
    get delivered() {
      return exported
    },
    get dropped() {
      return dropped
    },
    async stop() {
      clearInterval(timer)
      const { promise, resolve } = Promise.withResolvers<void>()
      const over = setTimeout(resolve, lastMs)
      const last = (sending ?? Promise.resolve()).then(() => {
        flush()
        return sending
      })
      await Promise.race([last, promise])
      clearTimeout(over)
    },
  }
}
