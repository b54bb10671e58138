import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Rows of channel tests had a type that compatible consoles show as unknown. They get the type `system` and an event. */
async function renumberChannelTests(db: Kysely<unknown>): Promise<void> {
  await sql`UPDATE logs SET type = 4, detail = '{"event":"channel_test"}' WHERE type = 5`.execute(db)
}

export const channelTestRows: Migration = { up: renumberChannelTests }
