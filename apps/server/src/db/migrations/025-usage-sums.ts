import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const counts = ['requests', 'failures', 'quota', 'prompt_tokens', 'completion_tokens', 'elapsed_ms'] as const

/** Scopes of the sums, and the column of `usage_hours` with the name in each scope. */
const scopes = [
  ['all', `''`],
  ['model', 'model_name'],
  ['channel', 'CAST(channel_id AS TEXT)'],
  ['token', 'token_name'],
] as const

/** Sums of `usage_hours` over all accounts, so that a chart of a year reads some thousand rows instead of some million. */
async function createUsageSums(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  let table = db.schema
    .createTable('usage_sums')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
  for (const count of counts) table = table.addColumn(count, 'bigint', (column) => column.notNull())
  await table
    .addPrimaryKeyConstraint('usage_sums_key', ['scope', 'hour', 'name'])
    .$call((table) => (isPostgres ? table : table.modifyEnd(sql`without rowid`)))
    .execute()
  await db.schema.createIndex('usage_hours_username').on('usage_hours').columns(['username', 'hour']).execute()
  // Models and channels need no index, because they are few; names of tokens are many.
  await db.schema
    .createIndex('usage_sums_token')
    .on('usage_sums')
    .columns(['name', 'hour'])
    .where(sql.ref('scope'), '=', sql.lit('token'))
    .execute()
  const sums = sql.join(counts.map((count) => sql`SUM(${sql.ref(count)})`))
  for (const [scope, name] of scopes) {
    await sql`INSERT INTO usage_sums SELECT ${sql.lit(scope)}, ${sql.raw(name)}, hour, ${sums} FROM usage_hours GROUP BY ${sql.raw(name === `''` ? 'hour' : `hour, ${name}`)}`.execute(
      db,
    )
  }
}

export const usageSums: Migration = { up: createUsageSums }
