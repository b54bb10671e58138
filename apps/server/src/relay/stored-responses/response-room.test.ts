import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { setClock, setOptions } from '../../../test/channel-scene.ts'
import { chatResponse, json, startFakeUpstream } from '../../../test/fake-upstream.ts'
import { createServerPlace } from '../../../test/server-place.ts'
import { startServer, until } from '../../../test/server-process.ts'
import { openForReading } from '../../db/open-beside.ts'
import { sweepStoredResponses } from './stored-responses.ts'

// How much content of responses accounts may store, and what makes room.

const clock = setClock()
const model = 'openai/gpt-oss-120b'
/** Of a gigabyte. */
const percent = 0.01
const share = 100_000

let app: TestApp
beforeAll(async () => {
  app = await testApp({ clock })
  await app.make.channel({ type: 29, models: model })
  app.upstream.fallback(() => json(chatResponse('Rain.')))
  await setOptions(app, { ResponseGigabytes: 1, AccountStoragePercent: percent })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

interface Account {
  readonly user: TestUser
  readonly key: string
}

async function account(): Promise<Account> {
  const user = await app.make.user({ quota: 100_000_000 })
  return { user, key: (await app.make.token(user, { isUnlimited: true })).key }
}

const call = ({ key }: Account, path: string, init: { readonly method?: string; readonly body?: string } = {}) =>
  app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } })

/** Stores a response whose input is so long, a second after the one before. */
async function store(as: Account, chars: number, previous?: string): Promise<string> {
  clock.advance(1_000)
  const body = JSON.stringify({ model, input: 'x'.repeat(chars), previous_response_id: previous })
  const response = await call(as, '/v1/responses', { method: 'POST', body })
  expect(response.status).toBe(200)
  // Holds: the call returns a stored response.
  return ((await response.json()) as { readonly id: string }).id
}

const statusOf = async (as: Account, id: string): Promise<number> => (await call(as, `/v1/responses/${id}`)).status

/** The counter of each account, and the total of its rows. */
async function counts() {
  const { db: store } = app.app.store
  const counted = await store.selectFrom('stored_bytes').select(['user_id', 'bytes']).where('kind', '=', 'responses').execute()
  const rows = await store.selectFrom('kept_answers').select(['user_id', 'bytes']).execute()
  const sums = new Map<number, number>()
  for (const { user_id: id, bytes } of rows) sums.set(id, (sums.get(id) ?? 0) + Number(bytes))
  return { counted: new Map(counted.map(({ user_id: id, bytes }) => [id, Number(bytes)])), sums }
}

async function expectCounted(): Promise<void> {
  const { counted, sums } = await counts()
  for (const [id, bytes] of counted) expect([id, bytes]).toEqual([id, sums.get(id) ?? 0])
  for (const id of sums.keys()) expect(counted.has(id) || sums.get(id) === 0).toBe(true)
}

async function bytesOf({ user }: Account): Promise<number> {
  return (await counts()).counted.get(user.id) ?? 0
}

