import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { fromSources, runServer, startServer } from './server-process.ts'
import { createReadyDatabase } from './stores.ts'
import { startTransactionPooler } from './transaction-pooler.ts'

// What a database can be like so that a server refuses to start on it, and what it says then.

let server: PostgresServer
let dataDir: string
beforeAll(async () => {
  server = await startPostgres()
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-start-'))
}, 60_000)
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = (url: string, variables: Readonly<Record<string, string>> = {}, program = fromSources()) =>
  runServer([], { DATABASE_URL: url, DATA_DIR: dataDir, SLUICE_SECRET: 'a master key for the tests', ...variables }, program)

/** Runs statements on a database. */
async function change(url: string, ...statements: readonly string[]): Promise<void> {
  const line = new SQL(url, { max: 1 })
  for (const statement of statements) await line.unsafe(statement)
  await line.close()
}

describe('a server refuses to start and says why', () => {
  test('on a machine whose clock differs by minutes from that of the database', async () => {
    const url = await server.createDatabase()
    const clock = join(dataDir, 'clock')
    for (const [minutes, side] of [
      [-5, 'behind'],
      [5, 'ahead of'],
    ] as const) {
      writeFileSync(clock, new Float64Array([minutes * 60_000]))
      const { code, text } = await start(url, { CLOCK_FILE: clock }, fromSources(join(import.meta.dir, 'settable-clock.ts')))
      expect(code).toBe(1)
      expect(text).toMatch(new RegExp(`the clock of this machine is (?:299|300|301) seconds ${side} that of the database`))
    }
  }, 60_000)

  test('through a pooler in transaction mode', async () => {
    const pooler = await startTransactionPooler(await server.createDatabase())
    const { code, text } = await start(pooler.url)
    expect([code, text]).toEqual([1, expect.stringContaining('a pooler in transaction mode')])
    pooler.close()
  }, 60_000)

  test('on a database at its limit of connections', async () => {
    const url = await server.createDatabase()
    await change(url, `CREATE ROLE narrow LOGIN CONNECTION LIMIT 1`)
    const { code, text } = await start(Object.assign(new URL(url), { username: 'narrow' }).href)
    expect([code, text]).toEqual([1, expect.stringContaining('it is at its limit of connections')])
  }, 60_000)

  test('on a database of another encoding', async () => {
    const url = await server.createDatabase()
    await change(url, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    const { code, text } = await start(Object.assign(new URL(url), { pathname: '/latin' }).href)
    expect([code, text]).toEqual([1, expect.stringContaining('its encoding is LATIN1, and UTF8 is required')])
  }, 60_000)

  test('with another master key than that of the nodes that run', async () => {
    const database = await createReadyDatabase('postgres')
    await change(
      database.url,
      "INSERT INTO master_key (fingerprint) VALUES ('of another key')",
      "INSERT INTO nodes (id, version, state, started_ms, heartbeat_ms) VALUES ('other', '', 'live', 0, 99999999999999)",
    )
    const { code, text } = await start(database.url)
    expect([code, text]).toEqual([1, expect.stringContaining('the same SLUICE_SECRET')])
    await database.drop()
  }, 60_000)

  test('on a database from which a later version has removed something', async () => {
    const database = await createReadyDatabase('postgres')
    await change(database.url, "INSERT INTO kysely_migration (name, timestamp) VALUES ('999-contract-tokens', '2030-01-01')")
    const { code, text } = await start(database.url)
    expect([code, text]).toEqual([1, expect.stringContaining('a later version of Sluice has changed its tables (999-contract-tokens)')])
    await database.drop()
  }, 60_000)
})

test('a server starts on a database to which a later version has only added something, and an upgrade can so be taken back', async () => {
  const database = await createReadyDatabase('postgres')
  await change(
    database.url,
    "INSERT INTO kysely_migration (name, timestamp) VALUES ('999-later', '2030-01-01')",
    'CREATE TABLE of_a_later_version (id bigint)',
    'ALTER TABLE tokens ADD COLUMN of_a_later_version text',
  )
  const running = await startServer({ DATABASE_URL: database.url, DATA_DIR: dataDir, SLUICE_SECRET: 'a master key for the tests' })
  expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
  running.signal('SIGTERM')
  expect(await running.exited).toBe(0)
  await database.drop()
}, 60_000)
