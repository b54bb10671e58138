import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openTestStore } from '../../../test/stores.ts'
import type { Store } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { deleteOldLimits } from '../../nodes/limit-queries.ts'
import type { TokenLimits } from '../model/caller.ts'
import { sharedMinutes } from './shared-minutes.ts'
import type { TokenMinutes } from './token-minutes.ts'

let store: Store
beforeAll(async () => {
  store = await openTestStore('postgres')
}, 60_000)
afterAll(() => store.close())

let ms = 1_800_000_000_000
const clock = { nowMs: () => ms }
const pass = (seconds: number): void => {
  ms += seconds * 1000
}
const openNodes = (count: number): readonly TokenMinutes[] => Array.from({ length: count }, () => sharedMinutes({ db: store.db, clock }))
const limitsOf = (limits: Partial<TokenLimits>): TokenLimits => ({
  ...{ requestsPerMinute: 0, tokensPerMinute: 0, requestsAtOnce: 0, quotaPerDay: 0, quotaPerMonth: 0 },
  ...limits,
})

let tokens = 0
/** A token that no test used before. */
function newToken(): number {
  tokens += 1
  return tokens
}

/** @returns whether it was admitted */
async function enter(node: TokenMinutes | undefined, token: number, limits: TokenLimits): Promise<boolean> {
  try {
    await node?.enter(token, limits)
    return true
  } catch (error) {
    if (error instanceof AppError && error.options.retryAfterSeconds !== undefined) return false
    throw error
  }
}

/** Many concurrent requests, in turns over the nodes. @returns how many were admitted */
async function admitted(nodes: readonly TokenMinutes[], token: number, { count, limits }: { count: number; limits: TokenLimits }) {
  const done = await Promise.all(Array.from({ length: count }, (_, place) => enter(nodes[place % nodes.length], token, limits)))
  return done.filter((is) => is).length
}

describe('requests a minute over several nodes', () => {
  test.each([1, 3, 10, 57])('a limit of %d is admitted exactly when all come at once', async (requestsPerMinute) => {
    const [nodes, token] = [openNodes(4), newToken()]
    const limits = limitsOf({ requestsPerMinute })
    const first = await admitted(nodes, token, { count: 100, limits })
    expect(first).toBeLessThanOrEqual(requestsPerMinute)
    // What one node took ahead and did not use comes back within two seconds.
    pass(2)
    for (const node of nodes) await node.exchange()
    expect(first + (await admitted(nodes, token, { count: 100, limits }))).toBe(requestsPerMinute)
    expect(await admitted(nodes, token, { count: 40, limits })).toBe(0)
    pass(61)
    expect(await admitted(nodes, token, { count: 100, limits })).toBeGreaterThan(0)
  })

  test('a single node admits the whole limit at once, and says when the next request may come', async () => {
    const [[node], token] = [openNodes(1), newToken()]
    const limits = limitsOf({ requestsPerMinute: 20 })
    expect(await admitted(node === undefined ? [] : [node], token, { count: 30, limits })).toBe(20)
    expect(node?.rates(token, limits)?.requests).toEqual({ limit: 20, remaining: 0, resetSeconds: 60 })
    pass(59)
    expect(await enter(node, token, limits)).toBe(false)
    pass(1)
    expect(await enter(node, token, limits)).toBe(true)
  })

  test('in no minute more than the limit, whatever comes when and where', async () => {
    const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
    console.log(`seed ${seed}`)
    let state = seed
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 8) % below
    }
    const [nodes, token, limits] = [openNodes(3), newToken(), limitsOf({ requestsPerMinute: 12 })]
    const at: number[] = []
    for (let step = 0; step < 300; step++) {
      const burst = Array.from({ length: random(4) }, () => nodes[random(3)])
      const done = await Promise.all(burst.map((node) => enter(node, token, limits)))
      at.push(...done.filter((is) => is).map(() => ms))
      ms += random(1_500)
      if (random(2) === 0) for (const node of nodes) await node.exchange()
    }
    // A grant is used at most two seconds after it was counted.
    for (const start of at) expect(at.filter((one) => one >= start && one < start + 58_000).length).toBeLessThanOrEqual(12)
    expect(at.length).toBeGreaterThan(30)
  })

  test('what one node took ahead and did not use is admitted by another one', async () => {
    const [nodes, token, limits] = [openNodes(2), newToken(), limitsOf({ requestsPerMinute: 80 })]
    const [first, second] = nodes
    expect(await enter(first, token, limits)).toBe(true)
    pass(2)
    await first?.exchange()
    expect(await admitted(second === undefined ? [] : [second], token, { count: 100, limits })).toBe(79)
  })

  test('most requests of a high limit ask nobody', async () => {
    const [[node], token] = [openNodes(1), newToken()]
    const limits = limitsOf({ requestsPerMinute: 10_000 })
    await node?.enter(token, limits)
    const before = await lastExchange(token)
    for (let count = 0; count < 1_000; count++) await node?.enter(token, limits)
    expect(await lastExchange(token)).toBe(before)
  })
})

