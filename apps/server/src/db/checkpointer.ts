import { Worker } from 'node:worker_threads'

/** Copies the write-ahead log back into the database file, on a thread and connection of its own. */
export interface Checkpointer {
  stop(): Promise<void>
}

export function createCheckpointer(path: string): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: { path } })
  worker.unref()
  return {
    async stop() {
      await worker.terminate()
    },
  }
}
