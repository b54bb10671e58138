import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Store } from '../src/db/connect.ts'
import type { Operation } from '../src/ledger/commit.ts'
import type { LedgerStore } from '../src/ledger/ledger-store.ts'
import { plainLog } from '../src/ledger/log-entry.ts'
import { postgresLedgerStore } from '../src/ledger/postgres-ledger-store.ts'
import { sqliteLedgerStore } from '../src/ledger/sqlite-ledger-store.ts'
import { noFailpoints } from '../src/lib/failpoints.ts'
import { openTestStore } from './stores.ts'

// SQLite writes a batch step by step, PostgreSQL in one statement whose parts do not see each other. Both must have the same result.

interface Side {
  readonly store: Store
  readonly ledger: LedgerStore
}

let sides: readonly Side[] = []
beforeAll(async () => {
  const stores = [await openTestStore('sqlite'), await openTestStore('postgres')]
  for (const store of stores) await fill(store)
  sides = stores.map((store) => ({
    store,
    ledger: store.engine === 'sqlite' ? sqliteLedgerStore(store, noFailpoints) : postgresLedgerStore(store, noFailpoints),
  }))
}, 60_000)
afterAll(async () => {
  for (const { store } of sides) await store.close()
})

/** Creates two accounts, tokens and channels, the second token unlimited. Operations also name a third of each, which does not exist. */
async function fill({ db }: Store): Promise<void> {
  const user = { display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0, quota: 1000 }
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  const token = { user_id: 1, key_sealed: '', name: 't', status: 1, ...times, remain_quota: 1000, models: '', subnet: '' }
  for (const number of [1, 2]) {
    await db
      .insertInto('users')
      .values({ ...user, username: `u${number}` })
      .execute()
    await db
      .insertInto('tokens')
      .values({ ...token, key_lookup: `k${number}`, unlimited_quota: number - 1 })
      .execute()
    await db.insertInto('channel_usage').values({ channel_id: number }).execute()
  }
}

/** All columns that batches change, except ids: PostgreSQL's have gaps for rows that were not inserted. */
async function look({ db }: Store) {
  const logs = await db.selectFrom('logs').selectAll().orderBy('id').execute()
  const holds = await db.selectFrom('holds').selectAll().orderBy('request_id').execute()
  const entries = await db.selectFrom('ledger').selectAll().orderBy('id').execute()
  return {
    users: await db.selectFrom('users').select(['quota', 'used_quota', 'request_count']).orderBy('id').execute(),
    tokens: await db
      .selectFrom('tokens')
      .select(['remain_quota', 'unlimited_quota', 'used_quota', 'accessed_time', 'quota_forms'])
      .orderBy('id')
      .execute(),
    channels: await db.selectFrom('channel_usage').selectAll().orderBy('channel_id').execute(),
    accounts: await db.selectFrom('ledger_accounts').selectAll().orderBy('name').execute(),
    // Only on PostgreSQL do reservations belong to nodes.
    holds: holds.map(({ epoch, ...hold }) => hold),
    entries: entries.map(({ id, ...entry }) => entry),
    logs: logs.map(({ id, ...log }) => log),
  }
}

let time = 1_000_000

/** Commits on both. @returns whether each operation had an effect */
async function commit(operations: readonly Operation[]): Promise<readonly boolean[]> {
  const nowSeconds = ++time
  const responses: (readonly boolean[])[] = []
  for (const { ledger } of sides) await ledger.commit({ operations, nowSeconds, apply: (results) => void responses.push(results) })
  const [expected = [], actual] = responses
  expect(actual).toEqual(expected)
  return expected
}

async function expectSame(): Promise<void> {
  const [sqlite, postgres] = await Promise.all(sides.map(({ store }) => look(store)))
  expect(postgres).toEqual(sqlite)
}

/** Account and token of a hold, which depend on its number only. */
function heldBy(number: number) {
  return { requestId: `r${number}`, userId: 1 + (number % 3), tokenId: 1 + (Math.floor(number / 3) % 3) }
}

const logOf = (requestId: string) => plainLog({ userId: 1, createdAt: 1, type: 2, content: requestId, username: 'u', requestId })
const hold = (number: number): Operation => ({ do: 'hold', request: { ...heldBy(number), amount: 10, modelName: 'm' } })
const settle = (number: number, amount: number): Operation => {
  const held = heldBy(number)
  return { do: 'settle', hold: held, settlement: { amount, channelId: 1 + (number % 3), log: logOf(`${held.requestId} ${amount}`) } }
}
const release = (number: number): Operation => ({ do: 'release', hold: heldBy(number), log: number % 2 === 0 ? null : logOf(`${number}`) })
const mark = (number: number, amount: number): Operation => ({
  do: 'mark',
  mark: { requestId: heldBy(number).requestId, amount, channelId: 1, promptTokens: 2, completionTokens: amount },
})
const post = (userId: number, ref: string, amount: number): Operation => ({
  do: 'post',
  posting: { userId, kind: 'grant', ref, amount, log: logOf(`grant ${ref}`) },
  isCounted: false,
})
const limit = (tokenId: number, remain: number, isUnlimited = false): Operation => ({
  do: 'set-token',
  limit: { tokenId, remain, isUnlimited, forms: `[["form",${remain}]]` },
})
const note = (text: string): Operation => ({ do: 'log', log: logOf(text) })

