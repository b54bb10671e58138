import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The set-up link of a root account without a password, and what the server knows of how the installation came about. */
async function addSetupLinks(db: Kysely<{ users: { id: number }; installation_marks: { name: string } }>): Promise<void> {
  await db.schema
    .createTable('setup_links')
    .addColumn('user_id', 'bigint', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('installation_marks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .execute()
  const isUsed = (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
  // Clients may call it by any name, as before.
  if (isUsed) await db.insertInto('installation_marks').values({ name: 'older than host names' }).execute()
}

export const setupLinks: Migration = { up: addSetupLinks }
