import { afterEach, expect, test } from 'bun:test'
import pino from 'pino'
import { until } from '../../test/server-process.ts'
import { leaveBehind, openTestStore } from '../../test/stores.ts'
import type { Store } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { createLedger } from './create-ledger.ts'
import type { Hold, Ledger } from './ledger.ts'
import { verify } from './verify.ts'

const log = pino({ level: 'silent' })
let ms = 1_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }

let store: Store
afterEach(() => store.close())

async function openLedger(): Promise<Ledger> {
  store = await openTestStore()
  const person = { username: 'ann', display_name: 'Ann', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
  await store.db.insertInto('users').values(person).execute()
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  const token = { user_id: 1, key_lookup: 'k', key_sealed: '', name: 't', status: 1, ...times, models: '', subnet: '' }
  await store.db
    .insertInto('tokens')
    .values({ ...token, remain_quota: 500, unlimited_quota: 0 })
    .execute()
  const ledger = await createLedger({ store, clock, log })
  await ledger.post({ userId: 1, kind: 'grant', ref: 'start', amount: 500 })
  return ledger
}

const request = { requestId: 'r1', userId: 1, tokenId: 1, amount: 60, modelName: 'm' }
const so = (completionTokens: number) => ({ amount: 10 + completionTokens, channelId: 7, promptTokens: 5, completionTokens })
const noted = async (): Promise<number> =>
  (await store.db.selectFrom('holds').select('completion_tokens').executeTakeFirst())?.completion_tokens ?? -1
const quotas = async () => [
  (await store.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota,
  (await store.db.selectFrom('tokens').select('remain_quota').executeTakeFirstOrThrow()).remain_quota,
]

test('after a crash, the progress mark of a response is charged once, and the log marks it as an estimate', async () => {
  const ledger = await openLedger()
  const hold = await ledger.hold(request)
  let delivered = 3
  ledger.follow(hold, () => so(delivered))
  ms += 2_000
  await until(async () => (await noted()) === 3)
  delivered = 9
  ms += 2_000
  await until(async () => (await noted()) === 9)

  await leaveBehind(store)
  await createLedger({ store, clock, log })
  await createLedger({ store, clock, log })
  expect(await quotas()).toEqual([481, 481])
  const row = await store.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ request_id: 'r1', end_reason: 'crashed', quota: 19, prompt_tokens: 5, completion_tokens: 9, channel_id: 7 })
  expect([row.estimated, row.content]).toEqual([1, expect.stringContaining('estimated')])
  // If its own process were still alive, its settlement would come too late.
  await ledger.settle(hold, { amount: 30, channelId: 7, log: null })
  expect(await quotas()).toEqual([481, 481])
  expect((await verify(store.db, { withLogs: true })).checks.flatMap(({ broken }) => broken)).toEqual([])
})

test('a settled response is no longer polled', async () => {
  const ledger = await openLedger()
  const hold: Hold = await ledger.hold(request)
  let calls = 0
  ledger.follow(hold, () => {
    calls += 1
    return so(1)
  })
  ms += 2_000
  await until(async () => (await noted()) === 1)
  await ledger.settle(hold, { amount: 12, channelId: 7, log: null })
  ledger.follow(await ledger.hold({ ...request, requestId: 'r2' }), () => so(2))
  ms += 2_000
  await until(async () => (await noted()) === 2)
  expect([calls, await quotas()]).toEqual([1, [488, 488]])
})
