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

interface OpenBeside {
  readonly db: Db
  close(): Promise<void>
}

/** A command waits for one statement of the server at most so long. */
const statementMs = 15_000
const answerMs = 20_000

/**
 * Opens a store for small changes, whether a server uses it or not. Balances are not changed here: the server decides on them in memory.
 * @throws where there is no database, or one whose tables are of another version
 */
export async function openBeside(place: string): Promise<OpenBeside> {
  if (!isThere(place)) throw new Error(`there is no database at ${placeLabel(place)}`)
  const opened = isPostgres(place) ? openPostgres(place) : openSqlite(place)
  // Holds: only the names of the migrations are read, which does not depend on the row types.
  if (await isUpToDate(opened.db as never)) return opened
  await opened.close()
  throw new Error(`${placeLabel(place)} is of another version: start this version of Sluice on it once, then repeat the command`)
}

function openSqlite(path: string): OpenBeside {
  const file = new SqliteFile(path, { readwrite: true, create: false, strict: true })
  // The server copies the log back into the file; two that do it would wait for each other. What is committed here is on the disk at once.
  for (const pragma of ['PRAGMA busy_timeout = 15000', 'PRAGMA synchronous = FULL', 'PRAGMA wal_autocheckpoint = 0']) file.run(pragma)
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, createMutex()) })
  return {
    db,
    async close() {
      await db.destroy()
      file.close()
    },
  }
}

function openPostgres(url: string): OpenBeside {
  const pool = openPool(url, { max: 1, name: 'sluice command', statementMs })
  return { db: new Kysely<Schema>({ dialect: postgresDialect(pool, answerMs) }), close: () => pool.close({ timeout: 1 }) }
}
