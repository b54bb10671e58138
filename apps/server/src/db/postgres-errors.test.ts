import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createReadyDatabase, type TestDatabase } from '../../test/stores.ts'
import type { PostgresStore } from './connect.ts'
import { connectPostgres } from './connect-postgres.ts'

let database: TestDatabase
let store: PostgresStore
beforeAll(async () => {
  database = await createReadyDatabase('postgres')
  store = await connectPostgres(database.url, { report: () => {} })
}, 60_000)
afterAll(async () => {
  await store.close()
  await database.drop()
}, 60_000)

test.each([
  ['53200', 'no room for the locks of a query', 'database_unavailable'],
  ['53100', 'a full disk', 'database_unavailable'],
  ['57014', 'a query that takes too long', 'query_too_slow'],
])('%s, %s, is reported as temporary', async (state, _what, code) => {
  const raised = sql`DO ${sql.raw(`$$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${state}'; END $$`)}`.execute(store.db)
  expect(await raised.catch((error: unknown) => error)).toMatchObject({ code })
})

test('a mistake in a query stays one', async () => {
  const failed = await sql`SELECT nothing FROM nowhere`.execute(store.db).catch((error: unknown) => error)
  expect(failed).toMatchObject({ errno: '42P01' })
})
