import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { ByteSource } from '../model/form.ts'

/** Measures audio files for the price of a request. */
export interface AudioMeter {
  /** Milliseconds of a file, from its headers or its size; `null`: reading it failed or took too long. Never rejects. */
  measure(audio: ByteSource): Promise<number | null>
  /** Ends the thread. A later file starts another. */
  close(): void
}

/** The messages to the thread: a file, and bytes of it. */
export type AudioQuestion = { readonly kind: 'file'; readonly byteLength: number } | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** The messages from the thread: the bytes that it needs next, and at last the length. */
export type AudioAnswer =
  | { readonly kind: 'read'; readonly start: number; readonly end: number }
  | { readonly kind: 'duration'; readonly durationMs: number }

/** Maximum time for a file, including the start of the thread. An upload of 64 MB takes a tenth of it. */
const fileMs = 5_000
/** Maximum time that a file waits for others before it; then it is not read. */
const waitMs = 15_000
/** Files that wait. Further ones are not read. */
const waitingMax = 256

interface AudioMeterDeps {
  readonly log: Pick<Logger, 'warn'>
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly startThread?: () => Worker
}

/** The file that the thread reads. */
interface Measurement {
  readonly audio: ByteSource
  /** `null`: its length could not be read. */
  readonly resolve: (durationMs: number | null) => void
  readonly deadline: Deadline
}

const startAudioThread = (): Worker => new Worker(new URL('./audio-worker.ts', import.meta.url))

/**
 * Reads files on a worker thread, one at a time, because hostile headers keep a parser busy for seconds. The thread gets only the bytes that it
 * asks for, some ten thousand at a time, so that neither a copy of the file nor more than one file is in its memory. If it fails, exits or is
 * stuck, the file has no length, and the next one starts another thread.
 */
export function createAudioMeter({ log, clock, deadlines, startThread = startAudioThread }: AudioMeterDeps): AudioMeter {
  const turns = createMutex()
  let worker: Worker | null = null
  let current: Measurement | null = null
  let waiting = 0

  function finish(durationMs: number | null): void {
    if (current === null) return
    const { deadline, resolve } = current
    deadlines.cancel(deadline)
    current = null
    resolve(durationMs)
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
    log.warn({ err }, 'audio headers not read, duration estimated')
    stop()
  }

  async function sendBytes(thread: Worker, { audio }: Measurement, { start, end }: { readonly start: number; readonly end: number }) {
    try {
      // A copy, because its memory moves to the thread.
      const bytes = new Uint8Array(await audio.read(start, end))
      if (worker === thread) thread.postMessage({ kind: 'bytes', bytes } satisfies AudioQuestion, [bytes.buffer])
    } catch (err) {
      fail(thread, err)
    }
  }

  function take(thread: Worker, answer: AudioAnswer): void {
    if (worker !== thread || current === null) return
    if (answer.kind === 'duration') finish(answer.durationMs)
    else void sendBytes(thread, current, answer)
  }

  function start(): Worker {
    const started = startThread()
    started.unref()
    started.on('message', (answer: AudioAnswer) => take(started, answer))
    started.on('error', (err) => fail(started, err))
    started.on('messageerror', (err) => fail(started, err))
    started.on('exit', (code) => fail(started, new Error(`the thread ended with code ${code}`)))
    return started
  }

  function readOnThread(audio: ByteSource): Promise<number | null> {
    worker ??= start()
    const thread = worker
    const deadline = deadlines.start(fileMs, () => fail(thread, new Error('the thread did not answer in time')))
    return new Promise((resolve) => {
      current = { audio, resolve, deadline }
      thread.postMessage({ kind: 'file', byteLength: audio.byteLength } satisfies AudioQuestion)
    })
  }

  async function readInTurn(audio: ByteSource): Promise<number | null> {
    const untilMs = clock.monotonicMs() + waitMs
    waiting += 1
    const release = await turns.acquire()
    waiting -= 1
    try {
      return clock.monotonicMs() > untilMs ? null : await readOnThread(audio)
    } finally {
      release()
    }
  }

  return {
    measure: async (audio) => (waiting >= waitingMax ? null : await readInTurn(audio)),
    close: stop,
  }
}
