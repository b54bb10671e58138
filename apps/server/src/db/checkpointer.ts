import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Mutex, Release } from '../lib/mutex.ts'
import { walFrameBytes } from './log-room.ts'

/**
 * Copies the write-ahead log back into the database file, on a thread and connection of its own. The thread takes 5 MB, so it begins when
 * the log has some length, which a server with little to do never reaches.
 */
export interface Checkpointer {
  stop(): Promise<void>
}

export interface CheckpointCommand {
  readonly path: string
  readonly everyMs: number
  /** Pages of the log beyond which the writer has to wait, so that the log can restart. */
  readonly pagesMax: number
}

/** Often enough that few pages are left to copy while the writer waits. */
const everyMs = 1_000
/** 64 MB. Under full load it is reached in a few seconds. */
export const walPagesMax = 16_384
/** Share of `pagesMax` from which on the log is copied back. */
const begunShare = 1 / 8
/** Longest wait of the writer; pages that are not copied back by then are copied in a later interval. */
const pauseMs = 20
/** Longest wait of the writer after short ones were not enough and the log grew to twice `pagesMax`. */
const longPauseMs = 1_000

export function createCheckpointer({ path, pagesMax }: { readonly path: string; readonly pagesMax: number }, mutex: Mutex): Checkpointer {
  const workerData: CheckpointCommand = { path, everyMs, pagesMax }
  let worker: Worker | null = null
  let release: Release | null = null
  let isStopped = false

  function resume(): void {
    release?.()
    release = null
  }

  /** Does not block the event loop: writers wait for the mutex as for any other holder. */
  async function pause(pages: number): Promise<void> {
    release = await mutex.acquire()
    if (isStopped) return resume()
    worker?.postMessage('copy the rest')
    setTimeout(resume, pages > 2 * pagesMax ? longPauseMs : pauseMs).unref()
  }

  function begin(): void {
    clearInterval(watch)
    worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData })
    worker.unref()
    worker.on('message', (message: { readonly pages: number } | 'go on') => {
      if (message === 'go on') resume()
      else void pause(message.pages)
    })
  }

  async function beginIfLong(): Promise<void> {
    const { size } = await stat(`${path}-wal`)
    if (size >= begunShare * pagesMax * walFrameBytes && worker === null && !isStopped) begin()
  }

  // A log that cannot be looked at now is looked at again, and the writer finds a broken disk itself.
  const watch = setInterval(() => void beginIfLong().catch(() => {}), everyMs)
  watch.unref()
  return {
    async stop() {
      isStopped = true
      clearInterval(watch)
      await worker?.terminate()
      resume()
    },
  }
}
