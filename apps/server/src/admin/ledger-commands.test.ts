import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { chatResponse, type FakeUpstream, json, startFakeUpstream } from '../../test/fake-upstream.ts'
import { createServerPlace, type ServerPlace } from '../../test/server-place.ts'
import { prepare, runServer, type ServerProcess, startServer, until } from '../../test/server-process.ts'
import { testEngine } from '../../test/stores.ts'
import type { Db } from '../db/connect.ts'
import { openForChanges } from '../db/open-beside.ts'

// What a database refuses while a server runs, and what an operator does about it from outside.

const metricsToken = 'token-of-the-metrics'
let at: ServerPlace
let server: ServerProcess
let upstream: FakeUpstream
let headers: Record<string, string>
beforeAll(async () => {
  at = await createServerPlace('books')
  upstream = await startFakeUpstream()
  server = await startServer({ ...at.variables, RATE_LIMITS: 'off', METRICS_TOKEN: metricsToken })
  headers = await prepare(server, upstream)
}, 60_000)
afterAll(async () => {
  await upstream.close()
  await at.remove()
})

const admin = (...words: readonly string[]) => runServer(['admin', ...words], at.variables)

async function change(work: (db: Db) => Promise<unknown>): Promise<void> {
  const { db, close } = await openForChanges(at.place)
  await work(db)
  await close()
}

const refuse = () =>
  change((db) =>
    (testEngine === 'postgres'
      ? sql`ALTER TABLE logs ADD CONSTRAINT refused CHECK (type <> 2) NOT VALID`
      : sql`CREATE TRIGGER refused BEFORE INSERT ON logs WHEN NEW.type = 2 BEGIN SELECT RAISE(ABORT, 'no log of requests'); END`
    ).execute(db),
  )
const accept = () =>
  change((db) => (testEngine === 'postgres' ? sql`ALTER TABLE logs DROP CONSTRAINT refused` : sql`DROP TRIGGER refused`).execute(db))

async function chat(): Promise<number> {
  upstream.script(json(chatResponse('hello', { prompt_tokens: 100, completion_tokens: 50 })))
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
  await response.text()
  return response.status
}

async function api(path: string, body?: object) {
  const init = { method: body === undefined ? 'GET' : 'POST', headers: { authorization: at.accessToken } }
  const response = await fetch(server.url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  return (await response.json()) as { readonly success: boolean; readonly message: string; readonly data: readonly Row[] }
}

interface Row {
  readonly id: number
  readonly username: string
  readonly token_name: string
  readonly model_name: string
  readonly can_retry: boolean
  readonly amount: number
  readonly state: string
}

const verify = () => runServer(['verify'], at.variables)
const open = async () => (await api('/api/ledger/set-aside?state=open')).data
const metrics = async () => await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()

test('a charge that the database refuses is listed, counted, and retried or resolved by the operator or root', async () => {
  await refuse()
  expect([await chat(), await chat()]).toEqual([200, 200])
  const [second, first] = await open()
  if (first === undefined || second === undefined) throw new Error('nothing is set aside')
  expect(first).toMatchObject({ username: 'root', token_name: 't', model_name: 'gpt-4o-mini', can_retry: true })
  expect(await api(`/api/ledger/set-aside/${first.id}`)).toMatchObject({ data: { operation: expect.stringContaining('"settlement"') } })
  await until(async () => (await metrics()).includes('sluice_ledger_set_aside 2'))
  const list = await admin('set-aside')
  expect([list.code, list.text.trim().split('\n').length]).toEqual([0, 3])
  expect(await admin('set-aside', 'retry', String(first.id))).toMatchObject({ code: 1, text: expect.stringContaining('rejected it again') })
  expect((await api('/api/ledger/set-aside/retry', { id: first.id })).success).toBe(false)

  await accept()
  expect(await admin('set-aside', 'retry', String(first.id))).toEqual({ code: 0, text: `It is retried: ${first.amount} quota charged.\n` })
  expect(await api('/api/ledger/set-aside/resolve', { id: second.id, charge: 10 ** 15, remark: '' })).toMatchObject({ success: false })
  const resolved = await api('/api/ledger/set-aside/resolve', { id: second.id, charge: 1, remark: 'half' })
  expect(resolved).toMatchObject({ success: true, data: { state: 'resolved', charged: 1, remark: 'half', resolved_by: 1 } })
  expect(await api('/api/ledger/check')).toMatchObject({ data: { set_aside: 0 } })
  expect(await api('/api/ledger/set-aside/resolve', { id: second.id, charge: 0, remark: '' })).toMatchObject({ success: false })
  expect((await admin('set-aside')).text).toBe('Nothing is set aside.\n')
  expect((await verify()).text).toContain('The ledger is consistent.')
  const log = JSON.stringify((await api('/api/log/?type=3')).data)
  expect(log).toContain('operator retried the settlement of request')
  expect(log).toContain('root resolved the settlement of request')
}, 120_000)

test('a decision that is made while no server runs is carried out by the next start', async () => {
  await refuse()
  await chat()
  const [aside] = await open()
  await accept()
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  expect((await admin('set-aside', 'resolve', String(aside?.id), '0')).text).toContain('as soon as one runs')
  server = await startServer({ ...at.variables, RATE_LIMITS: 'off', METRICS_TOKEN: metricsToken })
  await until(async () => (await open()).length === 0)
  expect((await verify()).text).toContain('The ledger is consistent.')
}, 120_000)

test('balances of the system are recomputed from their entries beside a server, exactly, and those of users without one', async () => {
  const wrong = (1n << 62n) + 1n
  const type = sql.raw(testEngine === 'postgres' ? 'bigint' : 'integer')
  await change((db) => sql`UPDATE ledger_accounts SET balance = CAST(${String(wrong)} AS ${type}) WHERE name = 'sys:consume'`.execute(db))
  expect((await verify()).text).toContain(`account sys:consume: stored ${wrong}, entries give`)
  const { code, text } = await admin('recompute-balances')
  expect([code, text]).toEqual([0, expect.stringContaining(`sys:consume: ${wrong} -> `)])
  expect((await verify()).text).toContain('The ledger is consistent.')
  expect((await admin('recompute-balances')).text).toContain('already')
  expect((await admin('recompute-balances', '--users')).code).toBe(1)
  await change((db) =>
    db
      .updateTable('users')
      .set(({ eb }) => ({ quota: eb('quota', '+', 3) }))
      .execute(),
  )
  expect((await admin('recompute-balances')).text).toContain('user 1: stored')
  server.signal('SIGTERM')
  await server.exited
  expect((await admin('recompute-balances', '--users')).text).toMatch(/root: \d+ -> \d+/)
  expect((await verify()).text).toContain('The ledger is consistent.')
}, 120_000)

test('a server whose database takes no writes any more ends with exit code 74', async () => {
  server.signal('SIGTERM')
  await server.exited
  server = await startServer({ ...at.variables, RATE_LIMITS: 'off' })
  await change(async (db) => {
    for (const table of ['ledger_set_aside', 'ledger']) await sql`DROP TABLE ${sql.table(table)}`.execute(db)
  })
  await chat()
  expect(await server.exited).toBe(74)
}, 120_000)
