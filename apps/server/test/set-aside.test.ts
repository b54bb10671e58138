import { afterEach, expect, test } from 'bun:test'
import { type Selectable, sql } from 'kysely'
import pino from 'pino'
import type { Store } from '../src/db/connect.ts'
import type { SetAsideTable } from '../src/db/ledger-tables.ts'
import { createLedger } from '../src/ledger/create-ledger.ts'
import type { Hold, Ledger, Settlement } from '../src/ledger/ledger.ts'
import { codedText, plainLog } from '../src/ledger/log-entry.ts'
import { readEnd, toCleanEnd } from '../src/ledger/set-aside.ts'
import { verify } from '../src/ledger/verify.ts'
import { systemClock } from '../src/lib/clock.ts'
import { refuseText } from './refuse-text.ts'
import { leaveBehind, openTestStore, testEngine } from './stores.ts'

// What the store refuses for a value of one operation costs nobody else anything, and nothing of it is lost.

type AsideRow = Selectable<SetAsideTable>

const log = pino({ level: 'silent' })
const opened: Store[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
})

async function openBooks(): Promise<Store> {
  const store = await openTestStore()
  opened.push(store)
  const { db } = store
  await db
    .insertInto('users')
    .values({ username: 'ann', display_name: 'Ann', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 })
    .execute()
  await db.insertInto('tokens').values(token).execute()
  return store
}

const token = {
  user_id: 1,
  key_lookup: 'k',
  key_sealed: '',
  name: 't',
  status: 1,
  created_time: 0,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 100_000,
  unlimited_quota: 0,
  models: '',
  subnet: '',
}

async function openLedger(store: Store): Promise<Ledger> {
  const ledger = await createLedger({ store, clock: systemClock, log })
  await ledger.post({ userId: 1, kind: 'grant', ref: 'start', amount: 10_000 })
  return ledger
}

