import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a later request reads that refers to a response, or to a part of one; empty for those of earlier versions. */
async function addTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('kept_answers').addColumn('tokens', 'bigint').execute()
}

export const tokensOfStoredResponses: Migration = { up: addTokens }
