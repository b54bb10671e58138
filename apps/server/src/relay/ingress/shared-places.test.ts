import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { openTestStore } from '../../../test/stores.ts'
import type { Store } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { deleteOldLimits } from '../../nodes/limit-queries.ts'
import { sharedPlaces } from './shared-places.ts'
import { createStreamPlaces } from './stream-places.ts'
import { accountKey, type GiveBack, streamsKey, type TokenPlaces } from './token-places.ts'

let store: Store
beforeAll(async () => {
  store = await openTestStore('postgres')
}, 60_000)
afterAll(() => store.close())

let tokens = 0
function newToken(): number {
  tokens += 1
  return tokens
}

interface TestNode {
  readonly epoch: number
  readonly places: TokenPlaces
}

/** The node of the store declares others dead that were silent for ten seconds, which a test takes on a busy machine. */
const neverSilentMs = Number.MAX_SAFE_INTEGER

async function openNode(): Promise<TestNode> {
  const { rows } = await sql<{ epoch: number }>`INSERT INTO nodes (id, version, state, started_ms, heartbeat_ms)
    VALUES (${crypto.randomUUID()}, '', 'live', 0, ${neverSilentMs}) RETURNING epoch`.execute(store.db)
  const epoch = Number(rows[0]?.epoch)
  return { epoch, places: sharedPlaces({ db: store.db, clock: systemClock, epoch }) }
}

const openNodes = (count: number): Promise<readonly TestNode[]> => Promise.all(Array.from({ length: count }, openNode))
const declareDead = ({ epoch }: TestNode) => sql`UPDATE nodes SET state = 'dead' WHERE epoch = ${epoch}`.execute(store.db)

/** `null`: the token was busy. */
async function take({ places }: TestNode, token: number, limit: number): Promise<GiveBack | null> {
  try {
    return await places.take(token, limit)
  } catch (error) {
    if (error instanceof AppError && error.code === 'token_busy') return null
    throw error
  }
}

async function takeMany(nodes: readonly TestNode[], { count, token, limit }: { count: number; token: number; limit: number }) {
  const turns = Array.from({ length: count }, (_, place) => nodes[place % nodes.length]).filter((node) => node !== undefined)
  return (await Promise.all(turns.map((node) => take(node, token, limit)))).filter((giveBack) => giveBack !== null)
}

test.each([1, 3, 10])(
  'as many requests run as a limit of %d allows, however many come at once on all nodes',
  async (limit) => {
    const [nodes, token] = [await openNodes(4), newToken()]
    const taken = await takeMany(nodes, { count: 60, token, limit })
    expect(taken).toHaveLength(limit)
    for (const giveBack of taken) giveBack()
    expect(await takeMany(nodes, { count: 60, token, limit })).toHaveLength(limit)
  },
  60_000,
)

test('a place that one node does not use any more is had by another one without a refusal', async () => {
  const [[a, b], token] = [await openNodes(2), newToken()]
  if (a === undefined || b === undefined) throw new Error('two nodes were opened')
  for (const node of [a, b, a, b]) {
    const giveBack = await take(node, token, 1)
    expect(giveBack).not.toBeNull()
    giveBack?.()
  }
}, 60_000)

test('what a dead node had counts no longer, and rows that say nothing are deleted', async () => {
  const [[a, b], token] = [await openNodes(2), newToken()]
  if (a === undefined || b === undefined) throw new Error('two nodes were opened')
  expect(await takeMany([a], { count: 2, token, limit: 2 })).toHaveLength(2)
  expect(await take(b, token, 2)).toBeNull()
  await declareDead(a)
  const taken = await takeMany([b], { count: 3, token, limit: 2 })
  expect(taken).toHaveLength(2)
  const isStored = async () => (await sql`SELECT 1 FROM token_places WHERE token_id = ${token}`.execute(store.db)).rows.length === 1
  await deleteOldLimits(store.db, 0)
  expect(await isStored()).toBe(true)
  await declareDead(b)
  await deleteOldLimits(store.db, 0)
  expect(await isStored()).toBe(false)
}, 60_000)

test.each(['[1]', '"text"', '{"a": 1}', '{"1": "2"}', '{"1": 1.5}', '{"99999999999999999999": 1}', '{"1": null}'])(
  'places of a token that are damaged to %s are deleted, and its requests run again',
  async (damaged) => {
    const [[node], token] = [await openNodes(1), newToken()]
    if (node === undefined) throw new Error('a node was opened')
    await sql`INSERT INTO token_places (token_id, taken) VALUES (${token}, ${damaged}::text::jsonb)`.execute(store.db)
    const other = newToken()
    expect(await take(node, other, 1)).not.toBeNull()
    await deleteOldLimits(store.db, 0)
    const { rows } = await sql`SELECT token_id FROM token_places WHERE token_id IN (${token}, ${other})`.execute(store.db)
    expect(rows.map((row) => ({ ...Object(row) }))).toEqual([{ token_id: other }])
    expect(await take(node, token, 1)).not.toBeNull()
  },
  60_000,
)

test('a lower limit holds for the next request on every node', async () => {
  const [[a, b], token] = [await openNodes(2), newToken()]
  if (a === undefined || b === undefined) throw new Error('two nodes were opened')
  const taken = await takeMany([a, b], { count: 4, token, limit: 4 })
  expect(taken).toHaveLength(4)
  expect([await take(a, token, 2), await take(b, token, 2)]).toEqual([null, null])
}, 60_000)

test('never do more run than the limit, whatever is taken and given back in whatever order', async () => {
  const limit = 3
  const steps = fc.array(fc.tuple(fc.nat(2), fc.boolean()), { minLength: 5, maxLength: 25 })
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`SEED=${seed}`)
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const [nodes, token] = [await openNodes(3), newToken()]
      let running = 0
      let most = 0
      const held: GiveBack[] = []
      const pending: Promise<void>[] = []
      for (const [place, isTaken] of list) {
        const node = nodes[place]
        const giveBack = isTaken ? undefined : held.shift()
        if (giveBack !== undefined) {
          running -= 1
          giveBack()
        }
        if (!isTaken || node === undefined) continue
        pending.push(
          take(node, token, limit).then((release) => {
            if (release === null) return
            running += 1
            most = Math.max(most, running)
            held.push(release)
          }),
        )
        if (place === 0) await Promise.race(pending)
      }
      await Promise.all(pending)
      expect(most).toBeLessThanOrEqual(limit)
    }),
    { seed, numRuns: 15 },
  )
}, 120_000)

test('event streams of a token are counted over all nodes, apart from its requests and from those of accounts', async () => {
  const [nodes, token] = [await openNodes(2), newToken()]
  const [one, other] = nodes.map(({ places }) => createStreamPlaces({ places, most: () => 2 }))
  if (one === undefined || other === undefined) throw new Error('there are no nodes')
  const [release] = [await one.take(token), await other.take(token)]
  const refusal = await one.take(token).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'task_streams_limited', status: 429 })
  expect(await takeMany(nodes, { count: 3, token, limit: 2 })).toHaveLength(2)
  expect(await takeMany(nodes, { count: 3, token: accountKey(token), limit: 2 })).toHaveLength(2)
  release()
  release()
  expect(await other.take(token)).toBeFunction()
  expect(await other.take(token).catch((error: unknown) => error)).toMatchObject({ code: 'task_streams_limited' })
})

test('no two kinds of places have a key in common', () => {
  const ids = Array.from({ length: 500 }, (_, index) => index + 1)
  const keys = [...ids, ...ids.map(accountKey), ...ids.map(streamsKey)]
  expect(new Set(keys).size).toBe(keys.length)
})
