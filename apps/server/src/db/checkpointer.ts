import { Worker } from 'node:worker_threads'
import type { Mutex, Release } from '../lib/mutex.ts'

/** Copies the write-ahead log back into the database file, on a thread and connection of its own. */
export interface Checkpointer {
  stop(): Promise<void>
}

export interface CheckpointOrder {
  readonly path: string
  readonly everyMs: number
  /** Pages of the log beyond which the writer is asked to wait, so that the log can restart. */
  readonly pagesMax: number
}

/** Often enough that few pages are left to copy while the writer waits. */
const everyMs = 1_000
/** 64 MB. Under full load it is reached in a few seconds. */
export const walPagesMax = 16_384
/** Longest wait of the writer; pages that are not copied back by then are copied in a later interval. */
const pauseMs = 20
/** The same after short waits were not enough and the log grew to twice `pagesMax`. */
const longPauseMs = 1_000

export function createCheckpointer({ path, pagesMax }: { readonly path: string; readonly pagesMax: number }, mutex: Mutex): Checkpointer {
  const workerData: CheckpointOrder = { path, everyMs, pagesMax }
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData })
  worker.unref()
  let release: Release | null = null
  let isStopped = false

  function goOn(): void {
    release?.()
    release = null
  }

  /** Does not block the event loop: writers wait for the mutex as for any other holder. */
  async function pause(pages: number): Promise<void> {
    release = await mutex.acquire()
    if (isStopped) return goOn()
    worker.postMessage('copy the rest')
    setTimeout(goOn, pages > 2 * pagesMax ? longPauseMs : pauseMs).unref()
  }

  worker.on('message', (said: { readonly pages: number } | 'go on') => {
    if (said === 'go on') goOn()
    else void pause(said.pages)
  })
  return {
    async stop() {
      isStopped = true
      await worker.terminate()
      goOn()
    },
  }
}
