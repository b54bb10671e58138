import type { Migration } from 'kysely/migration'

/** Optional settings of channels, such as limits, a proxy and headers, as one encrypted text. */
export const channelSettings: Migration = {
  async up(db) {
    await db.schema
      .alterTable('channels')
      .addColumn('settings_sealed', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
