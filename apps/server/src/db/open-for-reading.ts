import { Database as SqliteFile } from 'bun:sqlite'
import { Kysely } from 'kysely'
import { createMutex } from '../lib/mutex.ts'
import type { Db } from './connect.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

/** Opens a store beside a running server, for reading only. */
export function openForReading(path: string): { readonly db: Db; readonly close: () => Promise<void> } {
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
