import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { start } from '../src/db/migrations/001-start.ts'
import { accounts as peoplesAccounts } from '../src/db/migrations/002-accounts.ts'
import { codes } from '../src/db/migrations/003-codes.ts'
import { openForReading } from '../src/db/open-beside.ts'
import { sqliteDialect } from '../src/db/sqlite-dialect.ts'
import { verify } from '../src/ledger/verify.ts'
import { createMutex } from '../src/lib/mutex.ts'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { fromSources, prepare, processPassword, runServer, startServer } from './server-process.ts'

// The server copies a SQLite database of an earlier version before its tables change. For PostgreSQL operators make dumps.

const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const older = { '001-start': start, '002-accounts': peoplesAccounts, '003-codes': codes }
const copyName = 'sluice.db.before-003-codes'

/** A database of a version that had three migrations. */
async function olderDatabase(): Promise<string> {
  const place = join(folder, 'older.db')
  const file = new Database(place, { create: true })
  const db = new Kysely<never>({ dialect: sqliteDialect(file, createMutex()) })
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => older } }).migrateToLatest()
  expect(error).toBeUndefined()
  file.run(`INSERT INTO users (username, display_name, password_hash, role, status, created_time) VALUES ('ann', 'Ann', '', 1, 1, 0)`)
  file.run(`INSERT INTO channels (type, name, key_sealed, status, weight, priority, created_time, base_url, other, models, groups, model_mapping,
    config_sealed, used_quota) VALUES (1, 'up', '', 2, 0, 0, 0, '', '', 'gpt-4o', 'default', '', '', 7)`)
  for (const [kind, ref, amount] of [
    ['grant', 'a', 100],
    ['consume', 'b', -30],
    ['consume', 'c', -5],
  ] as const)
    file.run('INSERT INTO ledger (kind, ref, user_id, account, amount, created_at) VALUES (?, ?, 1, ?, ?, 0)', [
      kind,
      ref,
      `sys:${kind}`,
      amount,
    ])
  file.close()
  return place
}

const source = await olderDatabase()

/** Creates a server's folder with such a database. */
function upgradeFolder(name: string) {
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  copyFileSync(source, join(dataDir, 'sluice.db'))
  // Every version has written a master key at its first start.
  writeFileSync(join(dataDir, 'secret.key'), randomBytes(32).toString('base64'))
  const variables = { DATA_DIR: dataDir, INITIAL_ROOT_PASSWORD: 'a root password' }
  return { dataDir, database: join(dataDir, 'sluice.db'), copy: join(dataDir, copyName), variables }
}

/** Content of a database of any version. */
function look(place: string) {
  const file = new Database(place, { readonly: true })
  const first = <Row>(sql: string): Row | null => file.query<Row, []>(sql).get()
  const isThere = (table: string): boolean => first(`SELECT 1 FROM sqlite_master WHERE name = '${table}'`) !== null
  const state = {
    integrity: first<{ integrity_check: string }>('PRAGMA integrity_check')?.integrity_check,
    last: first<{ name: string }>('SELECT max(name) AS name FROM kysely_migration')?.name,
    served: first<{ used_quota: number }>(`SELECT used_quota FROM ${isThere('channel_usage') ? 'channel_usage' : 'channels'}`)?.used_quota,
    accounts: isThere('ledger_accounts') ? file.query('SELECT name, balance FROM ledger_accounts ORDER BY name').values() : [],
    people: file.query<{ username: string }, []>('SELECT username FROM users ORDER BY id').values().flat(),
  }
  file.close()
  return state
}

const asItWas = { integrity: 'ok', last: '003-codes', served: 7, accounts: [], people: ['ann'] }
const accounts = [
  ['sys:consume', 35],
  ['sys:grant', -100],
]
const upgraded = { integrity: 'ok', last: expect.not.stringContaining('003-codes'), served: 7, accounts, people: ['ann'] }
const copies = (dataDir: string): readonly string[] =>
  readdirSync(dataDir)
    .filter((name) => name.includes('.before'))
    .sort()

async function startAndStop(variables: Readonly<Record<string, string>>): Promise<string> {
  const server = await startServer(variables)
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  return server.printed()
}

test('a database of an earlier version is copied, an earlier copy is replaced, and the copy can be restored', async () => {
  const { dataDir, database, copy, variables } = upgradeFolder('plain')
  writeFileSync(join(dataDir, 'sluice.db.before-001-start'), 'of an upgrade before')
  writeFileSync(join(dataDir, 'sluice.db.before-lunch'), 'somebody else made this')
  chmodSync(database, 0o644)

  expect(await startAndStop(variables)).toContain(copy)
  expect(look(copy)).toEqual(asItWas)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(copies(dataDir)).toEqual([copyName, 'sluice.db.before-lunch'])
  expect(look(database)).toEqual(upgraded)

  rmSync(copy)
  expect(await startAndStop(variables)).not.toContain('before')
  expect(copies(dataDir)).toEqual(['sluice.db.before-lunch'])
}, 60_000)

