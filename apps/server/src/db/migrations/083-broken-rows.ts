import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Rows of requests that did not end well are few: they are found by time, by account and by how they ended, without reading the others. */
const indexes = {
  logs_broken_time: [],
  logs_broken_user: ['user_id'],
  logs_broken_end: ['end_reason'],
} as const

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  // SQLite appends the row id to every index itself.
  const last = db.getExecutor().adapter instanceof PostgresAdapter ? ['created_at', 'id'] : ['created_at']
  for (const [name, first] of Object.entries(indexes)) {
    const columns = sql.join([...first, ...last].map((column) => sql.ref(column)))
    await sql`CREATE INDEX ${sql.ref(name)} ON logs (${columns}) WHERE end_reason NOT IN ('', 'complete')`.execute(db)
  }
}

export const brokenRows: Migration = { up: createIndexes }
