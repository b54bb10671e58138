import { Database } from 'bun:sqlite'
import { workerData } from 'node:worker_threads'

/** How often the log is copied back. Longer lets the log grow, shorter writes pages more than once. */
const checkpointEveryMs = 5_000

// Holds: `checkpointer.ts` starts this file and passes it the path.
const { path } = workerData as { readonly path: string }
const file = new Database(path, { readwrite: true })
file.run('PRAGMA busy_timeout = 1000')

setInterval(() => {
  try {
    file.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // Busy is normal and the next turn comes soon; a broken disk is found by the writer, which must not go on.
  }
}, checkpointEveryMs)