test('a restored copy is the database of before, and can be upgraded again', async () => {
  const { database, copy, variables } = upgradeFolder('back')
  await startAndStop(variables)
  copyFileSync(copy, database)
  for (const beside of ['-wal', '-shm']) rmSync(database + beside, { force: true })
  expect(look(database)).toEqual(asItWas)
  await startAndStop(variables)
  expect([look(copy), look(database)]).toEqual([asItWas, upgraded])
}, 60_000)

test('an upgraded installation responds at every host name and says so; a new one only at addresses and localhost', async () => {
  const { variables } = upgradeFolder('hosts')
  const fresh = { DATA_DIR: join(folder, 'hosts-new'), INITIAL_ROOT_PASSWORD: processPassword }
  const servers = await Promise.all([startServer(variables), startServer(fresh)])
  const statusOf = async (url: string) => (await fetch(`${url}/api/status`, { headers: { host: 'ai.example.com' } })).status
  expect(await Promise.all(servers.map(({ url }) => statusOf(url)))).toEqual([200, 421])
  for (const server of servers) server.signal('SIGTERM')
  await Promise.all(servers.map(({ exited }) => exited))
  expect(servers.map((server) => server.printed().includes('responds at every host name'))).toEqual([true, false])
})

test('a new database is not copied', async () => {
  const dataDir = join(folder, 'new')
  await startAndStop({ DATA_DIR: dataDir, INITIAL_ROOT_PASSWORD: 'a root password' })
  expect(copies(dataDir)).toEqual([])
}, 60_000)

test.each(['copying:1', 'copied:1', 'copy-kept:1', 'migrated:1'])(
  'a start that is killed at %s leaves the database unchanged, and the next one makes the copy and upgrades (P12)',
  async (step) => {
    const { dataDir, database, copy, variables } = upgradeFolder(step)
    expect((await runServer([], { ...variables, FAIL_AT: step })).code).toBe(128 + 9)
    expect(look(database)).toEqual(asItWas)
    for (const name of copies(dataDir)) if (name === copyName) expect(look(copy)).toEqual(asItWas)
    await startAndStop(variables)
    expect(copies(dataDir)).toEqual([copyName])
    expect([look(copy), look(database)]).toEqual([asItWas, upgraded])
  },
  60_000,
)

test('a start without room for the copy says so and changes nothing', async () => {
  const { dataDir, database, variables } = upgradeFolder('full')
  const { code, text } = await runServer([], { ...variables, FAIL_AT: 'copying:1:full' })
  expect([code, text.includes('not enough disk space for a copy')]).toEqual([1, true])
  expect([look(database), copies(dataDir)]).toEqual([asItWas, []])
  await startAndStop(variables)
  expect(copies(dataDir)).toEqual([copyName])
}, 60_000)

const later = fromSources(join(import.meta.dir, 'later-version.ts'))

/** Sends a request with each version in turn on one database. @returns what the books say afterwards */
async function useInTurn(variables: Readonly<Record<string, string>>, programs: readonly (readonly string[])[]) {
  const upstream = await startFakeUpstream()
  upstream.fallback(() => json(chatResponse('hello', { prompt_tokens: 100, completion_tokens: 50 })))
  let headers: Record<string, string> | null = null
  for (const program of programs) {
    const server = await startServer({ ...variables, INITIAL_ROOT_PASSWORD: processPassword }, program)
    headers ??= await prepare(server, upstream)
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect([response.status, (await fetch(`${server.url}/readyz`)).status]).toEqual([200, 200])
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
  }
  await upstream.close()
  const { db, close } = openForReading(join(variables['DATA_DIR'] ?? '', 'sluice.db'))
  const { checks } = await verify(db, { withLogs: true })
  const charges = await db.selectFrom('ledger').select('id').where('kind', '=', 'consume').execute()
  await close()
  return { broken: checks.flatMap(({ broken }) => broken), charges: charges.length }
}

test('an upgrade that has only added to the tables can be taken back by starting the earlier version, without a loss', async () => {
  const dataDir = join(folder, 'added')
  const books = await useInTurn({ DATA_DIR: dataDir }, [fromSources(), later, fromSources(), later])
  expect(books).toEqual({ broken: [], charges: 4 })
  const file = new Database(join(dataDir, 'sluice.db'), { readonly: true })
  // One row of each version, and the earlier one's with the default.
  expect(file.query('SELECT DISTINCT added FROM ledger').values()).toEqual([['by the later version']])
  file.close()
}, 60_000)

test('a version does not start where a later one has removed something, and names the change', async () => {
  const dataDir = join(folder, 'removed')
  const variables = { DATA_DIR: dataDir, INITIAL_ROOT_PASSWORD: 'a root password' }
  await startAndStop(variables)
  const file = new Database(join(dataDir, 'sluice.db'))
  file.run("INSERT INTO kysely_migration (name, timestamp) VALUES ('999-contract-tokens', '2030-01-01')")
  file.close()
  const { code, text } = await runServer([], variables)
  expect([code, text]).toEqual([1, expect.stringContaining('a later version of Sluice has changed its tables (999-contract-tokens)')])
}, 60_000)
