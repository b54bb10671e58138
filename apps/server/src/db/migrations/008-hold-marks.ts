import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

const marks = ['delivered_quota', 'channel_id', 'prompt_tokens', 'completion_tokens'] as const

/** What a running answer has delivered so far, noted at its reservation: after a crash that much is charged. */
async function addMarks(db: Kysely<unknown>): Promise<void> {
  for (const mark of marks)
    await db.schema
      .alterTable('holds')
      .addColumn(mark, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
}

export const holdMarks: Migration = { up: addMarks }
