import { Database as SqliteFile } from 'bun:sqlite'
import { Kysely } from 'kysely'
import { createMutex } from '../lib/mutex.ts'
import { checkSessions } from './check-server.ts'
import type { Db } from './connect.ts'
import { isUpToDate } from './migrate.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { openPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'
import { settingsOf } from './session-settings.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { isPostgres, isThere, placeLabel } from './store-place.ts'

/** A store that is open while a server may be using it. */
interface ConcurrentStore {
  readonly db: Db
  readonly close: () => Promise<void>
}

/** How the store is used: settings for both engines. */
interface Use {
  /** Shown in the list of PostgreSQL's connections. */
  readonly name: string
  readonly isReadOnly: boolean
  /** Milliseconds; 0 = no limit. */
  readonly statementMs: number
  readonly responseMs: number
}

/** Reading a whole database has no time limit. */
const reading: Use = { name: 'sluice reading', isReadOnly: true, statementMs: 0, responseMs: 0 }
/** Limits how long a command waits for a statement that the server runs. */
const changing: Use = { name: 'sluice command', isReadOnly: false, statementMs: 15_000, responseMs: 20_000 }

/** Opens a store for reading only. */
export function openForReading(place: string): ConcurrentStore {
  return open(place, reading)
}

/**
 * Opens a store for small changes. Balances are not changed here: the server decides on them in memory.
 * @throws where there is no database, or one whose tables are of another version
 */
export async function openForChanges(place: string): Promise<ConcurrentStore> {
  if (!isThere(place)) throw new Error(`no database found at ${placeLabel(place)}`)
  const opened = open(place, changing)
  // Holds: only the names of the migrations are read, which does not depend on the row types.
  if (await isUpToDate(opened.db as never)) return opened
  await opened.close()
  throw new Error(`${placeLabel(place)} is of another version: start this version of Sluice on it once, then repeat the command`)
}

function open(place: string, use: Use): ConcurrentStore {
  return isPostgres(place) ? openPostgres(place, use) : openSqlite(place, use)
}

function openSqlite(path: string, { isReadOnly, statementMs }: Use): ConcurrentStore {
  const file = new SqliteFile(path, isReadOnly ? { readonly: true } : { readwrite: true, create: false, strict: true })
  // Only the server runs checkpoints: two processes that do would wait for each other. FULL syncs each commit to the disk at once.
  const pragmas = isReadOnly ? [] : [`busy_timeout = ${statementMs}`, 'synchronous = FULL', 'wal_autocheckpoint = 0']
  for (const pragma of pragmas) file.run(`PRAGMA ${pragma}`)
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, createMutex()) })
  return {
    db,
    async close() {
      await db.destroy()
      file.close()
    },
  }
}

function openPostgres(url: string, { name, isReadOnly, statementMs, responseMs }: Use): ConcurrentStore {
  const check = (): Promise<void> => checkSessions(url)
  const pool = openPool(url, { max: 1, name, settings: settingsOf({ statementMs, isReadOnly }), check })
  return { db: new Kysely<Schema>({ dialect: postgresDialect(pool, responseMs) }), close: () => pool.close({ timeout: 1 }) }
}