let last = 0
/** Ids of an account and a token that no batch has used yet. */
function newIds(): readonly [number, number] {
  last += 9
  return [last, last + 9 * 1_000_000]
}

const cases: ReadonlyArray<
  readonly [title: string, batches: (a: number, b: number) => ReadonlyArray<readonly Operation[]>, last: boolean[]]
> = [
  ['reserved and settled', (a) => [[hold(a), settle(a, 7)]], [true, true]],
  ['reserved and released', (a) => [[hold(a), release(a)]], [true, true]],
  ['reserved and noted', (a) => [[hold(a), mark(a, 3)]], [true, true]],
  ['noted and settled', (a) => [[hold(a)], [mark(a, 3), settle(a, 7)]], [true, true]],
  ['settled and noted', (a) => [[hold(a)], [settle(a, 7), mark(a, 3)]], [true, true]],
  ['noted twice', (a) => [[hold(a)], [mark(a, 3), mark(a, 5)]], [true, true]],
  ['settled twice', (a) => [[hold(a)], [settle(a, 7), settle(a, 9)]], [true, false]],
  ['settled and released', (a) => [[hold(a)], [release(a), settle(a, 9)]], [true, false]],
  ['settled again later', (a) => [[hold(a)], [settle(a, 7)], [settle(a, 7), release(a)]], [false, false]],
  ['settled without a reservation', (a) => [[settle(a, 7), mark(a, 1), note('still there')]], [false, true, true]],
  ['settled for nothing', (a) => [[hold(a)], [settle(a, 0)]], [true]],
  [
    'two of one account settled',
    (a, b) => [
      [hold(a), hold(b)],
      [settle(a, 7), settle(b, 8)],
    ],
    [true, true],
  ],
  ['one posting twice', (a) => [[post(1, `p${a}`, 5), post(2, `p${a}`, 6)]], [true, false]],
  ['a posting that is there', (a) => [[post(1, `p${a}`, 5)], [post(1, `p${a}`, 5), post(1, `q${a}`, 1)]], [false, true]],
  ['posted to somebody who settles', (a) => [[hold(a)], [post(1, `p${a}`, 5), settle(a, 7), note('between')]], [true, true, true]],
  [
    'limited between two settlements',
    (a, b) => [
      [hold(a), hold(b)],
      [settle(a, 7), limit(1, 50), settle(b, 8)],
    ],
    [true, true, true],
  ],
  ['unlimited before a settlement', (a) => [[hold(a)], [limit(1, 50, true), settle(a, 7)]], [true, true]],
  ['limited twice', (a) => [[hold(a)], [limit(1, 90, true), settle(a, 7), limit(1, 60)]], [true, true, true]],
  ['limited and not spent', () => [[limit(1, 40), limit(2, 30)]], [true, true]],
]

test.each(cases)('in one batch: %s', async (_, batchesOf, expected) => {
  let results: readonly boolean[] = []
  for (const batch of batchesOf(...newIds())) results = await commit(batch)
  expect(results).toEqual(expected)
  await expectSame()
})

test('a text is stored as it is, whatever it is made of', async () => {
  await commit(['"quoted" \\ {a,b} NULL', '\\u0000 \\ud800 spelled out', 'two\nlines\t\u0001', '\u{1f600} \u2028', ''].map(note))
  await expectSame()
})

test('random batches', async () => {
  const amount = fc.integer({ min: 0, max: 40 })
  const step = fc.record({
    kind: fc.constantFrom('hold', 'hold', 'settle', 'settle', 'release', 'mark', 'post', 'limit', 'note'),
    back: fc.integer({ min: -1, max: 6 }),
    amount,
  })
  const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(batches, async (sequence) => {
      last += 100
      for (const steps of sequence) {
        await commit(
          steps.map(({ kind, back, amount: spent }): Operation => {
            if (kind === 'hold') return hold(++last)
            // A hold that was opened recently, or is opened later in the batch.
            const number = last - back
            if (kind === 'settle') return settle(number, spent)
            if (kind === 'release') return release(number)
            if (kind === 'mark') return mark(number, spent)
            if (kind === 'post') return post(1 + (spent % 3), `random ${number}`, spent - 20)
            return kind === 'limit' ? limit(1 + (spent % 3), spent * 10, spent % 2 === 0) : note(`${number}`)
          }),
        )
      }
      await expectSame()
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('what PostgreSQL cannot store in a text is replaced', async () => {
  const [, side] = sides
  await side?.ledger.commit({ operations: [note('a\0b \ud800 c \\u0000')], nowSeconds: ++time, apply: () => {} })
  const row = await side?.store.db.selectFrom('logs').select('content').orderBy('id', 'desc').limit(1).executeTakeFirst()
  expect(row?.content).toBe('a\ufffdb \ufffd c \\u0000')
})
