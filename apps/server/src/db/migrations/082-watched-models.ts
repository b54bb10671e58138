import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a rule of notifications watches of the whole server: one model or one channel. Older rules watch everything. */
async function addWatched(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('notification_rules')
    .addColumn('model_name', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('notification_rules')
    .addColumn('channel_id', 'bigint', (column) => column.notNull().defaultTo(sql`0`))
    .execute()
}

export const watchedModels: Migration = { up: addWatched }
