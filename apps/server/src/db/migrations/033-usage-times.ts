import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const bands = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 'more'] as const
const ends = ['client_gone', 'upstream_cut', 'out_of_quota', 'timed_out', 'too_long', 'shut_down', 'failed', 'crashed'] as const

const counts = [...bands.map((end) => `elapsed_${end}`), ...bands.map((end) => `first_byte_${end}`), ...ends.map((end) => `ended_${end}`)]

/** How long requests took and how they ended, by the hour. Rows of the log that were added up before have no part in it. */
async function createTimes(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  let table = db.schema
    .createTable('usage_times')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_times_key', ['scope', 'name', 'hour'])
  for (const count of counts) table = table.addColumn(count, 'bigint', (column) => column.notNull())
  await table.$call((builder) => (isPostgres ? builder : builder.modifyEnd(sql`without rowid`))).execute()
}

export const usageTimes: Migration = { up: createTimes }
