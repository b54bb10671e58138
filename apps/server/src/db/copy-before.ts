import type { Database as SqliteFile } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Reached } from '../lib/failpoints.ts'
import { isStorageFull } from '../lib/storage-full.ts'
import type { StoreEvents } from './owned-connection.ts'

interface CopyBefore {
  readonly path: string
  /** The last migration that the database had. */
  readonly last: string
  readonly reached: Reached
  readonly report: StoreEvents['report']
}

/**
 * Keeps what a SQLite database was before its tables change, beside it: the way back to the version that made it. The copy has its name
 * once it is whole and on the disk, and takes the place of an earlier one.
 * @throws when there is no room; then nothing has changed
 */
export function copyBefore(file: SqliteFile, { path, last, reached, report }: CopyBefore): void {
  const copy = `${path}.before-${last}`
  const part = `${path}.before.part`
  // Said before, because a large database takes its time.
  report(`the tables of the database are brought up to date; as it was it is kept at ${copy}`, null)
  rmSync(part, { force: true })
  try {
    // Made beforehand, for this account alone; SQLite takes an empty file for none.
    closeSync(openSync(part, 'wx', 0o600))
    reached('copying')
    file.prepare('VACUUM INTO ?').run(part)
    bringToDisk(part)
  } catch (cause) {
    rmSync(part, { force: true })
    throw isStorageFull(cause)
      ? new Error(`there is no room for a copy of ${path}, which is made before its tables change`, { cause })
      : cause
  }
  reached('copied')
  renameSync(part, copy)
  bringFolderToDisk(dirname(path))
  reached('copy-kept')
  removeEarlier(path, copy)
}

/** What was renamed in it, too. */
export function bringFolderToDisk(path: string): void {
  // On Windows a folder cannot be opened.
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

/** Only what can be one of ours: a migration's name begins with its number. */
function removeEarlier(path: string, kept: string): void {
  const start = `${basename(path)}.before-`
  for (const name of readdirSync(dirname(path))) {
    const isOurs = name.startsWith(start) && /^\d{3}-[a-z-]+$/.test(name.slice(start.length))
    if (isOurs && name !== basename(kept)) rmSync(join(dirname(path), name))
  }
}
