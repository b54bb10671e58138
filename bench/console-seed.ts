import { Database } from 'bun:sqlite'
import { messageText } from '@sluice/contract'
import { rollUpStep } from '../apps/server/src/api/log/usage-queries.ts'
import { connectStore } from '../apps/server/src/db/connect-store.ts'
import { openPool } from '../apps/server/src/db/postgres-pool.ts'
import { addErrors, addLogRows, addNames, usageTables } from '../apps/server/src/db/usage-tables.ts'
import { AppError } from '../apps/server/src/lib/app-error.ts'

// Fills a database that the server has created with a large log, in a few statements. The rows are the same in every run.

export interface Size {
  readonly rows: number
  readonly accounts: number
  /** Time of the first row, in seconds since the epoch; the last one is of now. */
  readonly from: number
  readonly to: number
}

const isVerbose = process.argv.includes('--verbose')

const models = 60
const channels = 40

interface NamedStatement {
  readonly name: string
  /** The statement that creates it. */
  readonly sql: string
}

interface Store {
  run(sql: string): Promise<unknown>
  /** The statements that create the indexes of the log, with the names of the indexes. */
  logIndexes(): Promise<readonly NamedStatement[]>
  /** SQL of a table with one column `i`, which contains the numbers from 1. */
  numbers(count: number): string
  /** Updates the planner's statistics on PostgreSQL, and restores the journal mode on SQLite. */
  settle(): Promise<void>
  close(): Promise<void>
}

function openSqlite(path: string): Store {
  const file = new Database(path)
  for (const pragma of ['journal_mode = DELETE', 'journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1000000', 'temp_store = FILE'])
    file.run(`PRAGMA ${pragma}`)
  return {
    run: async (sql) => file.run(sql),
    logIndexes: async () =>
      file
        .query<{ name: string; sql: string }, []>(
          `SELECT name, sql FROM sqlite_master WHERE tbl_name = 'logs' AND sql LIKE 'create index%'`,
        )
        .all(),
    numbers: (count) => `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n) AS numbers`,
    settle: async () => {
      file.run('PRAGMA journal_mode = WAL')
    },
    close: async () => file.close(),
  }
}

function openPostgres(url: string): Store {
  const client = openPool(url, { max: 1, name: 'seed', statementMs: 0 })
  return {
    run: (sql) => client.unsafe(sql),
    logIndexes: () =>
      client.unsafe(`SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = 'logs' AND indexname NOT LIKE '%pkey'`),
    numbers: (count) => `(SELECT i FROM generate_series(1, ${count}::bigint) AS series (i)) AS numbers`,
    settle: () => client.unsafe('VACUUM ANALYZE'),
    close: () => client.close(),
  }
}

/** Pseudo-random numbers below 2^20, the same for each row in every run. */
const noise = (one: number, other: number): string => `((((i * ${one}) % 2147483629) * ((i * ${other}) % 2147483629)) % 1048573)`

const squared = (value: string): string => `((${value} * ${value}) / 1048576)`

/** One request in a hundred fails, and a few clients leave. */
const endOf = `CASE WHEN i % 101 = 0 THEN 'failed' WHEN i % 211 = 0 THEN 'client_gone' ELSE 'complete' END`

/** A few accounts send most requests, as in practice; every second account has a token of the common name. */
function logRows({ rows, accounts, from, to }: Size, numbers: string): string {
  const random = `SELECT i, ${noise(1_664_525, 22_695_477)} AS u, ${noise(69_621, 1_103_515)} AS m, ${noise(39_373, 742_938)} AS c FROM ${numbers}`
  const drawn = `SELECT i, 2 + (${squared(squared('u'))} * ${accounts}) / 1048576 AS user_id,
    'model-' || ((${squared('m')} * ${models}) / 1048576) AS model, 1 + (c * ${channels}) / 1048576 AS channel FROM (${random}) AS random`
  const isRequest = 'i % 500 <> 0'
  return `INSERT INTO logs (user_id, created_at, type, content, username, token_name, model_name, upstream_model, quota, prompt_tokens,
      completion_tokens, cached_tokens, channel_id, request_id, elapsed_ms, first_byte_ms, is_stream, attempts, end_reason, served, cost, estimated)
    SELECT user_id, ${from} + (i * ${to - from}) / ${rows}, CASE WHEN ${isRequest} THEN 2 ELSE 3 END, CASE WHEN ${isRequest} AND i % 101 = 0 THEN 'failed: upstream_unavailable' ELSE '' END, 'user' || (user_id - 1),
      CASE WHEN user_id % 2 = 0 THEN 'default' ELSE 'key ' || (user_id % 997) END, model, model, 200 + (i * 7919) % 2000, 500,
      300, 0, channel, 'req_' || i, 300 + (i * 7919) % 9000, 100 + (i * 31) % 900, 1, 1, CASE WHEN ${isRequest} THEN ${endOf} ELSE '' END,
      CASE ${endOf} WHEN 'failed' THEN 0 WHEN 'client_gone' THEN NULL ELSE 1 END,
      CASE WHEN ${isRequest} AND channel % 3 > 0 THEN (200 + (i * 7919) % 2000) * 7 / 10 END, 0
    FROM (${drawn}) AS drawn`
}