const request = (requestId: string, amount = 100, modelName = 'm') => ({ requestId, userId: 1, tokenId: 1, amount, modelName })
const settled = ({ requestId }: Hold, amount: number, content = ''): Settlement => ({
  amount,
  channelId: 1,
  log: plainLog({ userId: 1, createdAt: 1, type: 2, content, username: 'ann', requestId, quota: amount }),
})
const asidesOf = ({ db }: Store): Promise<AsideRow[]> => db.selectFrom('ledger_set_aside').selectAll().orderBy('id').execute()
const balanceOf = async ({ db }: Store) => (await db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota
const holdOf = ({ request_id: requestId, user_id: userId, token_id: tokenId, held: amount, task_id: taskId }: AsideRow) => ({
  requestId,
  userId,
  tokenId,
  amount,
  taskId,
})

async function inconsistencies({ db }: Store): Promise<readonly string[]> {
  const { checks } = await verify(db, { withLogs: true })
  return checks.flatMap(({ broken }) => broken)
}

/** Holds and settles many at once, so that they share batches. */
async function settleMany(ledger: Ledger, contents: readonly string[]): Promise<void> {
  const holds = await Promise.all(contents.map((_, index) => ledger.hold(request(`r${index}`))))
  await Promise.all(holds.map((hold, index) => ledger.settle(hold, settled(hold, 10, contents[index]))))
}

test('of a batch, only what the store refuses is set aside, with its reservation; a restart and later requests go on', async () => {
  const store = await openBooks()
  const ledger = await openLedger(store)
  const accept = await refuseText(store, 'bad')
  await settleMany(ledger, ['', '', 'bad', '', '', '', 'bad', ''])
  await ledger.drain()
  const asides = await asidesOf(store)
  expect(asides.map(({ request_id, kind, amount, held, state }) => [request_id, kind, amount, held, state])).toEqual([
    ['r2', 'settle', 10, 100, 'open'],
    ['r6', 'settle', 10, 100, 'open'],
  ])
  expect(asides[0]?.error_message).toMatch(/refused/)
  expect([await balanceOf(store), ledger.balanceOf(1), await inconsistencies(store)]).toEqual([10_000 - 60, 10_000 - 60, []])
  // 200 of it stay reserved.
  expect(await ledger.hold(request('too much', 9_741)).catch(() => 'refused')).toBe('refused')
  const rest = await ledger.hold(request('rest', 9_740))
  await ledger.release(rest, null)

  await ledger.close()
  await leaveBehind(store)
  const next = await openLedger(store)
  expect([(await asidesOf(store)).length, await balanceOf(store), await inconsistencies(store)]).toEqual([2, 10_000 - 60, []])
  expect(await next.hold(request('too much again', 9_741)).catch(() => 'refused')).toBe('refused')

  const [first, second] = asides
  if (first === undefined || second === undefined) throw new Error('nothing was set aside')
  const end = readEnd(first.operation, holdOf(first))
  if (end === null) throw new Error('the operation was not kept')
  const retried = { id: first.id, state: 'retried', charged: 10, by: 1, remark: '' } as const
  // As long as the cause is there, it stays set aside.
  expect(await next.endSetAside(end, retried).catch(() => 'refused')).toBe('refused')
  expect([(await asidesOf(store))[0]?.tries, await balanceOf(store), await inconsistencies(store)]).toEqual([2, 10_000 - 60, []])
  await accept()
  expect(await next.endSetAside(end, retried)).toBe(true)
  expect(await next.endSetAside(end, retried)).toBe(false)
  expect([await balanceOf(store), await inconsistencies(store)]).toEqual([10_000 - 70, []])

  const other = toCleanEnd(second.operation, holdOf(second), { charge: 4, nowSeconds: 1 })
  expect(await next.endSetAside(other, { id: second.id, state: 'resolved', charged: 4, by: 7, remark: 'half' })).toBe(true)
  expect((await asidesOf(store)).map(({ state, charged, resolved_by, remark }) => [state, charged, resolved_by, remark])).toEqual([
    ['retried', 10, 1, ''],
    ['resolved', 4, 7, 'half'],
  ])
  expect([await balanceOf(store), next.openHolds(), await inconsistencies(store)]).toEqual([10_000 - 74, 0, []])
  await next.close()
}, 60_000)

test('a reservation that the store refuses is charged with its end, and one whose end is refused too is kept', async () => {
  const store = await openBooks()
  const ledger = await openLedger(store)
  await refuseText(store, 'bad')
  const good = await ledger.hold(request('good', 100, 'bad'))
  const bad = await ledger.hold(request('bad', 100, 'bad'))
  const other = await ledger.hold(request('other'))
  // All of them are due, and the store refuses two.
  await ledger.drain()
  await Promise.all([
    ledger.settle(good, settled(good, 30)),
    ledger.settle(bad, settled(bad, 40, 'bad')),
    ledger.settle(other, settled(other, 1)),
  ])
  await ledger.drain()
  expect([await balanceOf(store), await inconsistencies(store)]).toEqual([10_000 - 31, []])
  expect((await asidesOf(store)).map(({ request_id, held }) => [request_id, held])).toEqual([['bad', 100]])
  expect(await store.db.selectFrom('holds').select(['request_id', 'amount', 'task_id']).execute()).toEqual([
    { request_id: 'bad', amount: 100, task_id: 'set-aside' },
  ])
  await ledger.close()
}, 60_000)

test('what a crash leaves and the store refuses to end is set aside by the next start', async () => {
  const store = await openBooks()
  const ledger = await openLedger(store)
  await ledger.hold(request('left', 100, 'm'))
  await ledger.close()
  await leaveBehind(store)
  const { content } = codedText({ code: 'log_crashed', params: {} })
  await refuseText(store, content)
  const next = await openLedger(store)
  await next.drain()
  expect((await asidesOf(store)).map(({ request_id, kind, held }) => [request_id, kind, held])).toEqual([['left', 'release', 100]])
  expect([await balanceOf(store), await inconsistencies(store)]).toEqual([10_000, []])
  expect(await next.hold(request('too much', 9_901)).catch(() => 'refused')).toBe('refused')
  const fine = await next.hold(request('fine', 9_900))
  await next.settle(fine, settled(fine, 1))
  expect(await inconsistencies(store)).toEqual([])
  await next.close()
}, 60_000)

test('a store that refuses more than a few ends of one batch is broken, and not they', async () => {
  const store = await openBooks()
  const ledger = await openLedger(store)
  await refuseText(store, 'bad')
  await settleMany(
    ledger,
    Array.from({ length: 40 }, () => 'bad'),
  ).catch(() => {})
  expect(ledger.isBroken()).toBe(true)
  expect(await inconsistencies(store)).toEqual([])
}, 60_000)

test('a store that refuses whatever it is given is broken, and that is reported once', async () => {
  const store = await openBooks()
  const ledger = await openLedger(store)
  const hold = await ledger.hold(request('one'))
  let reports = 0
  ledger.onBroken(() => {
    reports += 1
  })
  if (testEngine === 'sqlite') await sql`PRAGMA query_only = ON`.execute(store.db)
  else for (const table of ['ledger_set_aside', 'holds']) await sql`DROP TABLE ${sql.table(table)}`.execute(store.db)
  expect(await ledger.settle(hold, settled(hold, 1)).catch(() => 'failed')).toBe('failed')
  expect([ledger.isBroken(), ledger.isReady(), reports]).toEqual([true, false, 1])
  expect(await ledger.hold(request('two')).catch((error: Error) => error.message)).toBe('database_unavailable')
  ledger.onBroken(() => {
    reports += 1
  })
  expect(reports).toBe(2)
}, 60_000)

if (testEngine === 'postgres')
  test('a fraction where the database keeps whole numbers ends neither the node nor the other tasks', async () => {
    const store = await openBooks()
    const ledger = await openLedger(store)
    const task = (name: string) => ({
      ...{
        public_id: name,
        kind: 'videos',
        action: '',
        model: 'm',
        upstream_model: 'm',
        group_name: '',
        state: 'in_progress',
        stage: 'running',
      },
      ...{ idempotency_key: name, order_sealed: '', price: '{}', give_up_at: 0, next_poll_ms: 1 },
    })
    const end = (publicId: string, expiresAt: number) => ({
      ...{ publicId, state: 'completed' as const, progress: 100, resultSealed: 'result', errorCode: '', errorMessage: '' },
      expiresAt,
    })
    const [bad, good] = await Promise.all(['bad', 'good'].map((name) => ledger.hold({ ...request(name), task: task(name) })))
    if (bad === undefined || good === undefined) throw new Error('nothing is reserved')
    await Promise.all([
      ledger.settle(bad, { ...settled(bad, 50), task: end('bad', 1_795_908_321.974) }),
      ledger.settle(good, { ...settled(good, 50), task: end('good', 1_795_908_321) }),
    ])
    await ledger.drain()
    const [aside] = await asidesOf(store)
    if (aside === undefined) throw new Error('nothing was set aside')
    expect([aside.request_id, aside.task_id, aside.error_code]).toEqual(['bad', 'bad', '22P02'])
    expect([await balanceOf(store), await inconsistencies(store)]).toEqual([10_000 - 50, []])
    const tasks = () =>
      store.db.selectFrom('tasks').select(['public_id', 'stage', 'next_poll_ms', 'expires_at']).orderBy('public_id').execute()
    expect(await tasks()).toEqual([
      { public_id: 'bad', stage: 'running', next_poll_ms: null, expires_at: 0 },
      { public_id: 'good', stage: 'ended', next_poll_ms: null, expires_at: 1_795_908_321 },
    ])
    const clean = toCleanEnd(aside.operation, holdOf(aside), { charge: 50, nowSeconds: 1 })
    expect(await ledger.endSetAside(clean, { id: aside.id, state: 'resolved', charged: 50, by: 0, remark: '' })).toBe(true)
    expect((await tasks())[0]).toEqual({ public_id: 'bad', stage: 'ended', next_poll_ms: null, expires_at: 1_795_908_321 })
    expect([await balanceOf(store), await inconsistencies(store)]).toEqual([10_000 - 100, []])
    await ledger.close()
  }, 60_000)
