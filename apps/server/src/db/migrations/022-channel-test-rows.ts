import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Rows of channel tests had a type of their own, which consoles of the family show as unknown: they are of the system and say what they are. */
async function renumberChannelTests(db: Kysely<unknown>): Promise<void> {
  await sql`UPDATE logs SET type = 4, detail = '{"event":"channel_test"}' WHERE type = 5`.execute(db)
}

export const channelTestRows: Migration = { up: renumberChannelTests }