/** Rows of the log that are added up at a time, few enough to be sorted in memory. */
const rollUpRows = 500_000

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now()
  await work()
  if (isVerbose) console.log(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

/** @param place the file of a SQLite store, or the address of a PostgreSQL one */
export async function seedConsole(place: string, size: Size): Promise<void> {
  const store = place.startsWith('postgres:') ? openPostgres(place) : openSqlite(place)
  const run = (what: string, sql: string): Promise<void> => timed(what, () => store.run(sql))
  await run(
    'accounts',
    `INSERT INTO users (username, display_name, password_hash, email, role, status, quota, created_time)
      SELECT 'user' || i, 'User ' || i, '', 'user' || i || '@example.com', 1, 1, 0, ${size.to} FROM ${store.numbers(size.accounts)}`,
  )
  // Creating the indexes after the rows takes a tenth of the time.
  const indexes = await store.logIndexes()
  for (const { name } of indexes) await run(`drop ${name}`, `DROP INDEX ${name}`)
  await run('log', logRows(size, store.numbers(size.rows)))
  for (const { name, sql } of indexes) await run(name, sql)
  await store.settle()
  await store.close()
  await (place.startsWith('postgres:') ? addUpAtOnce(place) : addUp(place))
}

/** Columns of the tables of sums that hold a time. */
const times: readonly string[] = ['hour', 'start']

/** Adds up the usage, which the server itself would do in small steps. */
async function addUp(place: string): Promise<void> {
  const store = await connectStore(place, { report: console.error })
  await timed('sums of usage', async () => {
    let rows = rollUpRows
    for (let isMore = true; isMore; ) {
      isMore = await rollUpStep(store.db, { rows, upTo: Number.MAX_SAFE_INTEGER }).catch((error) => {
        // The product's time limit applies: a slow machine takes fewer rows at a time.
        if (!(error instanceof AppError) || error.code !== 'query_too_slow' || rows < 1_000) throw error
        rows = Math.floor(rows / 2)
        return true
      })
    }
  })
  await store.close()
}

/**
 * The same on PostgreSQL in one statement a table, whose indexes are created after its rows. Twenty million rows take a third of an
 * hour so, and more than an hour in steps.
 */
async function addUpAtOnce(place: string): Promise<void> {
  const store = await connectStore(place, { report: console.error })
  const client = openPool(place, { max: 1, name: 'seed', statementMs: 0, session: { work_mem: '1GB', maintenance_work_mem: '1GB' } })
  const all = { after: 0, upTo: Number.MAX_SAFE_INTEGER }
  const sums: ReadonlyMap<string, ReturnType<typeof addNames>> = new Map([
    ...usageTables.map((table) => [table.name, addLogRows(table, all.after, all.upTo)] as const),
    ['usage_errors', addErrors({ ...all, prefix: messageText('log_failed', { reason: '' }) })],
    ['usage_names', addNames(all.after, all.upTo)],
  ])
  const orders: ReadonlyMap<string, string> = new Map(
    usageTables.map(({ name, keys }) => [name, `ORDER BY ${1 + keys.findIndex(([column]) => times.includes(column))}`] as const),
  )
  for (const [table, statement] of sums) {
    const [key] = await client.unsafe<NamedStatement[]>(
      `SELECT conname AS name, pg_get_constraintdef(oid) AS sql FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'p'`,
    )
    if (key === undefined) throw new Error(`${table} has no primary key`)
    const indexes = await client.unsafe<NamedStatement[]>(
      `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = '${table}' AND indexname <> '${key.name}'`,
    )
    await client.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT ${key.name}`)
    for (const { name } of indexes) await client.unsafe(`DROP INDEX ${name}`)
    const { sql, parameters } = statement.compile(store.db)
    // The table is empty, and rows of one statement do not meet each other.
    const [insert = ''] = sql.split('ON CONFLICT')
    // In the order of time, as the server itself adds them: the rows of a month are neighbours then.
    await timed(table, () => client.unsafe(`${insert} ${orders.get(table) ?? ''}`, [...parameters]))
    await timed(key.name, () => client.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT ${key.name} ${key.sql}`))
    for (const { name, sql } of indexes) await timed(name, () => client.unsafe(sql))
  }
  await client.unsafe(
    `INSERT INTO log_marks (name, value) SELECT 'rolled-up', MAX(id) FROM logs ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
  await timed('vacuum', () => client.unsafe('VACUUM ANALYZE'))
  await client.close()
  await store.close()
}