describe('the content of responses', () => {
  test('of an account stays within its share: its oldest makes room, and nobody else’s', async () => {
    const [one, other] = [await account(), await account()]
    const early = await store(other, 20_000)
    const ids: string[] = []
    for (let count = 0; count < 6; count += 1) ids.push(await store(one, 20_000))
    expect(await bytesOf(one)).toBeLessThanOrEqual(share)
    expect(await bytesOf(one)).toBeGreaterThan(share / 2)
    expect(await statusOf(one, ids[0] ?? '')).toBe(404)
    expect(await statusOf(one, ids[5] ?? '')).toBe(200)
    expect(await statusOf(other, early)).toBe(200)
    const rows = await app.app.store.db.selectFrom('kept_answers').select(['bytes', 'item_sealed']).execute()
    for (const { bytes, item_sealed: content } of rows) expect(Number(bytes)).toBe(content?.length ?? 0)
    // What is new can be followed.
    await store(one, 1_000, ids[5])
    await expectCounted()
  })

  test('of all accounts stays within the whole: the oldest of all makes room', async () => {
    await setOptions(app, { AccountStoragePercent: 100 })
    const [one, other] = [await account(), await account()]
    const early = await store(one, 1_000)
    // What the rows have is what the database says.
    await app.app.store.db.updateTable('kept_answers').set({ bytes: 499_000_000 }).where('user_id', '=', one.user.id).execute()
    clock.advance(1_000)
    const late = await store(other, 1_000)
    await app.app.store.db.updateTable('kept_answers').set({ bytes: 30_000_000 }).where('user_id', '=', other.user.id).execute()
    // An account that stores a hundredth of the whole recounts the total of all accounts.
    const last = await store(other, 1_000)
    for (let count = 0; count < 5; count += 1) await store(other, 2_500_000)
    expect(await statusOf(one, early)).toBe(404)
    expect(await statusOf(other, last)).toBe(200)
    expect(late).not.toBe(last)
    await setOptions(app, { AccountStoragePercent: percent })
  })

  test('is counted exactly after it was deleted, has expired and was replaced', async () => {
    const one = await account()
    const [first] = [await store(one, 5_000), await store(one, 5_000)]
    await call(one, `/v1/responses/${first}`, { method: 'DELETE' })
    await expectCounted()
    expect(await bytesOf(one)).toBeGreaterThan(5_000)
    const [row] = await app.app.store.db.selectFrom('kept_answers').selectAll().where('user_id', '=', one.user.id).execute()
    if (row === undefined) throw new Error('nothing is stored')
    await app.app.store.db
      .insertInto('kept_answers')
      .values({ ...row, item_sealed: 'short', bytes: 5 })
      .onConflict((conflict) => conflict.columns(['user_id', 'id']).doUpdateSet({ item_sealed: 'short', bytes: 5 }))
      .execute()
    await expectCounted()
    clock.advance(31 * 86_400_000)
    await sweepStoredResponses(app.app.store.db, clock, { ResponseRetentionDays: 30 })
    await expectCounted()
    expect(await bytesOf(one)).toBe(0)
  })
})

test('the bytes of an account are right after the server was killed while it stored responses', async () => {
  const place = await createServerPlace('room')
  const upstream = await startFakeUpstream()
  upstream.fallback(() => json(chatResponse('Rain.')))
  const server = await startServer(place.variables)
  const manage = async (path: string, body: object) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: place.accessToken },
      body: JSON.stringify(body),
    })
    // Holds: every response of the management API is an envelope.
    return ((await response.json()) as { readonly data: { readonly key: string } }).data
  }
  await manage(contract.channel.create.path, { name: 'up', type: 29, key: 'k', models: model, base_url: upstream.url })
  const { key } = await manage(contract.token.create.path, { name: 't', unlimited_quota: true })
  const headers = { authorization: `Bearer sk-${key}` }
  let responded = 0
  const clients = Array.from({ length: 8 }, async () => {
    for (;;) {
      const body = JSON.stringify({ model, input: 'x'.repeat(2_000) })
      await fetch(`${server.url}/v1/responses`, { method: 'POST', headers, body })
      responded += 1
    }
  })
  const ended = Promise.allSettled(clients)
  await until(() => responded > 40)
  server.signal('SIGKILL')
  await Promise.all([server.exited, ended])
  const { db: beside, close } = openForReading(place.place)
  const rows = await beside.selectFrom('kept_answers').select('item_sealed').execute()
  const counted = await beside.selectFrom('stored_bytes').select('bytes').where('kind', '=', 'responses').execute()
  await close()
  const stored = rows.reduce((sum, { item_sealed: content }) => sum + (content?.length ?? 0), 0)
  expect(stored).toBeGreaterThan(40 * 2_000)
  expect(counted.map(({ bytes }) => Number(bytes))).toEqual([stored])
  await upstream.close()
  await place.remove()
}, 60_000)
