import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The identities of accounts at Google and at the OpenID provider. Empty = none. */
async function addIdentities(db: Kysely<unknown>): Promise<void> {
  for (const name of ['google_id', 'oidc_id']) {
    await db.schema
      .alterTable('users')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await db.schema.createIndex(`users_${name}`).on('users').column(name).unique().where(name, '<>', '').execute()
  }
}

export const oidcLogins: Migration = { up: addIdentities }
