import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openTestStore } from '../../test/stores.ts'
import type { Store } from '../db/connect.ts'
import { createLog } from '../log.ts'
import { openOwnership } from './ownership.ts'
import { openTimetable, openWorkBoard } from './work.ts'

let store: Store
beforeAll(async () => {
  store = await openTestStore('postgres')
}, 60_000)
afterAll(() => store.close())

const log = createLog('silent')

/** A node with a clock of its own, which the test moves. */
function openNode(node: string) {
  let ms = 0
  const clock = { monotonicMs: () => ms }
  return {
    ...openOwnership({ store, clock, log, node }),
    pass(passedMs: number) {
      ms += passedMs
    },
  }
}

/** Lets time pass for the database. */
const passInDatabase = (seconds: number) =>
  sql`UPDATE job_owners SET owned_until = owned_until - make_interval(secs => ${seconds})`.execute(store.db)

describe('the owner of the scheduled work', () => {
  test('is one of the nodes that ask at once', async () => {
    const nodes = Array.from({ length: 5 }, (_, place) => openNode(`node ${place}`))
    const owners = async (): Promise<number> => (await Promise.all(nodes.map(({ isOwner }) => isOwner()))).filter((is) => is).length
    expect([await owners(), await owners()]).toEqual([1, 1])
    for (const { end } of nodes) await end()
  })

  test('is followed at once when it stops, and within fifteen seconds when it dies', async () => {
    const [first, second] = [openNode('a'), openNode('b')]
    expect([await first.isOwner(), await second.isOwner()]).toEqual([true, false])
    await first.end()
    expect([await second.isOwner(), await first.isOwner()]).toEqual([true, false])
    // From here on the second one is silent.
    await passInDatabase(10.9)
    expect(await first.isOwner()).toBe(false)
    await passInDatabase(0.2)
    expect(await first.isOwner()).toBe(true)
    await first.end()
  })

  test('stays while it claims, and ends by its own clock before the database gives the work to another', async () => {
    const [first, second] = [openNode('a'), openNode('b')]
    for (let times = 0; times < 10; times++) {
      await first.claim()
      first.pass(3_000)
      await passInDatabase(3)
      expect([await first.isOwner(), await second.isOwner()]).toEqual([true, false])
    }
    await first.claim()
    await passInDatabase(12)
    expect(await second.isOwner()).toBe(true)
    first.pass(10_000)
    expect(await first.isOwner()).toBe(false)
    await second.end()
  })

  test('is the same live node when the clock of the database is set, and is followed at once when it is declared dead', async () => {
    const row = { id: 'a', version: '', state: 'live' as const, started_ms: 0, heartbeat_ms: 0 }
    const { epoch } = await store.db.insertInto('nodes').values(row).returning('epoch').executeTakeFirstOrThrow()
    const [first, second] = [openNode(`a ${epoch}`), openNode('b')]
    expect(await first.isOwner()).toBe(true)
    for (const seconds of [3_600, -7_200]) {
      await passInDatabase(seconds)
      expect(await second.isOwner()).toBe(false)
    }
    await store.db.updateTable('nodes').set({ state: 'dead' }).where('epoch', '=', epoch).execute()
    expect(await second.isOwner()).toBe(true)
    await second.end()
  })

  test('is nobody while the database cannot be queried', async () => {
    const node = openNode('a')
    expect(await node.isOwner()).toBe(true)
    await sql`ALTER TABLE job_owners RENAME TO hidden`.execute(store.db)
    expect(await node.isOwner()).toBe(true)
    node.pass(10_000)
    expect(await node.isOwner()).toBe(false)
    await sql`ALTER TABLE hidden RENAME TO job_owners`.execute(store.db)
    expect(await node.isOwner()).toBe(true)
    await node.end()
  })
})

test('work that is due at an interval is begun once by all nodes, and a restart does not put it off', async () => {
  let ms = 1_000_000
  const databaseClock = { nowMs: () => ms }
  const open = () => openTimetable(store, { name: 'timed', clock: { monotonicMs: () => 0 }, databaseClock })
  const nodes = [open(), open(), open()]
  const begun = async (): Promise<number> => (await Promise.all(nodes.map((due) => due(60_000)))).filter((is) => is).length
  expect(await begun()).toBe(0)
  ms += 59_999
  expect(await begun()).toBe(0)
  nodes.push(open())
  ms += 1
  expect(await begun()).toBe(1)
  expect(await begun()).toBe(0)
  ms += 60_000
  expect(await begun()).toBe(1)
})

test('work that only one node may do is taken by one, shown by all, and free after a death', async () => {
  const [first, second] = ['a', 'b'].map((node) => openWorkBoard(store, { name: 'work', node }))
  if (first === undefined || second === undefined) throw new Error('there are two')
  expect(await second.read()).toBeNull()
  expect([await first.claim(), await second.claim()]).toEqual([true, false])
  await first.save('half')
  await second.save('by nobody')
  expect(await second.read()).toEqual({ progress: 'half', isOwned: true })
  await passInDatabase(15.1)
  expect(await second.read()).toEqual({ progress: 'half', isOwned: false })
  expect([await second.claim(), await first.claim()]).toEqual([true, false])
  await second.end()
  expect(await first.claim()).toBe(true)
})
