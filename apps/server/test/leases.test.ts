import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import pino from 'pino'
import type { PostgresStore } from '../src/db/connect.ts'
import { connectPostgres } from '../src/db/connect-postgres.ts'
import { createLedger } from '../src/ledger/create-ledger.ts'
import type { Hold, Ledger } from '../src/ledger/ledger.ts'
import { plainLog } from '../src/ledger/log-entry.ts'
import { verify } from '../src/ledger/verify.ts'
import { AppError } from '../src/lib/app-error.ts'
import { type Clock, systemClock } from '../src/lib/clock.ts'
import { until } from './server-process.ts'
import { createReadyDatabase, type TestDatabase } from './stores.ts'

// Ledgers of several nodes on one database: exact with each other, whoever decides.

const log = pino({ level: 'silent' })

interface TestNode {
  readonly store: PostgresStore
  readonly ledger: Ledger
  /** Batches it has committed. */
  batches(): number
}

let database: TestDatabase
let nodes: TestNode[] = []
beforeEach(async () => {
  database = await createReadyDatabase('postgres')
}, 60_000)
afterEach(async () => {
  for (const { store, ledger } of nodes.splice(0)) {
    await ledger.close().catch(() => {})
    await store.close()
  }
  await database.drop()
}, 60_000)

async function startNode(id: string, clock: Clock = systemClock): Promise<TestNode> {
  const store = await connectPostgres(database.url, { report: () => {}, node: { id, version: '' }, isShared: true })
  let batches = 0
  const committed = (): void => {
    batches += 1
  }
  const ledger = await createLedger({ store, clock, log, committed })
  const node = { store, ledger, batches: () => batches }
  nodes.push(node)
  return node
}

/** Two nodes that know of each other, an account with a balance, and a token. */
async function startTwo(quota: number, token: { readonly remain?: number } = {}): Promise<readonly [TestNode, TestNode]> {
  return await prepare([await startNode('a'), await startNode('b')], quota, token)
}

async function prepare(
  [a, b]: readonly [TestNode, TestNode],
  quota: number,
  token: { readonly remain?: number } = {},
): Promise<readonly [TestNode, TestNode]> {
  await until(() => nodes.every(({ store }) => store.node.live().length === 2))
  const { db } = a.store
  const user = { username: 'ann', display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
  await db.insertInto('users').values(user).execute()
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  const limit = { remain_quota: token.remain ?? 0, unlimited_quota: token.remain === undefined ? 1 : 0 }
  const row = { user_id: 1, key_lookup: 'k', key_sealed: '', name: 't', status: 1, models: '', subnet: '' }
  await db
    .insertInto('tokens')
    .values({ ...row, ...times, ...limit })
    .execute()
  await a.ledger.post({ userId: 1, kind: 'grant', ref: 'start', amount: quota })
  return [a, b]
}

let last = 0
const request = (amount: number, least = amount) => ({ requestId: `r${++last}`, userId: 1, tokenId: 1, amount, least, modelName: 'm' })
const settle = ({ ledger }: TestNode, hold: Hold, amount: number) => ledger.settle(hold, { amount, channelId: 0, log: null })
const codeOf = (held: Promise<Hold>): Promise<string> =>
  held.then(
    () => 'held',
    (error) => (error instanceof AppError ? error.code : String(error)),
  )

async function expectConsistent(quota: number): Promise<void> {
  const { db } = nodes[0]?.store ?? (await startNode('last')).store
  expect((await verify(db, { withLogs: false })).checks.flatMap(({ broken }) => broken)).toEqual([])
  expect((await db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota).toBe(quota)
}

/** Asks for more on both nodes at once than a balance of 100 covers. */
async function askTooMuch([a, b]: readonly [TestNode, TestNode]): Promise<void> {
  const attempts = Array.from({ length: 60 }, (_, index) => [index % 2 === 0 ? a : b, codeOf] as const)
  const holds: [TestNode, Hold][] = []
  const codes = await Promise.all(
    attempts.map(([node, outcomeOf]) =>
      outcomeOf(
        node.ledger.hold(request(10)).then((hold) => {
          holds.push([node, hold])
          return hold
        }),
      ),
    ),
  )
  expect(codes.filter((code) => code === 'held')).toHaveLength(10)
  expect(new Set(codes)).toEqual(new Set(['held', 'insufficient_user_quota']))
  await Promise.all(holds.map(([node, hold]) => settle(node, hold, 10)))
  await expectConsistent(0)
}

describe('one balance on two nodes', () => {
  test('pays for as many requests as it covers, however many come at once on both', async () => {
    await askTooMuch(await startTwo(100))
  }, 60_000)

  test('is as exact while the clocks of the nodes are set minutes apart, and neither node counts as dead', async () => {
    const setBy = (ms: number): Clock => ({ ...systemClock, nowMs: () => systemClock.nowMs() + ms })
    const both = [await startNode('a', setBy(-300_000)), await startNode('b', setBy(300_000))] as const
    await askTooMuch(await prepare(both, 100))
    for (const { store } of both) {
      expect(store.node.isHeard()).toBe(true)
      expect(store.node.live().map(({ id }) => id)).toEqual(['a', 'b'])
    }
  }, 60_000)

  test('moves to the node that needs it', async () => {
    const [a, b] = await startTwo(1_000)
    const first = await a.ledger.hold(request(400))
    await a.ledger.release(first, null)
    // What the first node does not use is all there is.
    const hold = await b.ledger.hold(request(950))
    await settle(b, hold, 950)
    expect(await codeOf(a.ledger.hold(request(51)))).toBe('insufficient_user_quota')
    const rest = await a.ledger.hold(request(50))
    await settle(a, rest, 50)
    await expectConsistent(0)
  }, 60_000)

  test('is reserved without a question to the database while a lease lasts', async () => {
    const [a, b] = await startTwo(1_000_000)
    await settle(a, await a.ledger.hold(request(10_000)), 10)
    await settle(b, await b.ledger.hold(request(10_000)), 10)
    const before = a.batches()
    const holds = await Promise.all(Array.from({ length: 100 }, () => a.ledger.hold(request(100))))
    expect(a.batches()).toBe(before)
    await Promise.all(holds.map((hold) => settle(a, hold, 100)))
    // All their ends, and the reservations that were stored meanwhile.
    expect(a.batches() - before).toBeLessThanOrEqual(4)
    await expectConsistent(1_000_000 - 20 - 10_000)
  }, 60_000)

  test('pays for a response that grows beyond what its node has', async () => {
    const [a, b] = await startTwo(1_000)
    const other = await b.ledger.hold(request(1))
    const hold = await a.ledger.hold(request(100))
    await a.ledger.fund(hold, 800)
    expect(a.ledger.extend(hold, 800)).toBe(true)
    await a.ledger.fund(hold, 200)
    expect(a.ledger.extend(hold, 200)).toBe(false)
    await settle(a, hold, 900)
    await settle(b, other, 1)
    await expectConsistent(99)
  }, 60_000)
})

test('the quota of a token is shared like a balance', async () => {
  const [a, b] = await startTwo(1_000_000, { remain: 50 })
  const codes = await Promise.all(Array.from({ length: 20 }, (_, index) => codeOf((index % 2 === 0 ? a : b).ledger.hold(request(10)))))
  expect(codes.filter((code) => code === 'held')).toHaveLength(5)
  expect(new Set(codes)).toEqual(new Set(['held', 'insufficient_token_quota']))
}, 60_000)

test('the limit of a token for a day holds over all nodes', async () => {
  const [a, b] = await startTwo(1_000_000)
  const ceiling = { usedMax: 70, refusal: () => new AppError('token_day_quota', { params: { limit: 70 } }) }
  const codes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => codeOf((index % 2 === 0 ? a : b).ledger.hold({ ...request(10), ceiling }))),
  )
  expect(codes.filter((code) => code === 'held')).toHaveLength(7)
  expect(new Set(codes)).toEqual(new Set(['held', 'token_day_quota']))
}, 60_000)

