import { afterEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import pino from 'pino'
import { leaveBehind, openTestStore, testEngine } from '../../test/stores.ts'
import type { Store } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { changeAt } from './change-at.ts'
import { createLedger } from './create-ledger.ts'
import type { Hold, Ledger, Moved } from './ledger.ts'
import { plainLog } from './log-entry.ts'
import { verify } from './verify.ts'

const log = pino({ level: 'silent' })
const opened: Store[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
})

async function openLedger(quotas: { user: number; token: number; isUnlimited?: boolean }): Promise<{ store: Store; ledger: Ledger }> {
  const store = await openTestStore()
  opened.push(store)
  await addUser(store)
  await addToken(store, quotas)
  const ledger = await createLedger({ store, clock: systemClock, log })
  if (quotas.user > 0) await ledger.post({ userId: 1, kind: 'grant', ref: 'start', amount: quotas.user })
  return { store, ledger }
}

async function addUser(store: Store): Promise<void> {
  await store.db
    .insertInto('users')
    .values({ username: 'ann', display_name: 'Ann', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 })
    .execute()
}

async function addToken(store: Store, { token, isUnlimited = false }: { token: number; isUnlimited?: boolean }): Promise<void> {
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  await store.db
    .insertInto('tokens')
    .values({
      user_id: 1,
      key_lookup: 'k',
      key_sealed: '',
      name: 't',
      status: 1,
      ...times,
      remain_quota: token,
      unlimited_quota: isUnlimited ? 1 : 0,
      models: '',
      subnet: '',
    })
    .execute()
}

const adjustment = (ref: string, amountAt: (balance: number) => number) => ({
  userId: 1,
  kind: 'admin' as const,
  ref,
  amountAt,
  log: ({ from, to }: Moved) => plainLog({ userId: 1, createdAt: 0, type: 3, content: `${from} to ${to}`, username: 'ann' }),
})

const request = (requestId: string, amount: number) => ({ requestId, userId: 1, tokenId: 1, amount, modelName: 'm' })
const settled = (hold: Hold, amount: number) => ({
  amount,
  channelId: 1,
  log: plainLog({ userId: 1, createdAt: 0, type: 2, content: '', username: 'ann', requestId: hold.requestId, quota: amount }),
})
const balance = async (store: Store) => (await store.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota
const remain = async (store: Store) => (await store.db.selectFrom('tokens').select('remain_quota').executeTakeFirstOrThrow()).remain_quota

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error) => (error instanceof AppError ? error.code : String(error)),
  )
}

