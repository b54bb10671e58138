import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createReadyDatabase, type TestDatabase } from '../../test/stores.ts'
import type { PostgresStore } from './connect.ts'
import { connectPostgres } from './connect-postgres.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
let store: PostgresStore
let sql: SQL
beforeAll(async () => {
  database = await createReadyDatabase('postgres')
  store = await connectPostgres(database.url, { report: (what, error) => console.error(what, error) })
  sql = new SQL(database.url, { max: 1 })
}, 60_000)
afterAll(async () => {
  await sql.close()
  await store.close()
  await database.drop()
}, 60_000)

/** The columns of each index of accounts, with whether it can be used. */
async function indexes(): Promise<Readonly<Record<string, string>>> {
  const rows = await sql.unsafe(`SELECT relname AS name, indisvalid AS "isValid", pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname LIKE 'usage_hours_user%'`)
  // Holds: these are the columns of the query.
  const indexes = rows as unknown as readonly { name: string; isValid: boolean; definition: string }[]
  return Object.fromEntries(
    indexes.map(({ name, isValid, definition }) => [name, isValid ? definition.slice(definition.indexOf('(')) : 'not valid']),
  )
}

const present = {
  usage_hours_user_channel: '(user_id, channel_id, hour)',
  usage_hours_username_channel: '(username, channel_id, hour)',
}

/** Makes the store one of the version before. */
async function goBack(): Promise<void> {
  await sql.unsafe(`DROP INDEX IF EXISTS usage_hours_user_channel, usage_hours_username_channel`)
  await sql.unsafe(`CREATE INDEX usage_hours_user ON usage_hours (user_id, hour)`)
  await sql.unsafe(`CREATE INDEX usage_hours_username ON usage_hours (username, hour)`)
  await sql.unsafe(`DELETE FROM kysely_migration WHERE name = '089-hours-by-channel'`)
}

const upgrade = async (reached = async () => {}) => await migrate(store.db.withTables<never>(), { reached })

test('a new store has the hours of each account by channel', async () => {
  expect(await indexes()).toEqual(present)
})

test('a store of the version before gets them, built before the transaction of the migrations', async () => {
  await goBack()
  const killed = upgrade(async () => {
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await indexes()).toEqual(present)
  await upgrade()
  expect(await indexes()).toEqual(present)
})

test('nobody waits for the replacement while it waits for a long read', async () => {
  await goBack()
  const reader = new SQL(database.url, { max: 1 })
  const mayEnd = Promise.withResolvers<void>()
  const hasRead = Promise.withResolvers<void>()
  const reading = reader.begin(async (read) => {
    await read.unsafe('SELECT count(*) FROM usage_hours')
    hasRead.resolve()
    await mayEnd.promise
  })
  await hasRead.promise
  const upgrading = upgrade()
  for (let isWaiting = false; !isWaiting; ) {
    const [row] = await sql.unsafe(`SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'DROP INDEX CONCURRENTLY%'`)
    isWaiting = row.waiting === 1
  }
  await sql.unsafe(`SET lock_timeout = '100ms'`)
  await sql.unsafe('UPDATE usage_hours SET requests = requests')
  await sql.unsafe('SELECT count(*) FROM usage_hours')
  mayEnd.resolve()
  await Promise.all([reading, upgrading])
  await reader.close()
  await sql.unsafe(`SET lock_timeout = 0`)
  expect(await indexes()).toEqual(present)
})

test('an index that a killed process left half built is built anew', async () => {
  await goBack()
  await sql.unsafe(`INSERT INTO usage_hours (hour, user_id, username, token_name, model_name, channel_id,
    requests, failures, quota, prompt_tokens, completion_tokens, elapsed_ms)
    SELECT 3600, 1, 'root', token_name, 'm', 1, 1, 0, 0, 0, 0, 0 FROM unnest(ARRAY['a', 'b']) AS token_name`)
  const cut = sql.unsafe(`CREATE UNIQUE INDEX CONCURRENTLY usage_hours_user_channel ON usage_hours (user_id, channel_id, hour)`)
  expect(
    await cut.then(
      () => 'built',
      () => 'cut',
    ),
  ).toBe('cut')
  expect(await indexes()).toMatchObject({ usage_hours_user_channel: 'not valid' })
  await upgrade()
  expect(await indexes()).toEqual(present)
})
