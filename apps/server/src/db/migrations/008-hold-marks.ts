import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

const marks = ['delivered_quota', 'channel_id', 'prompt_tokens', 'completion_tokens'] as const

/** The progress mark of a running response, stored with its hold: after a crash it is charged. */
async function addMarks(db: Kysely<unknown>): Promise<void> {
  for (const mark of marks)
    await db.schema
      .alterTable('holds')
      .addColumn(mark, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
}

export const holdMarks: Migration = { up: addMarks }
