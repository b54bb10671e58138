import { Database as SqliteFile } from 'bun:sqlite'
import { chmodSync, chownSync, closeSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reached } from '../lib/failpoints.ts'
import { isStorageFull } from '../lib/storage-full.ts'
import { checkSqlite } from './back-up.ts'
import { bringFolderToDisk, bringToDisk } from './copy-before.ts'
import { lockStore } from './lock.ts'

/** Sizes of a database file in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
}

/** Free bytes that the disk must have beside the new file, for the log and whatever else is written meanwhile. */
const spareBytes = 16 * 1024 * 1024

/**
 * Rewrites a SQLite database that no server uses without the pages of deleted rows. The new file takes the place of the old one when it is
 * complete, checked and synced, with the same owner and mode. If the process dies half-way, the path holds either of the two.
 * @throws when a server uses the database, it is damaged, or the disk has no room for the new file; then nothing has changed
 */
export function compactSqlite(path: string, reached: Reached): Compacted {
  const unlock = lockStore(`${path}.lock`)
  const part = `${path}.compacting`
  try {
    rmSync(part, { force: true })
    const before = copyRows(path, part)
    checkSqlite(part)
    giveOwner(part, path)
    bringToDisk(part)
    reached('compacted')
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    renameSync(part, path)
    bringFolderToDisk(dirname(path))
    return { before, after: statSync(path).size }
  } catch (cause) {
    throw isStorageFull(cause) ? new Error(`the disk of ${dirname(path)} is full`, { cause }) : cause
  } finally {
    rmSync(part, { force: true })
    unlock()
  }
}

/** Copies the log back into the file, and the rows of the file into a new one. @returns the size of the file */
function copyRows(path: string, part: string): number {
  const file = new SqliteFile(path, { readwrite: true, create: false })
  try {
    file.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const { size } = statSync(path)
    assertRoom(path, neededBytes(file))
    // Created first, readable by this account only; SQLite treats an empty file as a missing one.
    closeSync(openSync(part, 'wx', 0o600))
    file.prepare('VACUUM INTO ?').run(part)
    return size
  } finally {
    file.close()
  }
}

/** The size of the new file: the pages that hold something. */
function neededBytes(file: SqliteFile): number {
  const read = (name: string): number => Number(Object.values(file.query<Record<string, number>, []>(`PRAGMA ${name}`).get() ?? {})[0])
  return (read('page_count') - read('freelist_count')) * read('page_size')
}

function assertRoom(path: string, bytes: number): void {
  const folder = dirname(path)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const needed = bytes + spareBytes
  if (free < needed)
    throw new Error(`the new file needs ${megabytes(needed)} of free disk space in ${folder}, and only ${megabytes(free)} are free`)
}

/** As people read it. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Another user than that of the server may run the command, such as root. */
function giveOwner(part: string, path: string): void {
  const { uid, gid, mode } = statSync(path)
  chmodSync(part, mode & 0o777)
  const own = statSync(part)
  if (own.uid !== uid || own.gid !== gid) chownSync(part, uid, gid)
}
