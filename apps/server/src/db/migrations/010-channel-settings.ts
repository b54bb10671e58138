import type { Migration } from 'kysely/migration'

/** What only some channels need to have set: limits, a proxy, headers and the like, as one sealed text. */
export const channelSettings: Migration = {
  async up(db) {
    await db.schema
      .alterTable('channels')
      .addColumn('settings_sealed', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
