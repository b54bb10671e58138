import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { testApp } from './app.ts'
import { chatResponse, chatStream, json, startFakeUpstream } from './fake-upstream.ts'
import { numbersFrom } from './numbers-from.ts'
import { type ServerProcess, startServer, until } from './server-process.ts'

// A full or broken disk under a SQLite database. PostgreSQL's disk is not the server's.

const folder = mkdtempSync(join(tmpdir(), 'sluice-disk-'))
const place = join(folder, 'sluice.db')
const accessToken = 'disk'.padEnd(40, 'x')
const variables = { DATA_DIR: folder, INITIAL_ROOT_PASSWORD: 'a root password', INITIAL_ROOT_ACCESS_TOKEN: accessToken }
const upstream = await startFakeUpstream()
const usage = { prompt_tokens: 100, completion_tokens: 50 }
upstream.fallback(() => json(chatResponse('hello', usage)))
let key = ''

beforeAll(async () => {
  const server = await startServer(variables)
  await post(server, contract.channel.create.path, { name: 'up', type: 1, key: 'k', models: 'gpt-4o-mini', base_url: upstream.url })
  const response = await post(server, contract.token.create.path, { name: 't', unlimited_quota: true })
  // Holds: the response contains the new token with its key.
  key = (response.data as { key: string }).key
  await stop(server)
}, 60_000)
afterAll(async () => {
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

async function post(server: ServerProcess, path: string, body: object) {
  const response = await fetch(server.url + path, { method: 'POST', headers: { authorization: accessToken }, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  return (await response.json()) as { success: boolean; data?: unknown }
}

async function stop(server: ServerProcess): Promise<number> {
  server.signal('SIGTERM')
  return await server.exited
}

const chat = (url: string, isStream = false): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}` },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
  })

async function look() {
  const { db, close } = openForReading(place)
  const { checks, facts } = await verify(db, { withLogs: true })
  const charges = await db.selectFrom('ledger').select('id').where('kind', '=', 'consume').execute()
  const topUps = await db.selectFrom('ledger').select('amount').where('kind', '=', 'top-up').execute()
  await close()
  return { broken: checks.flatMap(({ broken }) => broken), holds: facts.openHolds, charges: charges.length, topUps: topUps.length }
}

test('on a full disk new requests are refused, running ones are charged, and service resumes when there is room (F39)', async () => {
  const reserve = `${place}.reserve`
  // The reserve file cannot be made at first, the first batch fails on the full disk, and then the reserve cannot be made for some seconds.
  const server = await startServer({ ...variables, FAIL_AT: 'reserve-made:1:full,batch-written:1:full,reserve-made:3-6:full' })
  await until(async () => existsSync(reserve) && (await fetch(`${server.url}/readyz`)).status === 200)
  const whole = chatStream(['one', ' two'], { promptTokens: 100, completionTokens: 50 })
  upstream.script([...whole.slice(0, 3), { do: 'wait', name: 'room' }, ...whole.slice(3)])
  const stream = await chat(server.url, true)
  // The reservation of the stream is stored a moment after it began, which finds the disk full.
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503)
  const refused = await chat(server.url)
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'storage_full' } }])
  expect(existsSync(reserve)).toBe(false)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
  upstream.release('room')
  expect(await stream.text()).toEndWith('data: [DONE]\n\n')

  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200)
  expect(existsSync(reserve)).toBe(true)
  expect((await chat(server.url)).status).toBe(200)
  expect(server.printed()).toContain('disk full: new requests are refused')
  expect(await stop(server)).toBe(0)
  expect(await look()).toMatchObject({ broken: [], holds: 0, charges: 2 })
}, 60_000)

test('while the database may not grow, requests are refused and nothing is lost; service resumes when it may (F39)', async () => {
  const app = await testApp({ engine: 'sqlite' })
  const { store } = app.app
  if (store.engine !== 'sqlite') throw new Error('this test is about SQLite')
  const user = await app.make.user()
  await app.make.channel()
  const { key: userKey } = await app.make.token(user)
  const ask = () =>
    app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${userKey}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    })
  const mayGrowTo = (pages: number) =>
    store.batch(
      (file) => file.run(`PRAGMA max_page_count = ${pages}`),
      () => {},
    )
  await mayGrowTo(1)
  const waiting: Promise<Response>[] = []
  let full: Response | null = null
  // Until the free room in its pages is used up.
  while (full === null) {
    const response = ask()
    const first = await Promise.race([response, until(() => app.app.ledger.isReady() === false).then(() => null)])
    if (first === null) {
      waiting.push(response)
      full = await ask()
    }
  }
  expect([full.status, await full.json()]).toMatchObject([503, { error: { code: 'storage_full' } }])
  const saved = await app.request(contract.option.update.path, {
    method: 'PUT',
    headers: { ...app.root.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'Notice', value: 'long '.repeat(2_000) }),
  })
  expect([saved.status, await saved.json()]).toMatchObject([503, { success: false, message: expect.stringContaining('full') }])

  await mayGrowTo(1_000_000)
  await until(() => app.app.ledger.isReady())
  expect((await ask()).status).toBe(200)
  await Promise.all(waiting)
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
}, 60_000)

test('a failed sync of the disk ends the process; unacknowledged entries were written completely or not at all (F40)', async () => {
  const before = await look()
  const server = await startServer({ ...variables, FAIL_AT: 'wal-sync:1:io' })
  await expect(post(server, contract.user.topUp.path, { user_id: 1, quota: 7 })).rejects.toThrow()
  expect(await server.exited).toBe(1)
  expect(server.printed()).toContain('cannot be synced to disk')
  expect(await stop(await startServer(variables))).toBe(0)
  const { broken, topUps } = await look()
  expect([broken, topUps - before.topUps <= 1]).toEqual([[], true])
}, 60_000)

test('a disk that hangs is noticed within seconds: requests and postings are refused, and /readyz fails', async () => {
  const server = await startServer({ ...variables, FAIL_AT: 'wal-sync:1-1000:hang' })
  const posted = await fetch(`${server.url}${contract.user.topUp.path}`, {
    method: 'POST',
    headers: { authorization: accessToken, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 1, quota: 7 }),
  })
  expect([posted.status, await posted.json()]).toMatchObject([503, { success: false }])
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503)
  expect((await chat(server.url)).status).toBe(503)
  server.signal('SIGKILL')
  await server.exited
  expect(await stop(await startServer(variables))).toBe(0)
}, 60_000)

/** Number of calls of the database in a start and a few requests. NTH_FAULTS sets how many of them are made to fail. */
const callsMax = 70
const faults = Number(process.env['NTH_FAULTS'] ?? 5)

test(
  `if any call of the database fails, the process refuses or ends, and the next start is consistent (F40, ${faults} of ${callsMax} calls)`,
  async () => {
    const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    for (let fault = 0; fault < faults; fault++) {
      const nth = faults >= callsMax ? fault + 1 : 1 + Math.floor(random() * callsMax)
      const before = await look()
      const server = await startServer({ ...variables, FAIL_AT: `store-call:${nth}-${nth + 3}:io` }).catch(() => null)
      let charged = 0
      let creditedTopUps = 0
      if (server !== null) {
        for (let count = 0; count < 3; count++) {
          if ((await chat(server.url).catch(() => null))?.ok) charged += 1
          if ((await post(server, contract.user.topUp.path, { user_id: 1, quota: 7 }).catch(() => null))?.success) creditedTopUps += 1
        }
        await stop(server)
      }
      expect(await stop(await startServer(variables))).toBe(0)
      const { broken, holds, charges, topUps } = await look()
      expect([nth, broken, holds]).toEqual([nth, [], 0])
      expect([nth, charges - before.charges, topUps - before.topUps >= creditedTopUps]).toEqual([nth, charged, true])
    }
  },
  60_000 + faults * 10_000,
)
