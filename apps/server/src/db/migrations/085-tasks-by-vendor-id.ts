import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Messages of vendors name a running task by the vendor's id. */
async function createIndex(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('tasks_running_at_vendor')
    .on('tasks')
    .columns(['channel_id', 'vendor_id'])
    .where(sql.ref('next_poll_ms'), 'is not', null)
    .execute()
}

export const tasksByVendorId: Migration = { up: createIndex }
