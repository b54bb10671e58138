import { Database as SqliteFile } from 'bun:sqlite'
import { Kysely } from 'kysely'
import { createMutex } from '../lib/mutex.ts'
import type { Db } from './connect.ts'
import { isUpToDate } from './migrate.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { openPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { isPostgres, isThere, placeLabel } from './store-place.ts'

/** A store that is open beside a server that may use it, too. */
interface Beside {
  readonly db: Db
  readonly close: () => Promise<void>
}

/** How it is used: what both engines must know. */
interface Use {
  /** Shown in the list of PostgreSQL's connections. */
  readonly name: string
  readonly isReadOnly: boolean
  /** Milliseconds; 0 = as long as it takes. */
  readonly statementMs: number
  readonly answerMs: number
}

/** What reads a whole database takes as long as it takes. */
const reading: Use = { name: 'sluice reading', isReadOnly: true, statementMs: 0, answerMs: 0 }
/** A command waits for one statement of the server at most so long. */
const changing: Use = { name: 'sluice command', isReadOnly: false, statementMs: 15_000, answerMs: 20_000 }

/** Opens a store for reading only. */
export function openForReading(place: string): Beside {
  return open(place, reading)
}

/**
 * Opens a store for small changes. Balances are not changed here: the server decides on them in memory.
 * @throws where there is no database, or one whose tables are of another version
 */
export async function openForChanges(place: string): Promise<Beside> {
  if (!isThere(place)) throw new Error(`there is no database at ${placeLabel(place)}`)
  const opened = open(place, changing)
  // Holds: only the names of the migrations are read, which does not depend on the row types.
  if (await isUpToDate(opened.db as never)) return opened
  await opened.close()
  throw new Error(`${placeLabel(place)} is of another version: start this version of Sluice on it once, then repeat the command`)
}

function open(place: string, use: Use): Beside {
  return isPostgres(place) ? openPostgres(place, use) : openSqlite(place, use)
}

function openSqlite(path: string, { isReadOnly, statementMs }: Use): Beside {
  const file = new SqliteFile(path, isReadOnly ? { readonly: true } : { readwrite: true, create: false, strict: true })
  // The server copies the log back into the file; two that do it would wait for each other. What is committed here is on the disk at once.
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

function openPostgres(url: string, { name, isReadOnly, statementMs, answerMs }: Use): Beside {
  const pool = openPool(url, { max: 1, name, statementMs, isReadOnly })
  return { db: new Kysely<Schema>({ dialect: postgresDialect(pool, answerMs) }), close: () => pool.close({ timeout: 1 }) }
}
