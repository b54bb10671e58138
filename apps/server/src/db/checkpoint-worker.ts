import { Database } from 'bun:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { CheckpointCommand } from './checkpointer.ts'
import { makeLogRoom } from './log-room.ts'

// Holds: `checkpointer.ts` starts this file and passes it these.
const { path, everyMs, pagesMax } = workerData as CheckpointCommand
// Holds: this file runs as a worker.
const main = parentPort as MessagePort
const file = new Database(path, { readwrite: true })
file.run('PRAGMA busy_timeout = 1000')

/** Share of `pagesMax` that the log reaches within one interval only under load. */
const loadShare = 1 / 4
/** Pages that are written while the last ones are copied back are appended behind them. */
const roomShare = 3 / 2

/** Runs a passive checkpoint: it waits for no reader or writer. @returns length of the log in pages */
function copyBack(): number {
  try {
    return file.query<{ log: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()?.log ?? 0
  } catch {
    // Busy is normal and the next interval comes soon; the writer finds a broken disk itself, and stops.
    return 0
  }
}

let lastPages = 0
let hasRoom = false

/** Under load, grows the log once to the length that it would reach anyway. */
function makeRoom(pages: number): void {
  if (hasRoom || pages < pagesMax * loadShare) return
  hasRoom = true
  makeLogRoom(`${path}-wal`, pagesMax * roomShare)
}

/**
 * The log restarts when a writer finds all of it copied back. Under writes without a pause that never happens, because pages were added
 * since the copying began. Then the writer has to wait, once few pages are left to copy.
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