/** The transaction that last changed the minute of a token. */
async function lastExchange(token: number): Promise<string | undefined> {
  const { rows } = await sql<{ at: string }>`SELECT xmin::text AS at FROM token_minutes WHERE token_id = ${token}`.execute(store.db)
  return rows[0]?.at
}

describe('LLM tokens a minute over several nodes', () => {
  const limits = limitsOf({ tokensPerMinute: 1_000 })

  test('what one node counts, others know after the next exchange', async () => {
    const [[first, second], token] = [openNodes(2), newToken()]
    expect([await enter(first, token, limits), await enter(second, token, limits)]).toEqual([true, true])
    first?.add(token, first.second(), 1_000)
    expect(await enter(first, token, limits)).toBe(false)
    await first?.exchange()
    await second?.exchange()
    expect(await enter(second, token, limits)).toBe(false)
    expect(second?.rates(token, limits)?.llmTokens).toMatchObject({ limit: 1_000, remaining: 0 })
    pass(61)
    expect(await enter(second, token, limits)).toBe(true)
  })

  test('a node that did not use the token for a while asks first', async () => {
    const [[first, second], token] = [openNodes(2), newToken()]
    await enter(first, token, limits)
    first?.add(token, first.second(), 1_000)
    await first?.exchange()
    expect(await enter(second, token, limits)).toBe(false)
  })

  test('an expectation is undone at the end, also when it was exchanged meanwhile', async () => {
    const [[first, second], token] = [openNodes(2), newToken()]
    await enter(first, token, limits)
    const at = first?.second() ?? 0
    first?.add(token, at, 1_000)
    await first?.exchange()
    pass(3)
    first?.add(token, at, -1_000)
    first?.add(token, first.second(), 30)
    await first?.exchange()
    expect(await enter(second, token, limits)).toBe(true)
    expect(second?.rates(token, limits)?.llmTokens?.remaining).toBe(970)
  })
})

test('while the database is unreachable a node counts by itself from what it knew last', async () => {
  const [token, limits] = [newToken(), limitsOf({ requestsPerMinute: 10 })]
  const other = await openTestStore('postgres')
  const node = sharedMinutes({ db: other.db, clock })
  expect(await admitted([node], token, { count: 4, limits })).toBe(4)
  await other.close()
  expect(await admitted([node], token, { count: 20, limits })).toBe(6)
  await node.exchange()
  expect(await admitted([node], token, { count: 20, limits })).toBe(0)
}, 60_000)

test.each(['{"a": 1}', '"text"', '[1]', '[[1, 2]]', '[[1, "2", 3]]', '[[1, 2.5, 3]]', '[[1, 2, 99999999999999999999]]'])(
  'a minute that is damaged to %s begins anew once it was cleaned up, and others go on',
  async (damaged) => {
    const [[node], token, other] = [openNodes(1), newToken(), newToken()]
    const limits = limitsOf({ requestsPerMinute: 10 })
    const countsOf = () => sql`SELECT counts::text FROM token_minutes WHERE token_id = ${other}`.execute(store.db)
    expect(await enter(node, other, limits)).toBe(true)
    const { rows: before } = await countsOf()
    await sql`INSERT INTO token_minutes (token_id, touched_second, counts) VALUES (${token}, ${Math.floor(ms / 1000)}, ${damaged}::text::jsonb)`.execute(
      store.db,
    )
    await deleteOldLimits(store.db, ms)
    expect((await countsOf()).rows).toEqual(before)
    expect(before).toHaveLength(1)
    expect(await enter(node, token, limits)).toBe(true)
  },
)
