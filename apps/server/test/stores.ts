import type { Store } from '../src/db/connect.ts'
import { connectPostgres } from '../src/db/connect-postgres.ts'
import { connectSqlite } from '../src/db/connect-sqlite.ts'
import { sharedPostgres } from './postgres-server.ts'

export type Engine = 'sqlite' | 'postgres'

/** The engine that a run of the tests uses. */
export const testEngine: Engine = process.env['TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'

/** A database for one test. */
export interface TestDatabase {
  /** Empty = SQLite. */
  readonly url: string
  drop(): Promise<void>
}

export async function createTestDatabase(engine: Engine = testEngine): Promise<TestDatabase> {
  if (engine === 'sqlite') return { url: '', drop: async () => {} }
  const server = await sharedPostgres()
  const url = await server.createDatabase()
  return { url, drop: () => server.dropDatabase(url) }
}

let model: Promise<string> | null = null

/** A database with the current tables, which is copied for tests: creating the tables takes longer than most tests. */
async function makeModel(): Promise<string> {
  const url = await (await sharedPostgres()).createDatabase()
  const { close } = await connectPostgres(url, { report: (what, error) => console.error(what, error) })
  await close()
  return url
}

/** A database for one test with the current tables, which are empty. */
export async function createReadyDatabase(engine: Engine = testEngine): Promise<TestDatabase> {
  if (engine === 'sqlite') return await createTestDatabase(engine)
  model ??= makeModel()
  const server = await sharedPostgres()
  const url = await server.createDatabase(await model)
  return { url, drop: () => server.dropDatabase(url) }
}

let image: Promise<Uint8Array> | null = null

/** The bytes of an SQLite database with the current tables, which tests open as a copy in memory. */
export function sqliteImage(): Promise<Uint8Array> {
  image ??= makeImage()
  return image
}

async function makeImage(): Promise<Uint8Array> {
  const store = await connectSqlite(':memory:')
  const serialized = Promise.withResolvers<Uint8Array>()
  await store.batch((file) => file.serialize(), serialized.resolve)
  await store.close()
  return await serialized.promise
}

/** An empty database that is deleted when it is closed. */
export async function openTestStore(engine: Engine = testEngine): Promise<Store> {
  if (engine === 'sqlite') return await connectSqlite(await sqliteImage())
  const { url, drop } = await createReadyDatabase(engine)
  const store = await connectPostgres(url, { report: (what, error) => console.error(what, error) })
  return {
    ...store,
    async close() {
      await store.close()
      await drop()
    },
  }
}

/** Makes what this process has reserved that of an earlier start, which has ended. Reservations with the epoch 0 belong to no start. */
export async function leaveBehind({ engine, db }: Store): Promise<void> {
  if (engine === 'sqlite') return
  await db.updateTable('holds').set({ epoch: -1 }).where('task_id', '=', '').execute()
  await db.updateTable('leases').set({ epoch: -1 }).execute()
}