test('a balance that an administrator lowers on one node is lower on the other', async () => {
  const [a, b] = await startTwo(1_000)
  await settle(b, await b.ledger.hold(request(10)), 10)
  const change = {
    userId: 1,
    kind: 'admin',
    ref: 'e',
    log: () => plainLog({ userId: 1, createdAt: 0, type: 3, content: '', username: '' }),
  } as const
  expect(await a.ledger.adjust({ ...change, amountAt: (balance) => -balance })).toEqual({ from: 990, to: 0 })
  await until(async () => {
    const hold = await b.ledger.hold(request(1)).catch(() => null)
    if (hold !== null) await b.ledger.release(hold, null)
    return hold === null
  })
  await until(async () => (await a.store.db.selectFrom('leases').select('granted').where('granted', '>', 0).execute()).length === 0)
}, 60_000)

test('a token that is limited on one node is limited on the other', async () => {
  const [a, b] = await startTwo(1_000)
  await settle(b, await b.ledger.hold(request(10)), 10)
  await a.ledger.setTokenQuota(1, () => ({ remain: 5, isUnlimited: false, forms: '' }))
  const codes = new Set<string>()
  await until(async () => {
    const held = b.ledger.hold(request(6))
    codes.add(await codeOf(held))
    await held.then((hold) => b.ledger.release(hold, null)).catch(() => {})
    return codes.has('insufficient_token_quota')
  })
  expect(codes.has('insufficient_user_quota')).toBe(false)
}, 60_000)

test('what a dead node has reserved goes back once, and what it wakes up with is refused', async () => {
  const [a, b] = await startTwo(1_000)
  const lost = await a.ledger.hold(request(300))
  await a.store.db.updateTable('nodes').set({ state: 'dead' }).where('epoch', '=', a.store.node.epoch).execute()
  const hold = await untilHeld(b, 1_000)
  await settle(b, hold, 1_000)
  expect(await codeOf(settle(a, lost, 300).then(() => lost))).toBe('internal_error')
  nodes = nodes.filter((node) => node !== a)
  await expectConsistent(0)
  await a.store.close()
}, 60_000)

test.each([
  ['for a while', 6_000],
  ['since a moment ago', 0],
])(
  'what is held by a node without heartbeats %s is no reason to say that the quota does not suffice',
  async (_name, silentMs) => {
    const [, b] = await startTwo(1_000)
    const { db } = b.store
    const nowMs = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`
    const silent = { id: 'silent', version: '', state: 'live', started_ms: 0, heartbeat_ms: sql<number>`${nowMs} - ${silentMs}` } as const
    const { epoch } = await db.insertInto('nodes').values(silent).returning('epoch').executeTakeFirstOrThrow()
    await db.insertInto('leases').values({ epoch, kind: 1, id: 1, granted: 900, recalled: 0 }).execute()
    await db.updateTable('users').set({ leased: sql`leased + 900` }).execute()
    expect(await codeOf(b.ledger.hold(request(500)))).toBe('database_unavailable')
    // It is declared dead, and what it had goes back.
    await settle(b, await untilHeld(b, 500), 500)
    await expectConsistent(500)
  },
  60_000,
)

async function untilHeld({ ledger }: TestNode, amount: number): Promise<Hold> {
  for (;;) {
    const hold = await ledger.hold(request(amount)).catch(() => null)
    if (hold !== null) return hold
  }
}
