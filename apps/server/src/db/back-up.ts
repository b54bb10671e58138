import { Database as SqliteFile } from 'bun:sqlite'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reached } from '../lib/failpoints.ts'
import { copyToPrivateFile, ensurePrivateFile } from '../lib/private-file.ts'
import { bringFolderToDisk, bringToDisk } from './copy-before.ts'
import { lockStore } from './lock.ts'

/** What is in a copy. */
export interface CopyFacts {
  readonly users: number
  readonly entries: number
  /** The sum of all balances: 0 if the books are consistent. */
  readonly difference: number
}

/**
 * Copies a SQLite database that may be in use: the copy holds what was committed before the call. It is written under a temporary name
 * and renamed after it was checked and synced to the disk.
 * @throws when a file of that name exists, or the copy is not a whole database of Sluice
 */
export function backUpSqlite(path: string, copy: string): CopyFacts {
  if (existsSync(copy)) throw new Error(`${copy} already exists`)
  const part = `${copy}.part`
  rmSync(part, { force: true })
  try {
    // Created first, readable by this account only; SQLite treats an empty file as a missing one.
    ensurePrivateFile(part)
    const file = new SqliteFile(path, { readonly: true })
    try {
      file.run('PRAGMA busy_timeout = 15000')
      file.prepare('VACUUM INTO ?').run(part)
    } finally {
      file.close()
    }
    checkSqlite(part)
    const facts = readFacts(part)
    bringToDisk(part)
    renameSync(part, copy)
    bringFolderToDisk(dirname(copy))
    return facts
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** @throws when it is no database of Sluice */
function readFacts(path: string): CopyFacts {
  const file = new SqliteFile(path, { readonly: true })
  const sumOf = (table: string, column: string): string => `(SELECT COALESCE(SUM(${column}), 0) FROM ${table})`
  try {
    // Databases of early versions have no balances of the system's accounts.
    const hasAccounts = file.query("SELECT 1 FROM sqlite_master WHERE name = 'ledger_accounts'").get() !== null
    const difference = hasAccounts ? `${sumOf('users', 'quota')} + ${sumOf('ledger_accounts', 'balance')}` : '0'
    const facts = file
      .query<CopyFacts, []>(
        `SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM ledger) AS entries, ${difference} AS difference`,
      )
      .get()
    if (facts === null || facts.users === 0) throw new Error(`${path} holds no accounts`)
    return facts
  } finally {
    file.close()
  }
}

/** @throws when it is not an intact database */
export function checkSqlite(path: string): void {
  const file = new SqliteFile(path, { readonly: true })
  try {
    const { quick_check } = file.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get() ?? { quick_check: 'no response' }
    if (quick_check !== 'ok') throw new Error(`${path} is damaged: ${quick_check}`)
  } finally {
    file.close()
  }
}

interface RestoreEvents {
  readonly reached: Reached
  /** Called when only the swap itself is left to do. */
  readonly beforeSwap: () => void
}

/**
 * Replaces a SQLite database that no server uses with a copy. The old database is kept as `PATH.before-restore`. If the process dies
 * half-way, the path holds either the old or the new database, complete.
 * @throws when a server uses the database, or the copy is not a database
 */
export function restoreSqlite(copy: string, path: string, { reached, beforeSwap }: RestoreEvents): void {
  checkSqlite(copy)
  const unlock = lockStore(`${path}.lock`)
  const part = `${path}.restoring`
  try {
    rmSync(part, { force: true })
    copyToPrivateFile(copy, part)
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

/** Copies the log back into the file, or moves it aside if the file is damaged: SQLite must not apply it to the copy. */
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

/** A hard link where the file system supports it, otherwise a copy. */
function keepAside(path: string, aside: string): void {
  rmSync(aside, { force: true })
  try {
    linkSync(path, aside)
  } catch {
    copyToPrivateFile(path, aside)
    bringToDisk(aside)
  }
}
