import { Database } from 'bun:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { CheckpointOrder } from './checkpointer.ts'
import { makeLogRoom } from './log-room.ts'

// Holds: `checkpointer.ts` starts this file and passes it these.
const { path, everyMs, pagesMax } = workerData as CheckpointOrder
// Holds: this file runs as a worker.
const main = parentPort as MessagePort
const file = new Database(path, { readwrite: true })
file.run('PRAGMA busy_timeout = 1000')

/** Part of the most pages that is reached within one turn under load only. */
const loadShare = 1 / 4
/** What comes while the last pages are copied back stands behind them. */
const roomShare = 3 / 2

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
let hasRoom = false

/** Under load the log is given the length that it would come to, once. */
function makeRoom(pages: number): void {
  if (hasRoom || pages < pagesMax * loadShare) return
  hasRoom = true
  makeLogRoom(`${path}-wal`, pagesMax * roomShare)
}

/**
 * The log begins anew when a writer finds that all of it has been copied back. While somebody writes without a pause it never does:
 * something has come since the copying began. Then the writer is asked to wait, once there is little left to copy.
 */
setInterval(() => {
  copyBack()
  const pages = copyBack()
  makeRoom(pages)
  if (pages > pagesMax && pages !== lastPages) main.postMessage({ pages })
  lastPages = pages
}, everyMs)

main.on('message', () => {
  copyBack()
  main.postMessage('go on')
})
