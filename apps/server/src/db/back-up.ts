import { Database as SqliteFile } from 'bun:sqlite'
import { closeSync, copyFileSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reached } from '../lib/failpoints.ts'
import { bringFolderToDisk, bringToDisk } from './copy-before.ts'
import { lockStore } from './lock.ts'

/**
 * Writes a copy of a SQLite database that may be in use: what was committed when it began, and nothing of what came later. The copy has its
 * name once it is whole, checked and on the disk.
 * @throws where there is a file of that name
 */
export function backUpSqlite(path: string, copy: string): void {
  if (existsSync(copy)) throw new Error(`${copy} exists already`)
  const part = `${copy}.part`
  rmSync(part, { force: true })
  try {
    // Made beforehand, for this account alone; SQLite takes an empty file for none.
    closeSync(openSync(part, 'wx', 0o600))
    const file = new SqliteFile(path, { readonly: true })
    try {
      file.run('PRAGMA busy_timeout = 15000')
      file.prepare('VACUUM INTO ?').run(part)
    } finally {
      file.close()
    }
    checkSqlite(part)
    bringToDisk(part)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  renameSync(part, copy)
  bringFolderToDisk(dirname(copy))
}

/** @throws where it is no whole database */
function checkSqlite(path: string): void {
  const file = new SqliteFile(path, { readonly: true })
  try {
    const { quick_check } = file.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get() ?? { quick_check: 'no answer' }
    if (quick_check !== 'ok') throw new Error(`${path} is damaged: ${quick_check}`)
  } finally {
    file.close()
  }
}

interface RestoreEvents {
  readonly reached: Reached
  /** Called when nothing but the swap itself is left to do. */
  readonly beforeSwap: () => void
}

/**
 * Puts a copy in the place of a SQLite database that no server uses. What was there is kept as `PATH.before-restore`. Wherever this is cut
 * off, the place holds either the one or the other, whole.
 * @throws where a server uses the database, or the copy is none
 */
export function restoreSqlite(copy: string, path: string, { reached, beforeSwap }: RestoreEvents): void {
  checkSqlite(copy)
  const unlock = lockStore(`${path}.lock`)
  const part = `${path}.restoring`
  try {
    rmSync(part, { force: true })
    copyFileSync(copy, part)
    checkSqlite(part)
    bringToDisk(part)
    reached('restore-copied')
    if (existsSync(path)) {
      emptyLog(path)
      keepAside(path, `${path}.before-restore`)
      reached('restore-kept')
    }
    beforeSwap()
    renameSync(part, path)
    bringFolderToDisk(dirname(path))
  } finally {
    rmSync(part, { force: true })
    unlock()
  }
}

/** Brings the log back into the file, or where the file is damaged puts it aside with it: it must not be taken for the copy's. */
function emptyLog(path: string): void {
  const log = `${path}-wal`
  try {
    const file = new SqliteFile(path, { readwrite: true, create: false })
    file.run('PRAGMA wal_checkpoint(TRUNCATE)')
    file.close()
    rmSync(log, { force: true })
  } catch {
    if (existsSync(log)) renameSync(log, `${path}.before-restore-wal`)
  }
  rmSync(`${path}-shm`, { force: true })
}

/** Another name for the same file where the file system has such, and a copy elsewhere. */
function keepAside(path: string, aside: string): void {
  rmSync(aside, { force: true })
  try {
    linkSync(path, aside)
  } catch {
    copyFileSync(path, aside)
    bringToDisk(aside)
  }
}
