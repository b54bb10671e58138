import { Database } from 'bun:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { CheckpointOrder } from './checkpointer.ts'

// Holds: `checkpointer.ts` starts this file and passes it these.
const { path, everyMs, pagesMax } = workerData as CheckpointOrder
// Holds: this file runs as a worker.
const main = parentPort as MessagePort
const file = new Database(path, { readwrite: true })
file.run('PRAGMA busy_timeout = 1000')

/** Copies back what is there when it begins, without waiting for anybody. @returns how long the log is, in pages */
function copyBack(): number {
  try {
    return file.query<{ log: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()?.log ?? 0
  } catch {
    // Busy is normal and the next turn comes soon; a broken disk is found by the writer, which must not go on.
    return 0
  }
}

let lastPages = 0

/**
 * The log begins anew when a writer finds that all of it has been copied back. While somebody writes without a pause it never does:
 * something has come since the copying began. Then the writer is asked to wait, once there is little left to copy.
 */
setInterval(() => {
  copyBack()
  const pages = copyBack()
  if (pages > pagesMax && pages !== lastPages) main.postMessage('pause')
  lastPages = pages
}, everyMs)

main.on('message', () => {
  copyBack()
  main.postMessage('go on')
})
