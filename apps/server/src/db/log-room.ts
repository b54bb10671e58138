import { closeSync, fdatasyncSync, fstatSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A page and its frame header: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
export const walFrameBytes = 4096 + 24
/** Written in pieces: a commit waits for one piece at most. */
const pieceBytes = 256 * 1024

/**
 * Appends zeros to a log that is in use, so that it need not grow: while a file grows, each sync of it waits for the file system's own
 * journal, and so do commits in that time. Each append goes to the end that the file has at that moment, so it overwrites nothing, and
 * SQLite reads zeros as the end of the log. When the disk has no room, the log grows as needed.
 */
export function makeLogRoom(path: string, pages: number): void {
  const bytes = pages * walFrameBytes
  try {
    // Twice the size, so that these zeros do not fill the disk.
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize > 2 * bytes) append(path, bytes)
  } catch {
    // The writer finds a full or broken disk itself.
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
