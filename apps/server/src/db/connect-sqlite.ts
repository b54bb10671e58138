import { Database as SqliteFile } from 'bun:sqlite'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import { noFailpoints } from '../lib/failpoints.ts'
import { createMutex, type Mutex } from '../lib/mutex.ts'
import { makePrivateFolder } from '../lib/private-file.ts'
import { createCheckpointer, walPagesMax } from './checkpointer.ts'
import type { SqliteStore } from './connect.ts'
import { copyBefore } from './copy-before.ts'
import { createDiskReserve } from './disk-reserve.ts'
import { explainSqlite } from './explain-sqlite.ts'
import { createForeignLock, isBusy } from './foreign-lock.ts'
import { lockStore } from './lock.ts'
import { migrate } from './migrate.ts'
import { processInfo, soleNode } from './node.ts'
import type { StoreEvents } from './owned-connection.ts'
import { keepPrivate } from './private-files.ts'
import { readCommand } from './read-command.ts'
import { readDialect } from './read-dialect.ts'
import { createReadProcesses } from './read-processes.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { createWalSync } from './wal-sync.ts'

/**
 * Opens the SQLite store at a path for this process alone; creates and migrates it first if needed. ':memory:' is for tests, and so are
 * the bytes of a database, which is then opened as a copy in memory.
 * Commits are written to the write-ahead log at once, so a crash of the process loses none; `durable()` also syncs them to the disk.
 */
export async function connectSqlite(place: string | Uint8Array, events: Partial<StoreEvents> = {}): Promise<SqliteStore> {
  const path = typeof place === 'string' ? place : inMemory
  const isFile = path !== inMemory
  if (isFile) makePrivateFolder(dirname(path))
  const unlock = isFile ? lockStore(`${path}.lock`) : () => {}
  try {
    return await openSqlite(path, {
      bytes: typeof place === 'string' ? null : place,
      unlock,
      reached: events.reached ?? noFailpoints,
      reserveBytes: events.reserveBytes ?? 0,
      pagesMax: events.walPagesMax ?? walPagesMax,
      report: events.report ?? (() => {}),
      node: events.node ?? processInfo(),
    })
  } catch (error) {
    unlock()
    throw isFile ? explainSqlite(path, error) : error
  }
}

/** SQLite's name of a database that is in no file. */
const inMemory = ':memory:'

interface OpenOptions extends Required<Omit<StoreEvents, 'walPagesMax' | 'isShared'>> {
  readonly pagesMax: number
  /** What a database in memory begins with; `null` = nothing. */
  readonly bytes: Uint8Array | null
  readonly unlock: () => void
}

async function openSqlite(path: string, options: OpenOptions): Promise<SqliteStore> {
  const { bytes, unlock, reached, reserveBytes, report, pagesMax, node } = options
  const isFile = path !== inMemory
  if (isFile) keepPrivate(path, report)
  const file = bytes === null ? new SqliteFile(path, { create: true, strict: true }) : SqliteFile.deserialize(bytes, { strict: true })
  for (const pragma of pragmas) file.run(pragma)
  const mutex = createMutex()
  const lock = createForeignLock({ tryLock: () => tryLock(file, mutex), report })
  const migrated = new Kysely<Schema>({ dialect: sqliteDialect(file, mutex, { reached, wrote: () => {}, busy: lock.noteBusy }) })
  // Holds: the migrator only uses the schema builder, which does not depend on the row types.
  await migrate(migrated as never, { reached, before: (last) => copyBefore(file, { path, last, reached, report }) })
  // Its hundreds of statements are not used again.
  await migrated.destroy()
  // From now on a lock is waited for between the tries of a statement, never on the event loop (`foreign-lock.ts`).
  file.run('PRAGMA busy_timeout = 0')
  const wal = isFile ? createWalSync(`${path}-wal`, reached) : null
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, mutex, { reached, wrote: () => wal?.touch(), busy: lock.noteBusy }) })

  const reserve = isFile && reserveBytes > 0 ? createDiskReserve({ path: `${path}.reserve`, bytes: reserveBytes, reached, report }) : null
  const checkpointer = isFile ? createCheckpointer({ path, pagesMax }, mutex) : null
  const processes = isFile ? createReadProcesses(readCommand(path)) : null

  return {
    engine: 'sqlite',
    db,
    node: soleNode(node),
    // A database in memory is visible to this connection only.
    reads: processes === null ? db : new Kysely<Schema>({ dialect: readDialect(processes) }),
    reserve,
    async batch(work, committed) {
      const release = await mutex.acquire()
      try {
        reached('store-call')
        file.run('BEGIN IMMEDIATE')
        try {
          const result = work(file)
          reached('store-call')
          file.run('COMMIT')
          wal?.touch()
          committed(result)
        } catch (error) {
          if (file.inTransaction) file.run('ROLLBACK')
          throw error
        }
      } catch (error) {
        if (isBusy(error)) lock.noteBusy()
        throw error
      } finally {
        release()
      }
    },
    async read(work, keep) {
      const release = await mutex.acquire()
      try {
        keep(work(file))
      } finally {
        release()
      }
    },
    durable: async () => wal?.sync(),
    isStuck: () => lock.isHeld() || (wal?.isStuck() ?? false),
    async close() {
      lock.close()
      await processes?.close()
      await checkpointer?.stop()
      const release = await mutex.acquire()
      await wal?.close()
      reached('closing')
      if (isFile) emptyLog(file)
      file.close()
      unlock()
      release()
    },
  }
}

/** Takes the write lock and frees it. */
async function tryLock(file: SqliteFile, mutex: Mutex): Promise<void> {
  const release = await mutex.acquire()
  try {
    file.run('BEGIN IMMEDIATE')
    file.run('ROLLBACK')
  } finally {
    release()
  }
}

/** While another process uses the file, the log stays, and the next start reads it. */
function emptyLog(file: SqliteFile): void {
  try {
    file.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}

/**
 * WAL with NORMAL: a commit is one write and waits for no sync. Syncs run off the event loop (`wal-sync.ts`), and a thread of its own
 * copies the log back into the file (`checkpointer.ts`), so neither blocks the event loop.
 */
const pragmas = [
  // While the file is opened; nothing is served yet.
  'PRAGMA busy_timeout = 5000',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = NORMAL',
  'PRAGMA foreign_keys = ON',
  'PRAGMA temp_store = MEMORY',
  // KiB. Memory use grows with the database up to this; other pages are read from the system's cache in microseconds.
  'PRAGMA cache_size = -8192',
  // Bytes, more than the log reaches under load: SQLite never shrinks it, so it need not be allocated again.
  'PRAGMA journal_size_limit = 134217728',
  'PRAGMA wal_autocheckpoint = 0',
]
