import { Database } from 'bun:sqlite'

declare const self: Worker

/** How often the log is copied back. Longer lets the log grow, shorter writes pages more than once. */
const checkpointEveryMs = 5_000

let file: Database | null = null

function checkpoint(): void {
  try {
    file?.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // Busy is normal and the next turn comes soon; a broken disk is found by the writer, which must not go on.
  }
}

self.onmessage = ({ data }: MessageEvent<{ path: string } | 'stop'>) => {
  if (data === 'stop') {
    file?.close()
    process.exit(0)
  }
  file = new Database(data.path, { readwrite: true })
  file.run('PRAGMA busy_timeout = 1000')
  setInterval(checkpoint, checkpointEveryMs)
}
