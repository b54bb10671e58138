import type { Database as SqliteFile } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Reached } from '../lib/failpoints.ts'
import { ensurePrivateFile } from '../lib/private-file.ts'
import { isStorageFull } from '../lib/storage-full.ts'
import type { StoreEvents } from './owned-connection.ts'

interface CopyBefore {
  readonly path: string
  /** The last migration that was applied to the database. */
  readonly last: string
  readonly reached: Reached
  readonly report: StoreEvents['report']
}

/**
 * Copies a SQLite database before it is migrated, so that operators can return to the earlier version. The copy is renamed after it
 * was synced to the disk, and replaces an earlier one.
 * @throws when the disk has no room; then nothing has changed
 */
export function copyBefore(file: SqliteFile, { path, last, reached, report }: CopyBefore): void {
  const copy = `${path}.before-${last}`
  const part = `${path}.before.part`
  // Logged first, because copying a large database takes long.
  report(`database migration started; a copy of the database as it was: ${copy}`, null)
  rmSync(part, { force: true })
  try {
    // Created first, readable by this account only; SQLite treats an empty file as a missing one.
    ensurePrivateFile(part)
    reached('copying')
    file.prepare('VACUUM INTO ?').run(part)
    bringToDisk(part)
  } catch (cause) {
    rmSync(part, { force: true })
    throw isStorageFull(cause)
      ? new Error(`not enough disk space for a copy of ${path}, which is made before its tables change`, { cause })
      : cause
  }
  reached('copied')
  renameSync(part, copy)
  bringFolderToDisk(dirname(path))
  reached('copy-kept')
  removeEarlier(path, copy)
}

/** Syncs a folder, so that renames in it survive a power failure. */
export function bringFolderToDisk(path: string): void {
  // Windows cannot open a folder.
  if (process.platform !== 'win32') bringToDisk(path)
}

export function bringToDisk(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Deletes only files that look like ours: the name of a migration begins with its number. */
function removeEarlier(path: string, kept: string): void {
  const start = `${basename(path)}.before-`
  for (const name of readdirSync(dirname(path))) {
    const isOurs = name.startsWith(start) && /^\d{3}-[a-z-]+$/.test(name.slice(start.length))
    if (isOurs && name !== basename(kept)) rmSync(join(dirname(path), name))
  }
}
