import { afterEach, expect, test } from 'bun:test'
import type { KyselyPlugin } from 'kysely'
import type { Store } from '../../db/connect.ts'
import { connectSqlite } from '../../db/connect-sqlite.ts'
import { systemClock } from '../../lib/clock.ts'
import { createSeal } from '../../lib/seal.ts'
import { type Callers, createCallers } from './callers.ts'

const opened: Store[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

const seal = createSeal(new Uint8Array(32))

async function storeWithToken(): Promise<Store> {
  const store = await connectSqlite(':memory:')
  opened.push(store)
  const user = { username: 'ann', display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
  await store.db.insertInto('users').values(user).execute()
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  const key = { key_lookup: seal.lookup('key', 'token'), key_sealed: '' }
  const rest = { user_id: 1, name: 't', status: 1, remain_quota: 0, unlimited_quota: 1, models: '', subnet: '' }
  await store.db
    .insertInto('tokens')
    .values({ ...times, ...key, ...rest })
    .execute()
  return store
}

/** Delays the result of the first query until it is released. */
function slowResponse(): { readonly plugin: KyselyPlugin; readonly read: Promise<void>; readonly letGo: () => void } {
  const [read, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!isFirst) return result
      isFirst = false
      read.resolve()
      await gate.promise
      return result
    },
  }
  return { plugin, read: read.promise, letGo: gate.resolve }
}

for (const change of ['token', 'user'] as const) {
  test(`a ${change} that is disabled while its token is being read is not cached with the earlier state`, async () => {
    const store = await storeWithToken()
    const { plugin, read, letGo } = slowResponse()
    const callers = createCallers({ db: store.db.withPlugin(plugin), seal, clock: systemClock })
    const admit = async () =>
      await callers.admit({
        request: new Request('http://gateway/v1', { headers: { authorization: 'Bearer sk-key' } }),
        address: () => '127.0.0.1',
      })
    const first = admit().catch(() => null)
    await read
    await store.db.updateTable(`${change}s`).set({ status: 2 }).where('id', '=', 1).execute()
    if (change === 'user') callers.forgetUser(1)
    else callers.forgetToken(1)
    letGo()
    await first
    const second = admit().then(
      () => 'admitted',
      ({ code }) => code,
    )
    expect(await second).toBe(change === 'user' ? 'user_banned' : 'token_disabled')
  })
}

/** Counts queries. */
function counting(): { readonly plugin: KyselyPlugin; readonly count: () => number } {
  let count = 0
  return {
    plugin: {
      transformQuery({ node }) {
        count += 1
        return node
      },
      transformResult: async ({ result }) => result,
    },
    count: () => count,
  }
}

const admitBy = async (callers: Callers, key: string) =>
  await callers.admit({
    request: new Request('http://gateway/v1', { headers: { authorization: `Bearer sk-${key}` } }),
    address: () => '127.0.0.1',
  })

async function addToken(store: Store, key: string): Promise<void> {
  const [row] = await store.db.selectFrom('tokens').selectAll().execute()
  if (row === undefined) throw new Error('the store has no token')
  const { id: _id, ...token } = row
  await store.db
    .insertInto('tokens')
    .values({ ...token, key_lookup: seal.lookup(key, 'token') })
    .execute()
}

test('concurrent requests with a token that is not cached read it once', async () => {
  const store = await storeWithToken()
  const { plugin, count } = counting()
  const callers = createCallers({ db: store.db.withPlugin(plugin), seal, clock: systemClock })
  const admitted = await Promise.all(Array.from({ length: 50 }, () => admitBy(callers, 'key')))
  expect(new Set(admitted.map(({ tokenId }) => tokenId))).toEqual(new Set([1]))
  expect(count()).toBe(1)
})

test('an unknown key is looked up once in ten seconds, or after any change', async () => {
  const store = await storeWithToken()
  const { plugin, count } = counting()
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  const callers = createCallers({ db: store.db.withPlugin(plugin), seal, clock })
  const refused = () => expect(admitBy(callers, 'none')).rejects.toMatchObject({ code: 'token_invalid' })
  for (let request = 0; request < 20; request += 1) await refused()
  expect(count()).toBe(1)
  clock.ms += 10_001
  await refused()
  expect(count()).toBe(2)
  await addToken(store, 'none')
  callers.forgetUser(7)
  expect((await admitBy(callers, 'none')).tokenId).toBe(2)
})

test('a token dropped from the cache is read again, and a change of its account reaches cached ones', async () => {
  const store = await storeWithToken()
  for (const key of ['second', 'third']) await addToken(store, key)
  const { plugin, count } = counting()
  const callers = createCallers({ db: store.db.withPlugin(plugin), seal, clock: systemClock, max: 2 })
  for (const key of ['key', 'second', 'third', 'third', 'second', 'key']) await admitBy(callers, key)
  expect(count()).toBe(4)
  await store.db.updateTable('users').set({ status: 2 }).execute()
  callers.forgetUser(1)
  for (const key of ['key', 'second', 'third']) await expect(admitBy(callers, key)).rejects.toMatchObject({ code: 'user_banned' })
})
