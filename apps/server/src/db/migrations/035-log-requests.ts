import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Finds the log rows of a request. Its id begins with its time, so that new rows are added at the end of the index, on pages that are in
 * memory. It is no partial index: with one, SQLite would join the ledger with the log by reading the whole log for each entry.
 */
async function createIndex(db: Kysely<unknown>): Promise<void> {
  // SQLite appends the row id to every index itself.
  const last = db.getExecutor().adapter instanceof PostgresAdapter ? ['created_at', 'id'] : ['created_at']
  await db.schema
    .createIndex('logs_request')
    .on('logs')
    .columns(['request_id', ...last])
    .execute()
}

export const logRequests: Migration = { up: createIndex }