describe('ledger', () => {
  test('a question whether a request can be paid reserves and writes nothing', async () => {
    const { store, ledger } = await openLedger({ user: 100, token: 40 })
    const check = (amount: number, least = amount) => ledger.assertPayable({ userId: 1, tokenId: 1, amount, least })
    expect([await codeOf(check(40)), await codeOf(check(500, 40))]).toEqual(['none', 'none'])
    expect([await codeOf(check(101)), await codeOf(check(41))]).toEqual(['insufficient_user_quota', 'insufficient_token_quota'])
    expect(await codeOf(ledger.assertPayable({ userId: 1, tokenId: 9, amount: 1 }))).toBe('token_invalid')
    expect(ledger.openHolds()).toBe(0)
    // Nothing is left of what it reserved, so that a request can have all of it.
    const hold = await ledger.hold(request('all', 40))
    expect(await codeOf(check(1))).toBe('insufficient_token_quota')
    await ledger.settle(hold, settled(hold, 40))
    expect([await balance(store), await remain(store)]).toEqual([60, 0])
    expect(await store.db.selectFrom('holds').selectAll().execute()).toEqual([])
    await ledger.close()
  })

  test('a settled request is charged once, however often it is settled or released', async () => {
    const { store, ledger } = await openLedger({ user: 100, token: 100 })
    const hold = await ledger.hold(request('r1', 50))
    await Promise.all([ledger.settle(hold, settled(hold, 30)), ledger.settle(hold, settled(hold, 30)), ledger.release(hold, null)])
    expect([await balance(store), await remain(store)]).toEqual([70, 70])
    // The balance in memory must match the stored one.
    expect(ledger.balanceOf(1)).toBe(70)
    expect(await codeOf(ledger.hold(request('r2', 71)))).toBe('insufficient_user_quota')
  })

  test('a reservation is refused when the user has not enough, and nothing stays reserved', async () => {
    const { ledger } = await openLedger({ user: 100, token: 1000 })
    const first = await ledger.hold(request('r1', 60))
    expect(await codeOf(ledger.hold(request('r2', 60)))).toBe('insufficient_user_quota')
    await ledger.release(first, null)
    expect(await codeOf(ledger.hold(request('r3', 100)))).toBe('none')
  })

  test('a reservation is refused when the token has not enough, though the user has', async () => {
    const { ledger } = await openLedger({ user: 1000, token: 10 })
    expect(await codeOf(ledger.hold(request('r1', 11)))).toBe('insufficient_token_quota')
  })

  test('an unlimited token is limited by the balance alone and still counts what it used', async () => {
    const { store, ledger } = await openLedger({ user: 100, token: 0, isUnlimited: true })
    const hold = await ledger.hold(request('r1', 40))
    await ledger.settle(hold, settled(hold, 40))
    expect(await remain(store)).toBe(0)
    expect((await store.db.selectFrom('tokens').select('used_quota').executeTakeFirstOrThrow()).used_quota).toBe(40)
  })

  test('of a hundred concurrent requests for ten shares, exactly ten get one', async () => {
    const { ledger } = await openLedger({ user: 100, token: 1000 })
    const codes = await Promise.all(Array.from({ length: 100 }, (_, index) => codeOf(ledger.hold(request(`r${index}`, 10)))))
    expect(codes.filter((code) => code === 'none')).toHaveLength(10)
    expect(codes.filter((code) => code === 'insufficient_user_quota')).toHaveLength(90)
  })

  test('an extension reserves from the balance, and fails if the balance does not cover it', async () => {
    const { ledger } = await openLedger({ user: 100, token: 1000 })
    const hold = await ledger.hold(request('r1', 60))
    expect(ledger.extend(hold, 40)).toBe(true)
    expect(ledger.extend(hold, 1)).toBe(false)
    expect(await codeOf(ledger.hold(request('r2', 1)))).toBe('insufficient_user_quota')
  })

  test('the same posting twice credits once', async () => {
    const { store, ledger } = await openLedger({ user: 0, token: 0 })
    const posting = { userId: 1, kind: 'redeem', ref: 'code-7', amount: 500 } as const
    expect(await Promise.all([ledger.post(posting), ledger.post(posting)])).toEqual([true, false])
    expect(await balance(store)).toBe(500)
  })

  test('a balance set to an amount has it at that moment, and concurrent charges and credits still count', async () => {
    const { store, ledger } = await openLedger({ user: 1000, token: 1000 })
    const running = await ledger.hold(request('r1', 100))
    const [first, second] = await Promise.all([
      ledger.adjust(adjustment('a1', (now) => 500 - now)),
      ledger.adjust(adjustment('a2', (now) => 300 - now)),
      ledger.settle(running, settled(running, 40)),
      ledger.post({ userId: 1, kind: 'redeem', ref: 'code', amount: 7 }),
    ])
    expect(first.to).toBe(500)
    expect(second.to).toBe(300)
    expect([267, 300 - 40 + 7, 307]).toContain(await balance(store))
    const texts = await store.db.selectFrom('logs').select('content').where('type', '=', 3).orderBy('id').execute()
    expect(texts.map(({ content }) => content)).toEqual([`${first.from} to 500`, `${second.from} to 300`])
  })

  test('a change from a form takes away at most the balance, and never exceeds the largest safe integer', async () => {
    const { store, ledger } = await openLedger({ user: 1000, token: 1000 })
    expect(await ledger.adjust(adjustment('a1', (now) => changeAt(now, -5000)))).toEqual({ from: 1000, to: 0 })
    expect(await ledger.adjust(adjustment('a2', (now) => changeAt(now, 20)))).toEqual({ from: 0, to: 20 })
    const more = ledger.adjust(adjustment('a3', () => Number.MAX_SAFE_INTEGER))
    expect(await codeOf(more)).toBe('quota_too_large')
    expect(await codeOf(ledger.adjust({ ...adjustment('a4', () => 1), userId: 99 }))).toBe('not_found')
    expect(await balance(store)).toBe(20)
  })

  test('a change of a token limit sees all earlier decisions, and stores its data for the next one', async () => {
    const { store, ledger } = await openLedger({ user: 1000, token: 100 })
    const hold = await ledger.hold(request('r1', 30))
    await ledger.settle(hold, settled(hold, 30))
    await ledger.setTokenQuota(1, (now) => {
      expect(now).toMatchObject({ remain: 70, isUnlimited: false, used: 30, forms: '' })
      return { remain: now.remain + 50, isUnlimited: false, forms: 'noted' }
    })
    expect(await remain(store)).toBe(120)
    const again = await createLedger({ store, clock: systemClock, log })
    await again.setTokenQuota(1, (now) => {
      expect(now).toMatchObject({ remain: 120, used: 30, forms: 'noted' })
      return now
    })
    expect(await codeOf(again.setTokenQuota(99, (now) => now))).toBe('not_found')
    expect(await codeOf(again.setTokenQuota(1, (now) => ({ ...now, remain: 2 ** 53 })))).toBe('quota_too_large')
  })

  test('a new token limit counts from the moment it is set, with concurrent charges', async () => {
    const { store, ledger } = await openLedger({ user: 1000, token: 100 })
    const before = await ledger.hold(request('r1', 10))
    const after = await ledger.hold(request('r2', 10))
    await Promise.all([
      ledger.settle(before, settled(before, 10)),
      ledger.setTokenQuota(1, () => ({ remain: 500, isUnlimited: false, forms: '' })),
      ledger.settle(after, settled(after, 7)),
    ])
    const total = await remain(store)
    // On PostgreSQL the new limit may be set before either charge is committed.
    expect([483, 490, 493, 500]).toContain(total)
    expect(await codeOf(ledger.hold(request('r3', total + 1)))).toBe('insufficient_token_quota')
    expect(await codeOf(ledger.hold(request('r4', total)))).toBe('none')
  })

  test('holds of a killed process are released at the next start, with a log row', async () => {
    const { store, ledger } = await openLedger({ user: 100, token: 100 })
    await ledger.hold(request('r1', 60))
    await ledger.close()
    await leaveBehind(store)
    const again = await createLedger({ store, clock: systemClock, log })
    expect(await codeOf(again.hold(request('r2', 100)))).toBe('none')
    const row = await store.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
    expect([row.request_id, row.end_reason, row.quota]).toEqual(['r1', 'crashed', 0])
  })

  test('under any concurrency, entries explain every balance and no quota is reserved twice', async () => {
    const step = fc.record({
      kind: fc.constantFrom('settle', 'release', 'extend', 'post', 'adjust', 'set', 'limit', 'leave'),
      amount: fc.integer({ min: 0, max: 40 }),
      actual: fc.integer({ min: 0, max: 50 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 400 }), fc.array(step, { minLength: 1, maxLength: 40 }), async (start, steps) => {
        const { store, ledger } = await openLedger({ user: start, token: 300 })
        let excess = 0
        await Promise.all(
          steps.map(async ({ kind, amount, actual }, index) => {
            if (kind === 'post') return ledger.post({ userId: 1, kind: 'admin', ref: `p${index}`, amount })
            if (kind === 'adjust') {
              const { from, to } = await ledger.adjust(adjustment(`a${index}`, (now) => changeAt(now, amount - actual)))
              // Removed although it was reserved; the reservation is charged anyway.
              excess += Math.max(0, from - to)
              return
            }
            if (kind === 'set') return ledger.adjust(adjustment(`s${index}`, (now) => Math.max(now, amount) - now))
            if (kind === 'limit') return ledger.setTokenQuota(1, () => ({ remain: amount * 10, isUnlimited: false, forms: '' }))
            const hold = await ledger.hold(request(`r${index}`, amount)).catch(() => null)
            if (hold === null || kind === 'leave') return
            const more = kind === 'extend' && ledger.extend(hold, 5) ? 5 : 0
            if (kind === 'release') return ledger.release(hold, null)
            excess += Math.max(0, actual - amount - more)
            return ledger.settle(hold, settled(hold, actual))
          }),
        )
        await ledger.drain()
        const { checks } = await verify(store.db, { withLogs: true })
        expect(checks.flatMap(({ broken }) => broken).filter((line) => !line.startsWith('channel'))).toEqual([])
        expect(await balance(store)).toBeGreaterThanOrEqual(-excess)
        opened.splice(opened.indexOf(store), 1)
        await store.close()
      }),
      // On PostgreSQL, a database per run takes long.
      { numRuns: testEngine === 'sqlite' ? 150 : 40 },
    )
  })
})
