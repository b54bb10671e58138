import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When the system access token of an account was made and used last, in seconds since the epoch. 0 = unknown, or there is none. */
async function addTokenTimes(db: Kysely<unknown>): Promise<void> {
  for (const name of ['access_token_created_time', 'access_token_used_time']) {
    await db.schema
      .alterTable('users')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}

export const systemTokenTimes: Migration = { up: addTokenTimes }
