import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import pino from 'pino'
import type { Store } from '../src/db/connect.ts'
import { createLedger, openLedger } from '../src/ledger/create-ledger.ts'
import { addExact, negate } from '../src/ledger/exact-sum.ts'
import type { Ledger } from '../src/ledger/ledger.ts'
import { plainLog } from '../src/ledger/log-entry.ts'
import { createReconciler } from '../src/ledger/reconcile.ts'
import { sqliteLedgerStore } from '../src/ledger/sqlite-ledger-store.ts'
import { verify } from '../src/ledger/verify.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createDeadlines } from '../src/lib/deadlines.ts'
import { noFailpoints } from '../src/lib/failpoints.ts'
import { openTestStore, testEngine } from './stores.ts'

// Balances of users fit into a number. Those of the system sum many of them.

const log = pino({ level: 'silent' })
const largest = Number.MAX_SAFE_INTEGER
const users = Array.from({ length: 21 }, (_, index) => index + 1)

let store: Store
let ledger: Ledger
beforeAll(async () => {
  store = await openTestStore()
  for (const id of users)
    await store.db
      .insertInto('users')
      .values({ username: `u${id}`, display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 })
      .execute()
  ledger = await createLedger({ store, clock: systemClock, log })
}, 60_000)
afterAll(async () => {
  await ledger.close()
  await store.close()
})

const systemBalance = async () =>
  (await sql<{ balance: string }>`SELECT CAST(balance AS TEXT) AS balance FROM ledger_accounts WHERE name = 'sys:import'`.execute(store.db))
    .rows[0]?.balance
const inconsistencies = async () => (await verify(store.db, { withLogs: true })).checks.flatMap(({ broken }) => broken)

test('sums are exact on both sides of the largest safe integer', () => {
  expect([addExact(largest, 1), addExact(addExact(largest, 1), -1), addExact(-largest, -2)]).toEqual([
    2n ** 53n,
    largest,
    -(2n ** 53n) - 1n,
  ])
  expect(Object.is(negate(0), 0)).toBe(true)
  for (const fraction of [0.5, Number.NaN]) expect(() => addExact(2 ** 52, fraction)).toThrow(RangeError)
})

test('the largest balances of many users in one batch are exact on both sides, and the checks agree', async () => {
  const [last = 0, ...others] = users.toReversed()
  await Promise.all(others.map((userId) => ledger.post({ userId, kind: 'import', ref: `i${userId}`, amount: largest })))
  await ledger.post({ userId: last, kind: 'import', ref: 'small', amount: 1 })
  expect(await systemBalance()).toBe(String(-20n * BigInt(largest) - 1n))
  expect(await inconsistencies()).toEqual([])
  const reconciler = createReconciler({ db: store.db, clock: systemClock, log })
  await reconciler.run()
  expect(reconciler.current()).toMatchObject({ unexplained: 0, findings: [] })
}, 60_000)

test('a posting that the balance of the system has no room for is refused alone', async () => {
  const before = await systemBalance()
  const set = (balance: bigint | string) =>
    sql`UPDATE ledger_accounts SET balance = CAST(${String(balance)} AS ${sql.raw(testEngine === 'postgres' ? 'bigint' : 'integer')}) WHERE name = 'sys:import'`.execute(
      store.db,
    )
  await set(5n - 2n ** 63n)
  const [tooMuch, grant] = await Promise.allSettled([
    ledger.post({ userId: 21, kind: 'import', ref: 'too much', amount: 10 }),
    ledger.post({ userId: 21, kind: 'grant', ref: 'fits', amount: 10 }),
  ])
  expect([tooMuch.status, grant.status, ledger.isBroken()]).toEqual(['rejected', 'fulfilled', false])
  expect(await systemBalance()).toBe(String(5n - 2n ** 63n))
  await set(before ?? '')
  expect(await inconsistencies()).toEqual([])
}, 60_000)

test('a posting that takes a balance beyond the largest safe integer is refused alone', async () => {
  const [full, other] = [1, 21]
  const quotas = async () => (await store.db.selectFrom('users').select(['id', 'quota']).orderBy('id').execute()).map(({ quota }) => quota)
  const before = await quotas()
  expect(before[full - 1]).toBe(largest)
  const [tooMuch, grant] = await Promise.allSettled([
    ledger.post({ userId: full, kind: 'grant', ref: 'beyond', amount: 1 }),
    ledger.post({ userId: other, kind: 'grant', ref: 'beside', amount: 7 }),
  ])
  expect([tooMuch.status, grant.status, ledger.isBroken()]).toEqual(['rejected', 'fulfilled', false])
  expect(await quotas()).toEqual(before.with(other - 1, (before[other - 1] ?? 0) + 7))
  expect(await inconsistencies()).toEqual([])
  // It is the balance that is refused, not the account.
  await ledger.post({ userId: full, kind: 'grant', ref: 'less', amount: -1 })
  await ledger.post({ userId: full, kind: 'grant', ref: 'again', amount: 1 })
  expect(ledger.balanceOf(full) ?? largest).toBe(largest)
  expect(await inconsistencies()).toEqual([])
}, 60_000)

if (testEngine === 'sqlite')
  test('long texts are spread over several batches', async () => {
    const own = await openTestStore('sqlite')
    if (own.engine !== 'sqlite') throw new Error('another engine')
    const real = sqliteLedgerStore(own, noFailpoints)
    const sizes: number[] = []
    const deps = { left: [], durable: async () => {}, clock: systemClock, deadlines: createDeadlines(systemClock), log }
    const books = await openLedger({
      ...deps,
      ledgerStore: {
        ...real,
        commit(batch) {
          sizes.push(batch.operations.length)
          return real.commit(batch)
        },
      },
    })
    const row = plainLog({ userId: 1, createdAt: 0, type: 3, content: 'x'.repeat(12_000_000), username: '' })
    await Promise.all(Array.from({ length: 5 }, () => books.writeLog(row)))
    expect(sizes).toEqual([2, 2, 1])
    await books.close()
    await own.close()
  }, 60_000)
