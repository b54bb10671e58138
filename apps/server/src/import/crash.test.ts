import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeGatewayDatabase } from '../../test/gateway-database.ts'
import { runServer, until } from '../../test/server-process.ts'
import { createTestDatabase } from '../../test/stores.ts'
import type { Db } from '../db/connect.ts'
import { openForReading } from '../db/open-beside.ts'
import { isThere, storePlace } from '../db/store-place.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-import-crash-'))
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const count = 3_000
const numbers = Array.from({ length: count }, (_, index) => index + 1)
const source = join(folder, 'gateway.db')
const database = await createTestDatabase()
const own = storePlace({ dataDir: join(folder, 'data'), databaseUrl: database.url })
const variables = {
  DATA_DIR: join(folder, 'data'),
  DATABASE_URL: database.url,
  SLUICE_SECRET: 'a master key for the tests',
  LOG_LEVEL: 'silent',
}

async function rowsIn(table: 'users' | 'tokens' | 'logs'): Promise<number> {
  const { db, close } = openForReading(own)
  try {
    return (await db.selectFrom(table).select('id').execute()).length
  } catch {
    // The table does not exist yet.
    return 0
  } finally {
    await close()
  }
}

/** Starts the import and kills it as soon as the table has more rows than before. */
async function killWithin(table: 'users' | 'tokens' | 'logs'): Promise<void> {
  const before = isThere(own) ? await rowsIn(table) : 0
  const cmd = [process.execPath, '--no-orphans', join(import.meta.dir, '../main.ts'), 'import', source, '--apply']
  const child = Bun.spawn({ cmd, env: variables, stdout: 'ignore', stderr: 'ignore' })
  await until(async () => child.exitCode !== null || (isThere(own) && (await rowsIn(table)) > before))
  child.kill('SIGKILL')
  await child.exited
}

const sumQuota = async (db: Db): Promise<number> =>
  (await db.selectFrom('users').select('quota').execute()).reduce((sum, { quota }) => sum + quota, 0)

test('an import that is killed repeatedly imports every row and every balance once', async () => {
  makeGatewayDatabase(source, 'one-api-0.6.8', {
    users: numbers.map((id) => ({ id, username: `user${id}`, password: '', quota: id, used_quota: 2 * id, aff_code: `c${id}` })),
    tokens: numbers.map((id) => ({ id, user_id: id, key: String(id).padStart(48, 'k'), name: 'work', used_quota: id })),
    logs: numbers.map((id) => ({ id, user_id: id, created_at: 1_700_000_000 + id, type: 2, quota: 1, username: `user${id}` })),
  })
  for (const table of ['users', 'users', 'tokens', 'tokens', 'logs', 'logs'] as const) await killWithin(table)
  const last = await runServer(['import', source, '--apply'], variables)
  expect(last.text).toContain('The ledger is consistent.')
  expect(last.code).toBe(0)
  for (const table of ['users', 'tokens'] as const) expect(await rowsIn(table)).toBe(count)
  const { db, close } = openForReading(own)
  expect(await sumQuota(db)).toBe((count * (count + 1)) / 2)
  const logged = await db.selectFrom('logs').select('request_id').where('type', '=', 2).execute()
  expect(logged).toHaveLength(count)
  expect(new Set(logged.map((row) => row.request_id)).size).toBe(count)
  await close()
  expect((await runServer(['verify'], variables)).code).toBe(0)
}, 120_000)
