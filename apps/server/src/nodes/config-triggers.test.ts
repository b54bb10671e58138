import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { createReadyDatabase } from '../../test/stores.ts'
import type { Db, PostgresStore } from '../db/connect.ts'
import { connectPostgres } from '../db/connect-postgres.ts'
import type { Schema } from '../db/schema.ts'
import { findCaller } from '../relay/ingress/token-queries.ts'
import { listChannels } from '../relay/routing/channel-queries.ts'

describe('the rows that triggers write', () => {
  let store: PostgresStore
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await createReadyDatabase('postgres')
    drop = database.drop
    store = await connectPostgres(database.url, { report: (what, error) => console.error(what, error) })
    await sql`INSERT INTO users (username, display_name, password_hash, role, status, created_time) VALUES ('a', 'a', '', 1, 1, 0)`.execute(
      store.db,
    )
    await sql`INSERT INTO tokens (user_id, key_lookup, key_sealed, name, status, created_time, accessed_time, expired_time, remain_quota,
      unlimited_quota, models, subnet) VALUES (1, 'k', '', 't', 1, 0, 0, -1, 0, 0, '', '')`.execute(store.db)
    await sql`INSERT INTO channels (type, name, key_sealed, status, weight, priority, created_time, base_url, other, models, groups,
      model_mapping, config_sealed) VALUES (1, 'c', '', 1, 0, 0, 0, '', '', '', '', '', '')`.execute(store.db)
  }, 60_000)
  afterAll(async () => {
    await store.close()
    await drop()
  })

  const noted = async (): Promise<readonly string[]> => {
    const { rows } = await sql<{ what: string }>`DELETE FROM config_changes RETURNING what`.execute(store.db)
    return rows.map(({ what }) => what)
  }

  /** Sets a column to another value of its type. */
  async function setOther(table: string, column: string): Promise<void> {
    const { rows } = await sql<{ type: string }>`SELECT data_type AS type FROM information_schema.columns
      WHERE table_name = ${table} AND column_name = ${column} AND table_schema = current_schema()`.execute(store.db)
    const other = rows[0]?.type === 'text' ? sql`${sql.ref(column)} || 'x'` : sql`${sql.ref(column)} + 1`
    await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${other}`.execute(store.db)
  }

  test.each([
    ['tokens', 'token', (db: Db) => findCaller(db, '')],
    ['users', 'user', (db: Db) => findCaller(db, '')],
    ['channels', 'channels', (db: Db) => listChannels(db, [1])],
  ] as const)('name every column of %s that a node keeps in memory', async (table, what, query) => {
    const text = await textOf(query)
    const selected = text.slice(0, text.indexOf(' from '))
    const named = [...selected.matchAll(/(?:"(\w+)"\.)?"(\w+)"(?: as "\w+")?(?:,|$)/g)]
    const columns = named.flatMap(([, of = table === 'users' ? 'tokens' : table, column = '']) =>
      of === table && column !== 'id' ? [column] : [],
    )
    expect(columns.length).toBeGreaterThan(3)
    await noted()
    for (const column of columns) {
      await setOther(table, column)
      expect({ column, noted: await noted() }).toEqual({ column, noted: [what] })
    }
  })

  test('are none where the ledger charges', async () => {
    await noted()
    await sql`UPDATE users SET quota = quota + 1, used_quota = used_quota + 1, request_count = request_count + 1`.execute(store.db)
    await sql`UPDATE tokens SET remain_quota = 1, used_quota = 1, accessed_time = 1`.execute(store.db)
    await sql`UPDATE channels SET test_time = 1, response_time = 1, balance = 1`.execute(store.db)
    await sql`UPDATE tokens SET status = status`.execute(store.db)
    expect(await noted()).toEqual([])
  })
})

/** The text of a query, which is not sent. */
async function textOf(query: (db: Db) => Promise<unknown>): Promise<string> {
  const texts: string[] = []
  await query(
    new Kysely<Schema>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
      log: ({ query: { sql: text } }) => void texts.push(text),
    }),
  )
  return texts[0] ?? ''
}
