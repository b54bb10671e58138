import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { messageText } from '@sluice/contract'
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Db } from '../apps/server/src/db/connect.ts'
import { openPool } from '../apps/server/src/db/postgres-pool.ts'
import { settingsOf } from '../apps/server/src/db/session-settings.ts'
import { addErrors, addLogRows, addNames, usageTables } from '../apps/server/src/db/usage-tables.ts'
import { daySeconds, dayStart } from '../apps/server/src/lib/day.ts'

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

interface TableStatement {
  readonly table: string
  readonly sql: string
  readonly parameters: readonly unknown[]
}

interface Store {
  readonly engine: 'postgres' | 'sqlite'
  run(sql: string, parameters?: readonly unknown[]): Promise<unknown>
  /** Drops the indexes of a table, because creating them after the rows takes a tenth of the time. @returns creates them again */
  dropIndexes(table: string): Promise<() => Promise<void>>
  /** Makes the partitions that the log would have if the server had run for this time and kept rows for it. */
  splitLog(span: Pick<Size, 'from' | 'to'>): Promise<void>
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
    engine: 'sqlite',
    // Holds: the statements have numbers and texts as parameters.
    run: async (sql, parameters = []) => file.run(sql, [...parameters] as SQLQueryBindings[]),
    dropIndexes: async (table) => {
      // Those of keys have no SQL, and stay.
      const indexes = file
        .query<NamedStatement, [string]>(`SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
        .all(table)
      for (const { name } of indexes) file.run(`DROP INDEX ${name}`)
      return async () => {
        for (const { sql } of indexes) file.run(sql)
      }
    },
    splitLog: async () => {},
    numbers: (count) => `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n) AS numbers`,
    settle: async () => {
      file.run('PRAGMA journal_mode = WAL')
    },
    close: async () => file.close(),
  }
}

function openPostgres(url: string): Store {
  const settings = settingsOf({ statementMs: 0 }, { work_mem: '1GB', maintenance_work_mem: '1GB' })
  const client = openPool(url, { max: 1, name: 'seed', settings })
  return {
    engine: 'postgres',
    run: (sql, parameters = []) => client.unsafe(sql, [...parameters]),
    dropIndexes: async (table) => {
      const [key] = await client.unsafe<NamedStatement[]>(
        `SELECT conname AS name, pg_get_constraintdef(oid) AS sql FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'p'`,
      )
      if (key === undefined) throw new Error(`${table} has no primary key`)
      const indexes = await client.unsafe<NamedStatement[]>(
        `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = '${table}' AND indexname <> '${key.name}'`,
      )
      await client.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT ${key.name}`)
      for (const { name } of indexes) await client.unsafe(`DROP INDEX ${name}`)
      return async () => {
        await client.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT ${key.name} ${key.sql}`)
        // For a partitioned table, the statement that PostgreSQL returns does not create the indexes of the partitions.
        for (const { sql } of indexes) await client.unsafe(sql.replace(' ON ONLY ', ' ON '))
      }
    },
    splitLog: async ({ from, to }) => {
      const first = dayStart(from)
      await client.unsafe('ALTER TABLE logs DETACH PARTITION logs_before')
      for (let day = first; day < to + 3 * daySeconds; day += daySeconds)
        await client.unsafe(`CREATE TABLE logs_${day} PARTITION OF logs FOR VALUES FROM (${day}) TO (${day + daySeconds})`)
      // The server has written a few rows at its start.
      await client.unsafe('WITH moved AS (DELETE FROM logs_before RETURNING *) INSERT INTO logs SELECT * FROM moved')
      await client.unsafe(`ALTER TABLE logs ATTACH PARTITION logs_before FOR VALUES FROM (MINVALUE) TO (${first})`)
    },
    numbers: (count) => `(SELECT i FROM generate_series(1, ${count}::bigint) AS series (i)) AS numbers`,
    settle: async () => {
      await client.unsafe('VACUUM ANALYZE')
    },
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
  const picked = `SELECT i, 2 + (${squared(squared('u'))} * ${accounts}) / 1048576 AS user_id,
    'model-' || ((${squared('m')} * ${models}) / 1048576) AS model, 1 + (c * ${channels}) / 1048576 AS channel FROM (${random}) AS random`
  const isRequest = 'i % 500 <> 0'
  return `INSERT INTO logs (user_id, created_at, type, content, username, token_name, model_name, upstream_model, quota, prompt_tokens,
      completion_tokens, cached_tokens, channel_id, request_id, elapsed_ms, first_byte_ms, is_stream, attempts, end_reason, served, cost, estimated)
    SELECT user_id, ${from} + (i * ${to - from}) / ${rows}, CASE WHEN ${isRequest} THEN 2 ELSE 3 END, CASE WHEN ${isRequest} AND i % 101 = 0 THEN 'failed: upstream_unavailable' ELSE '' END, 'user' || (user_id - 1),
      CASE WHEN user_id % 2 = 0 THEN 'default' ELSE 'key ' || (user_id % 997) END, model, model, 200 + (i * 7919) % 2000, 500,
      300, 0, channel, 'req_' || i, 300 + (i * 7919) % 9000, 100 + (i * 31) % 900, 1, 1, CASE WHEN ${isRequest} THEN ${endOf} ELSE '' END,
      CASE ${endOf} WHEN 'failed' THEN 0 WHEN 'client_gone' THEN NULL ELSE 1 END,
      CASE WHEN ${isRequest} AND channel % 3 > 0 THEN (200 + (i * 7919) % 2000) * 7 / 10 END, 0
    FROM (${picked}) AS drawn`
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now()
  await work()
  if (isVerbose) console.log(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

/** @param place the file of a SQLite store, or the address of a PostgreSQL one */
export async function seedConsole(place: string, size: Size): Promise<void> {
  const store = place.startsWith('postgres:') ? openPostgres(place) : openSqlite(place)
  await timed('accounts', () =>
    store.run(
      `INSERT INTO users (username, display_name, password_hash, email, role, status, quota, created_time)
        SELECT 'user' || i, 'User ' || i, '', 'user' || i || '@example.com', 1, 1, 0, ${size.to} FROM ${store.numbers(size.accounts)}`,
    ),
  )
  await store.splitLog(size)
  const createIndexes = await store.dropIndexes('logs')
  await timed('log', () => store.run(logRows(size, store.numbers(size.rows))))
  await timed('indexes of the log', createIndexes)
  await addUp(store, sumsOf(sqlOf(store.engine)))
  await timed('settling', () => store.settle())
  await store.close()
}

/** Columns of the tables of sums that hold a time. */
const times: readonly string[] = ['hour', 'start']

/** Writes SQL for an engine without a connection to it. */
const sqlOf = (engine: 'postgres' | 'sqlite'): Db =>
  new Kysely({
    dialect: {
      createAdapter: () => (engine === 'postgres' ? new PostgresAdapter() : new SqliteAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => (engine === 'postgres' ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    },
  })

/** The statements that aggregate the whole log, one for each table of totals. */
function sumsOf(db: Db): readonly TableStatement[] {
  const upTo = Number.MAX_SAFE_INTEGER
  // In the order of time, as the server itself adds them: the rows of a month are neighbours then.
  const inOrder = (keys: ReadonlyArray<readonly [column: string, value: string]>): string =>
    `ORDER BY ${1 + keys.findIndex(([column]) => times.includes(column))}`
  const statements = [
    ...usageTables.map((table) => ({ table: table.name, statement: addLogRows(table, 0, upTo), order: inOrder(table.keys) })),
    { table: 'usage_errors', statement: addErrors({ after: 0, upTo, prefix: messageText('log_failed', { reason: '' }) }), order: '' },
    { table: 'usage_names', statement: addNames(0, upTo), order: '' },
  ]
  return statements.map(({ table, statement, order }) => {
    const { sql, parameters } = statement.compile(db)
    // The table is empty, and rows of one statement do not meet each other.
    const [insert = ''] = sql.split('ON CONFLICT')
    return { table, sql: `${insert} ${order}`, parameters }
  })
}

/**
 * Aggregates the usage in one statement per table, whose indexes are created after its rows. The server itself does it in small steps, in
 * which twenty million rows take more than an hour.
 */
async function addUp(store: Store, sums: readonly TableStatement[]): Promise<void> {
  for (const { table, sql, parameters } of sums) {
    const createIndexes = await store.dropIndexes(table)
    await timed(table, () => store.run(sql, parameters))
    await timed(`indexes of ${table}`, createIndexes)
  }
  await store.run(
    `INSERT INTO log_marks (name, value) SELECT 'rolled-up', MAX(id) FROM logs WHERE true ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
}
