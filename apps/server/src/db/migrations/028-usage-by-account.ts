import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const counts = ['requests', 'failures', 'quota', 'prompt_tokens', 'completion_tokens', 'elapsed_ms'] as const

interface SumTable {
  readonly name: string
  readonly keys: ReadonlyArray<readonly [name: string, type: 'text' | 'bigint']>
  /** Values of the key columns, as expressions over a row of `usage_hours`; one set of rows is written for each list. */
  readonly fills: ReadonlyArray<readonly string[]>
}

/** Lengths of spans. A span begins at an hour since 1970 that is a multiple of its length. */
const spanHours = [24, 96] as const

const tables: readonly SumTable[] = [
  {
    name: 'usage_accounts',
    keys: [
      ['user_id', 'bigint'],
      ['hour', 'bigint'],
      ['token_name', 'text'],
    ],
    fills: [['user_id', 'hour', 'token_name']],
  },
  {
    name: 'usage_account_spans',
    keys: [
      ['hours', 'bigint'],
      ['start', 'bigint'],
      ['user_id', 'bigint'],
      ['token_name', 'text'],
    ],
    fills: spanHours.map((hours) => [`CAST(${hours} AS BIGINT)`, `hour - hour % ${hours * 3_600}`, 'user_id', 'token_name']),
  },
  {
    name: 'usage_pairs',
    keys: [
      ['scope', 'text'],
      ['one', 'text'],
      ['other', 'text'],
      ['hour', 'bigint'],
    ],
    fills: [
      [`'token-model'`, 'token_name', 'model_name', 'hour'],
      [`'token-channel'`, 'token_name', 'CAST(channel_id AS TEXT)', 'hour'],
      [`'model-channel'`, 'model_name', 'CAST(channel_id AS TEXT)', 'hour'],
      [`'user-model'`, 'CAST(user_id AS TEXT)', 'model_name', 'hour'],
    ],
  },
]

/** An index of the hours of one name in any scope. SQLite did not use the index for tokens alone, but read the hours of all names. */
async function replaceSumsIndex(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('usage_sums_token').execute()
  await db.schema.createIndex('usage_sums_name').on('usage_sums').columns(['name', 'hour']).execute()
}

/** The names that accounts have in rows of the log. */
async function createNames(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_names')
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_names_key', ['username', 'user_id'])
    .execute()
  await db.schema.createIndex('usage_names_user').on('usage_names').column('user_id').execute()
  await sql`INSERT INTO usage_names SELECT DISTINCT username, user_id FROM usage_hours`.execute(db)
}

async function createSums(db: Kysely<unknown>, { name, keys, fills }: SumTable): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  let table = db.schema.createTable(name)
  for (const [column, type] of keys) table = table.addColumn(column, type, (definition) => definition.notNull())
  for (const count of counts) table = table.addColumn(count, 'bigint', (column) => column.notNull())
  await table
    // Holds: the columns were added above, which the compiler does not follow.
    .addPrimaryKeyConstraint(
      `${name}_key`,
      keys.map(([column]) => column as never),
    )
    .$call((builder) => (isPostgres ? builder : builder.modifyEnd(sql`without rowid`)))
    .execute()
  const sums = counts.map((count) => `SUM(${count})`).join(', ')
  for (const fill of fills) {
    const groups = fill.map((_, index) => index + 1).join(', ')
    await sql.raw(`INSERT INTO ${name} SELECT ${fill.join(', ')}, ${sums} FROM usage_hours GROUP BY ${groups}`).execute(db)
  }
}

/** Indexes of rows of rare types by account. Without them, finding these rows reads all rows of the account, which may be millions. */
async function createRareIndexes(db: Kysely<unknown>): Promise<void> {
  const last = db.getExecutor().adapter instanceof PostgresAdapter ? ['created_at', 'id'] : ['created_at']
  for (const column of ['user_id', 'username'])
    await db.schema
      .createIndex(`logs_rare_${column}`)
      .on('logs')
      .columns([column, 'type', ...last])
      .where('type', '<>', 2)
      .execute()
}

/** Sums of usage by account and token, by hours and longer spans, and by pairs of account, token, model and channel. */
export const usageByAccount: Migration = {
  async up(db) {
    for (const table of tables) await createSums(db, table)
    await replaceSumsIndex(db)
    await createNames(db)
    await createRareIndexes(db)
  },
}
