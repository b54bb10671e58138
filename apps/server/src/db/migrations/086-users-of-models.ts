import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The accounts that spent most on a model are read from this index alone: their rows are as many as the requests if many accounts send
 * little, and each would be another page of the table.
 */
async function addIndex(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`CREATE INDEX usage_pairs_users ON usage_pairs (other, hour, one, quota, requests) WHERE scope = 'user-model'`).execute(db)
}

export const usersOfModels: Migration = { up: addIndex }
