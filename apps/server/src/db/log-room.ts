import { closeSync, fdatasyncSync, fstatSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A page and its frame header: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
export const walFrameBytes = 4096 + 24
/** Written in pieces: a commit waits for one piece at most. */
const pieceBytes = 256 * 1024

/**
 * File systems on which an append goes to the end that the file has at that moment, also while another process or thread writes into it:
 * ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS and bcachefs. Those of a network, of a virtual machine's host (9p, virtiofs) and in
 * user space (FUSE) do not promise it. https://man7.org/linux/man-pages/man2/statfs.2.html
 */
const appendSafeTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
])

/** Whether appends to a file of a file system overwrite nothing. @param type as `statfs` says it, which may be negative */
export function isAppendSafe(type: number): boolean {
  return appendSafeTypes.has(type >>> 0)
}

/**
 * Appends zeros to a log that is in use, so that it need not grow: while a file grows, each sync of it waits for the file system's own
 * journal, and so do commits in that time. Each append goes to the end that the file has at that moment, so it overwrites nothing, and
 * SQLite reads zeros as the end of the log. Where the file system does not promise that, or the disk has no room, the log grows as needed.
 */
export function makeLogRoom(path: string, pages: number): void {
  const bytes = pages * walFrameBytes
  try {
    // Twice the size, so that these zeros do not fill the disk.
    const { bavail, bsize, type } = statfsSync(dirname(path))
    if (isAppendSafe(type) && bavail * bsize > 2 * bytes) append(path, bytes)
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
