import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openTestStore } from '../../test/stores.ts'
import type { Store } from '../db/connect.ts'
import { type Limiters, ownLimiters } from '../lib/limiters.ts'
import { createLog } from '../log.ts'
import { openLimiters } from './shared-limiters.ts'

let store: Store
beforeAll(async () => {
  store = await openTestStore('postgres')
}, 60_000)
afterAll(() => store.close())

let ms = 0
const clock = { nowMs: () => ms, monotonicMs: () => ms }
const openNode = () => openLimiters({ store, clock, databaseClock: clock, log: createLog('silent') })
const pass = (seconds: number): void => {
  ms += seconds * 1000
}
const takeAll = (count: number, take: (place: number) => number | Promise<number>): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: count }, (_, place) => take(place)))
const allowed = (waits: readonly number[]): number => waits.filter((wait) => wait === 0).length

test('the rate of a key is one over all nodes, also for tries at once', async () => {
  const nodes = [openNode(), openNode(), openNode()].map((node) => node.rate('r', { count: 10, perSeconds: 10 }))
  expect(allowed(await takeAll(60, (place) => nodes[place % 3]?.take('key') ?? 0))).toBe(10)
  expect(allowed(await takeAll(60, (place) => nodes[place % 3]?.take('other key') ?? 0))).toBe(10)
  pass(3)
  expect(allowed(await takeAll(60, (place) => nodes[place % 3]?.take('key') ?? 0))).toBe(3)
})

test('tries of a key are throttled together over all nodes', async () => {
  const rule = { free: 3, windowMs: 60_000, waitMaxMs: 8_000 }
  const nodes = [openNode(), openNode()].map((node) => node.throttle('t', rule))
  expect(allowed(await takeAll(50, (place) => nodes[place % 2]?.take('key') ?? 0))).toBe(3)
  expect(allowed(await takeAll(3, () => openNode().throttle('u', rule).take('key')))).toBe(3)
})

/** Each with a name and numbers of its own, so that both count alike from the beginning. */
describe('the shared limits count as those of one process do', () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
  console.log(`seed ${seed}`)

  /** A small generator of numbers from a seed (mulberry32). */
  function numbers(from: number): (below: number) => number {
    let state = from
    return (below) => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
    }
  }

  async function rated(limiters: Limiters): Promise<readonly number[]> {
    const next = numbers(seed)
    ms = 0
    const limiter = limiters.rate('rated', { count: 7, perSeconds: 10 })
    const waits: number[] = []
    for (let step = 0; step < 150; step++) {
      ms += next(2_000)
      waits.push(await limiter.take(`key ${next(2)}`))
    }
    return waits
  }

  async function throttled(limiters: Limiters): Promise<readonly number[]> {
    const next = numbers(seed)
    ms = 0
    const throttle = limiters.throttle('throttled', { free: 3, windowMs: 60_000, waitMaxMs: 8_000 })
    const waits: number[] = []
    for (let step = 0; step < 150; step++) {
      ms += next(step % 20 === 0 ? 90_000 : 3_000)
      const key = `key ${next(2)}`
      waits.push(await throttle.take(key))
      if (next(10) === 0) await throttle.giveBack(key)
      if (next(25) === 0) await throttle.forget(key)
    }
    return waits
  }

  test.each([
    ['rates', rated],
    ['throttles', throttled],
  ] as const)('%s', async (_name, run) => {
    expect(await run(openNode())).toEqual(await run(ownLimiters(clock)))
  })

  test('what was remembered', async () => {
    for (const limiters of [openNode(), ownLimiters(clock)]) {
      const known = limiters.remember('r')
      expect(await known.has('ann')).toBe(false)
      await known.add('ann')
      await known.add('ann')
      expect([await known.has('ann'), await known.has('bob')]).toEqual([true, false])
    }
    expect(await openNode().remember('r').has('ann')).toBe(true)
  })
})

test('counts that are over are deleted, and the others stay', async () => {
  const node = openNode()
  const limiter = node.rate('cleaned', { count: 1, perSeconds: 60 })
  expect(await limiter.take('a')).toBe(0)
  await node.clean()
  expect(await limiter.take('a')).toBe(60)
  pass(100 * 86_400)
  await node.clean()
  const { rows } = await sql`SELECT 1 FROM rate_limits UNION ALL SELECT 1 FROM throttles`.execute(store.db)
  expect(rows).toEqual([])
})
