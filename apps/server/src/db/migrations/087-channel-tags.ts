import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A word by which an administrator finds channels that belong together. */
async function addTag(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('channels')
    .addColumn('tag', 'text', (column) => column.notNull().defaultTo(sql`''`))
    .execute()
}

export const channelTags: Migration = { up: addTag }
