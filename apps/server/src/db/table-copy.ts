import { type Kysely, sql } from 'kysely'
import type { Db } from './connect.ts'
import { currentSchema } from './current-schema.ts'
import type { Schema } from './schema.ts'

/** Tables about running processes, which belong to a database and not to what it stores. */
type ProcessTable = 'nodes' | 'leases'

/** Triggers count what is copied into other tables. */
type CountedTable = 'stored_bytes'

type CopiedTable = Exclude<keyof Schema, ProcessTable | CountedTable>

/**
 * Every copied table with its key columns, referenced tables before those that refer to them. A table that is missing here does not compile.
 */
const keysOf: Readonly<Record<CopiedTable, readonly [string, ...string[]]>> = {
  users: ['id'],
  grants_due: ['ref'],
  sessions: ['id_hash'],
  second_factors: ['user_id'],
  recovery_codes: ['user_id', 'code_lookup'],
  passkeys: ['id'],
  access_tokens: ['id'],
  setup_links: ['user_id'],
  installation_marks: ['name'],
  notification_rules: ['id'],
  notification_breaches: ['rule_id', 'subject'],
  notification_deliveries: ['id'],
  codes: ['key_hash'],
  counters: ['key_hash'],
  tokens: ['id'],
  channels: ['id'],
  channel_usage: ['channel_id'],
  channel_tests: ['id'],
  redemptions: ['id'],
  options: ['key'],
  changes: ['id'],
  master_key: ['fingerprint'],
  holds: ['request_id'],
  ledger: ['id'],
  ledger_accounts: ['name'],
  ledger_set_aside: ['id'],
  logs: ['id'],
  usage_hours: ['hour', 'user_id', 'username', 'token_name', 'model_name', 'channel_id'],
  usage_sums: ['scope', 'hour', 'name'],
  usage_accounts: ['user_id', 'hour', 'token_name'],
  usage_account_spans: ['hours', 'start', 'user_id', 'token_name'],
  usage_pairs: ['scope', 'one', 'other', 'hour'],
  usage_times: ['scope', 'name', 'hour'],
  usage_errors: ['scope', 'name', 'hour', 'code'],
  usage_names: ['username', 'user_id'],
  log_marks: ['name'],
  imported: ['source', 'kind', 'source_id'],
  kept_answers: ['user_id', 'id'],
  tasks: ['id'],
  task_contents: ['task_id', 'place'],
  task_files: ['id'],
  task_order_keys: ['user_id', 'client_key'],
  task_characters: ['id'],
}

export const tableNames: readonly string[] = Object.keys(keysOf)

/** Whether the database assigns the ids of a table. */
export const isCounted = (table: string): boolean => keyColumns(table)[0] === 'id'

/** Tables whose names are known only at run time. */
type AnyTables = Record<string, Record<string, unknown>>
type AnyDb = Kysely<AnyTables>

export function asAny(db: Db): AnyDb {
  // Holds: it is the same object; only the types of its tables are lost.
  return db as unknown as AnyDb
}

/** Rows read and written at a time: SQLite takes 32,766 values in one statement, and no table has sixty columns. */
const pageRows = 500

/** @returns how many rows were copied */
export async function copyTable(from: AnyDb, to: AnyDb, table: string): Promise<number> {
  let copied = 0
  let last: Record<string, unknown> | undefined
  for (;;) {
    const rows = await readPage(from, table, last)
    if (rows.length === 0) return copied
    await to.insertInto(table).values(rows).execute()
    copied += rows.length
    last = rows.at(-1)
  }
}

/** The rows after the last one that was read. */
async function readPage(from: AnyDb, table: string, last: Record<string, unknown> | undefined): Promise<Record<string, unknown>[]> {
  const keys = keyColumns(table)
  let query = from.selectFrom(table).selectAll().limit(pageRows)
  for (const key of keys) query = query.orderBy(key)
  if (last !== undefined) {
    const columns = sql.join(keys.map((key) => sql.ref(key)))
    query = query.where(sql<boolean>`(${columns}) > (${sql.join(keys.map((key) => last[key]))})`)
  }
  return await query.execute()
}

function keyColumns(table: string): readonly string[] {
  // Holds: names come from `tableNames`.
  return keysOf[table as CopiedTable]
}

/** The number of rows of a table, and the sum of each of its integer columns. */
export async function totalsOf(db: AnyDb, table: string): Promise<Readonly<Record<string, unknown>>> {
  const own = await currentSchema(db)
  const tableInfo = (await db.introspection.getTables()).find(({ name, schema }) => name === table && (own === null || schema === own))
  const numbers = (tableInfo?.columns ?? []).filter(({ dataType }) => /int/i.test(dataType)).map(({ name }) => name)
  return await db
    .selectFrom(table)
    .select(({ fn }) => [fn.countAll().as('rows'), ...numbers.sort().map((name) => fn.sum(name).as(name))])
    .executeTakeFirstOrThrow()
}
