import { Worker } from 'node:worker_threads'
import type { Mutex, Release } from '../lib/mutex.ts'

/** Copies the write-ahead log back into the database file, on a thread and connection of its own. */
export interface Checkpointer {
  stop(): Promise<void>
}

export interface CheckpointOrder {
  readonly path: string
  readonly everyMs: number
  /** Pages of the log beyond which the writer is asked to wait, so that the log can begin anew. */
  readonly pagesMax: number
}

/** Often enough that little is left for the moment in which the writer waits. */
const everyMs = 1_000
/** 64 MB. Under full load it is reached in a few seconds. */
export const walPagesMax = 16_384
/** Longest wait of the writer; what is not copied back by then is copied another time. */
const pauseMs = 20
/** The same where short waits have not been enough, so that the log has become twice as long. */
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

  /** Nothing blocks meanwhile: who wants to write waits for the mutex as for anybody else. */
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
