import { afterEach, expect, test } from 'bun:test'
import type { KyselyPlugin } from 'kysely'
import type { Store } from '../db/connect.ts'
import { connectSqlite } from '../db/connect-sqlite.ts'
import { systemClock } from '../lib/clock.ts'
import { createSeal } from '../lib/seal.ts'
import { createCallers } from './callers.ts'

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

/** Keeps back what the first query has read until it is let go. */
function slowAnswer(): { readonly plugin: KyselyPlugin; readonly read: Promise<void>; readonly letGo: () => void } {
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
  test(`a ${change} that is disabled while its token is being read is not kept as it was before`, async () => {
    const store = await storeWithToken()
    const { plugin, read, letGo } = slowAnswer()
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
