import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, type DataOf, type Endpoint, type InputOf, tokenStatus, userStatus } from '@sluice/contract'
import { syncedName } from './copy-at-sync.ts'
import { fromSources, processPassword, type ServerProcess, startServer } from './server-process.ts'

// What a power failure leaves after changes by people were acknowledged. SQLite only: PostgreSQL confirms a commit when it is on its disk.

const folder = mkdtempSync(join(tmpdir(), 'sluice-power-'))
let server: ServerProcess
let cookie = ''
let count = 0

async function send(path: string, method: string, body: object): Promise<Response> {
  return await fetch(server.url + path, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(body) }),
  })
}

async function call<E extends Endpoint>({ path, method }: E, input: InputOf<E>): Promise<DataOf<E>> {
  // Holds: every input is an object.
  const members = input as Record<string, unknown>
  const place = path.replace(/:(\w+)/g, (_, name: string) => String(members[name])).replace(/\?(\w+)$/, '?$1=1')
  const response = await send(place, method, members)
  // Holds: every response of the management API is an envelope.
  const { success, message, data } = (await response.json()) as { success: boolean; message: string; data: DataOf<E> }
  if (!success) throw new Error(message)
  return data
}

beforeAll(async () => {
  const variables = { DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword }
  server = await startServer(variables, fromSources(join(import.meta.dir, 'copy-at-sync.ts')))
  cookie = await logIn('root', processPassword)
}, 60_000)
afterAll(async () => {
  server.signal('SIGKILL')
  await server.exited
  rmSync(folder, { recursive: true, force: true })
})

async function logIn(username: string, password: string): Promise<string> {
  const response = await send(contract.account.login.path, 'POST', { username, password })
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** A query on what the disk certainly holds at this moment. */
function onDisk(sql: string, ...values: readonly (string | number)[]): unknown {
  const copy = join(folder, `seen${count++}.db`)
  const synced = join(folder, syncedName)
  copyFileSync(synced, copy)
  if (existsSync(`${synced}-wal`)) copyFileSync(`${synced}-wal`, `${copy}-wal`)
  const file = new Database(copy)
  const row = file.query(sql).values(...values)[0]?.[0]
  file.close()
  return row
}

test('a login with a response is stored', () => {
  expect(onDisk('SELECT COUNT(*) FROM sessions')).toBe(1)
})

test('a token that was disabled stays disabled', async () => {
  const { id } = await call(contract.token.create, { name: 'sold' })
  expect(onDisk('SELECT status FROM tokens WHERE id = ?', id)).toBe(tokenStatus.enabled)
  await call(contract.token.setStatus, { id, status: tokenStatus.disabled })
  expect(onDisk('SELECT status FROM tokens WHERE id = ?', id)).toBe(tokenStatus.disabled)
  await call(contract.token.remove, { id })
  expect(onDisk('SELECT COUNT(*) FROM tokens WHERE id = ?', id)).toBe(0)
})

test('codes that were handed out exist', async () => {
  await call(contract.redemption.create, { name: 'codes', quota: 5_000_000, count: 2 })
  expect(onDisk('SELECT COUNT(*) FROM redemptions')).toBe(2)
})

test('a changed password, a banned account and a changed option are stored', async () => {
  await call(contract.user.create, { username: 'ann', password: 'her password' })
  const hash = onDisk('SELECT password_hash FROM users WHERE username = ?', 'ann')
  expect(hash).toBeString()
  const id = Number(onDisk('SELECT id FROM users WHERE username = ?', 'ann'))
  await call(contract.user.update, { id, password: 'another password' })
  expect(onDisk('SELECT password_hash FROM users WHERE id = ?', id)).not.toBe(hash)
  await call(contract.user.manage, { username: 'ann', action: 'disable' })
  expect(onDisk('SELECT status FROM users WHERE id = ?', id)).toBe(userStatus.banned)
  await call(contract.option.update, { key: 'Notice', value: 'kept' })
  expect(onDisk('SELECT value FROM options WHERE "key" = ?', 'Notice')).toBe('kept')
})

test('a call that changes nothing waits for no sync', async () => {
  await call(contract.option.update, { key: 'Notice', value: 'written' })
  const { mtimeMs } = statSync(join(folder, syncedName))
  await call(contract.user.get, { id: 1 })
  expect(statSync(join(folder, syncedName)).mtimeMs).toBe(mtimeMs)
})
