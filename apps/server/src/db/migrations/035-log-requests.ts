import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Finds the log rows of a request. Its id begins with its time, so new rows are added at the end of the index, on pages that are in memory. */
async function createIndex(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('logs_request').on('logs').column('request_id').where(sql.ref('request_id'), '<>', sql.lit('')).execute()
}

export const logRequests: Migration = { up: createIndex }
