import { Database as SqliteFile } from 'bun:sqlite'
import { Kysely } from 'kysely'
import { createMutex } from '../lib/mutex.ts'
import type { Db } from './connect.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { openPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { isPostgres } from './store-place.ts'

interface OpenForReading {
  readonly db: Db
  readonly close: () => Promise<void>
}

/** Opens a store beside a running server, for reading only. */
export function openForReading(place: string): OpenForReading {
  return isPostgres(place) ? openPostgres(place) : openSqlite(place)
}

function openSqlite(path: string): OpenForReading {
  const file = new SqliteFile(path, { readonly: true })
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, createMutex()) })
  return {
    db,
    async close() {
      await db.destroy()
      file.close()
    },
  }
}

/** Without a limit of time: what reads a whole database takes as long as it takes. */
function openPostgres(url: string): OpenForReading {
  const pool = openPool(url, { max: 1, name: 'sluice reading', statementMs: 0, isReadOnly: true })
  return { db: new Kysely<Schema>({ dialect: postgresDialect(pool, 0) }), close: () => pool.close({ timeout: 1 }) }
}
