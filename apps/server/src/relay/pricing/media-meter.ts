import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { ByteSource } from '../model/form.ts'
import type { DocumentFacts } from './document-facts.ts'

/** Measures files for the price of a request. Each function resolves to `null` if reading failed or took too long, and never rejects. */
export interface MediaMeter {
  /** Milliseconds of an audio file, from its headers and frames or its size. */
  audioMs(audio: ByteSource): Promise<number | null>
  /** What a document or a video says of its length. @param base64 its bytes, as characters */
  documentFacts(base64: ByteSource): Promise<DocumentFacts | null>
}

/** The messages to the thread: a file, and bytes of it. */
export type MediaQuestion =
  | { readonly kind: 'audio' | 'document'; readonly byteLength: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** The messages from the thread: the bytes that it needs next, and at last what it read. */
export type MediaResponse =
  | { readonly kind: 'read'; readonly start: number; readonly end: number }
  | { readonly kind: 'duration'; readonly durationMs: number }
  | { readonly kind: 'facts'; readonly facts: DocumentFacts }

/** The last response for a file. */
type MediaResult = Exclude<MediaResponse, { readonly kind: 'read' }>

/** Maximum time for a file, including the start of the thread. An upload of 64 MB takes a tenth of it. */
const fileMs = 5_000
/** Maximum time that a file waits for others before it; then it is not read. */
const waitMs = 15_000
/** Files that wait. Further ones are not read. */
const waitingMax = 256

interface Closable {
  /** Ends the thread. A later file starts another. */
  close(): void
}

interface MediaMeterDeps {
  readonly log: Pick<Logger, 'warn'>
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly startThread?: () => Worker
}

interface MediaFile {
  readonly kind: 'audio' | 'document'
  readonly source: ByteSource
}

/** The file that the thread reads. */
interface Measurement extends MediaFile {
  /** `null`: it could not be read. */
  readonly resolve: (result: MediaResult | null) => void
  readonly deadline: Deadline
}

const startMediaThread = (): Worker => new Worker(new URL('./media-worker.ts', import.meta.url))

/**
 * Reads files on a worker thread, one at a time, because hostile headers keep a parser busy for seconds. The thread gets only the bytes that it
 * asks for, some at a time, so that no more than one file is in its memory; of audio it keeps no copy. If it fails, exits or is
 * stuck, the file has no length, and the next one starts another thread.
 */
export function createMediaMeter({ log, clock, deadlines, startThread = startMediaThread }: MediaMeterDeps): MediaMeter & Closable {
  const turns = createMutex()
  let worker: Worker | null = null
  let current: Measurement | null = null
  let waiting = 0

  function finish(result: MediaResult | null): void {
    if (current === null) return
    const { deadline, resolve } = current
    deadlines.cancel(deadline)
    current = null
    resolve(result)
  }

  function stop(): void {
    const stopped = worker
    worker = null
    void stopped?.terminate()
    finish(null)
  }

  function fail(of: Worker, err: unknown): void {
    // A thread that we stopped emits `exit`, too.
    if (worker !== of) return
    log.warn({ err }, 'media not readable, length estimated')
    stop()
  }

  async function sendBytes(thread: Worker, { source }: Measurement, { start, end }: { readonly start: number; readonly end: number }) {
    try {
      // A copy, because its memory moves to the thread.
      const bytes = new Uint8Array(await source.read(start, end))
      if (worker === thread) thread.postMessage({ kind: 'bytes', bytes } satisfies MediaQuestion, [bytes.buffer])
    } catch (err) {
      fail(thread, err)
    }
  }

  function take(thread: Worker, response: MediaResponse): void {
    if (worker !== thread || current === null) return
    if (response.kind === 'read') void sendBytes(thread, current, response)
    else finish(response)
  }

  function start(): Worker {
    const started = startThread()
    started.unref()
    started.on('message', (response: MediaResponse) => take(started, response))
    started.on('error', (err) => fail(started, err))
    started.on('messageerror', (err) => fail(started, err))
    started.on('exit', (code) => fail(started, new Error(`the thread ended with code ${code}`)))
    return started
  }

  function readOnThread({ kind, source }: MediaFile): Promise<MediaResult | null> {
    worker ??= start()
    const thread = worker
    const deadline = deadlines.start(fileMs, () => fail(thread, new Error('the thread timed out')))
    return new Promise((resolve) => {
      current = { kind, source, resolve, deadline }
      thread.postMessage({ kind, byteLength: source.byteLength } satisfies MediaQuestion)
    })
  }

  async function readInTurn(file: MediaFile): Promise<MediaResult | null> {
    if (waiting >= waitingMax) return null
    const untilMs = clock.monotonicMs() + waitMs
    waiting += 1
    const release = await turns.acquire()
    waiting -= 1
    try {
      return clock.monotonicMs() > untilMs ? null : await readOnThread(file)
    } finally {
      release()
    }
  }

  return {
    async audioMs(source) {
      const result = await readInTurn({ kind: 'audio', source })
      return result?.kind === 'duration' ? result.durationMs : null
    },
    async documentFacts(source) {
      const result = await readInTurn({ kind: 'document', source })
      return result?.kind === 'facts' ? result.facts : null
    },
    close: stop,
  }
}
