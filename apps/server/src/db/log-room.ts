import { closeSync, fdatasyncSync, fstatSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A page and the head of its frame: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const frameBytes = 4096 + 24
/** Whoever commits meanwhile waits for one piece at most. */
const pieceBytes = 256 * 1024

/**
 * Writes zeros behind a log that is in use, so that it does not have to grow: while a file grows, each sync of it waits for the file
 * system's own journal, and so does every commit that comes meanwhile. The system puts what is appended behind whatever stands there by
 * then, so nothing of the log is ever overwritten, and SQLite takes zeros for the end of its log. Where there is no room, the log grows as it needs.
 */
export function makeLogRoom(path: string, pages: number): void {
  const bytes = pages * frameBytes
  try {
    // Twice, so that what fills the disk is not the room for the log.
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize > 2 * bytes) append(path, bytes)
  } catch {
    // A disk that is full or broken is found by the writer.
  }
}

function append(path: string, bytes: number): void {
  const file = openSync(path, 'a')
  try {
    const zeros = Buffer.alloc(pieceBytes)
    while (fstatSync(file).size < bytes) writeSync(file, zeros)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}
