import type { Logger } from 'pino'
import { type Attributes, type Span, toOtlp } from './otlp.ts'

/** Sends spans in batches, beside everything else. What cannot be sent in time is dropped and counted. */
export interface Exporter {
  add(span: Span): void
  readonly sent: number
  readonly dropped: number
  /** Sends what waits, at most for `lastMs`, and stops. */
  stop(): Promise<void>
}

interface ExporterDeps {
  /** Posts a body and tells the status of the answer. Rejects where none came in time. */
  readonly post: (body: string) => Promise<number>
  readonly log: Logger
  readonly resource: Attributes
  readonly version: string
}

/** About 8 MB at most. */
const waitingMax = 4_096
/** A batch is encoded in about 2 ms, which nothing else has meanwhile. */
const batchMax = 256
const everyMs = 5_000
/** How often a batch is tried before it is dropped. */
const triesMax = 5
/** How long the end of the server may wait for a collector. */
const lastMs = 2_000

/** Answers after which the same batch may be taken later (OTLP/HTTP, retryable response codes, read 2026-11-21). */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createExporter({ post, log, resource, version }: ExporterDeps): Exporter {
  let waiting: Span[] = []
  let tries = 0
  let sent = 0
  let dropped = 0
  let sending: Promise<void> | null = null
  let isFailing = false
  const timer = setInterval(flush, everyMs)
  timer.unref()

  function flush(): void {
    if (sending !== null || waiting.length === 0) return
    sending = sendAll().finally(() => {
      sending = null
    })
  }

  /** Goes on until nothing waits, or until the collector takes no more for now. */
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax)
      const result = await sendBatch(batch)
      if (result === 'later') return
      waiting = waiting.slice(batch.length)
      tries = 0
      if (result === 'taken') sent += batch.length
      else dropped += batch.length
    }
  }

  async function sendBatch(batch: readonly Span[]): Promise<'taken' | 'refused' | 'later'> {
    const status = await post(toOtlp(batch, resource, version)).catch(() => 0)
    if (status >= 200 && status < 300) {
      isFailing = false
      return 'taken'
    }
    // Said once for as long as it lasts, without the address, which may hold a secret.
    if (!isFailing) log.warn({ status }, 'the collector of traces does not take them')
    isFailing = true
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
    get sent() {
      return sent
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
