import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { createReadyDatabase } from '../../test/stores.ts'
import { createSetPrice } from '../api/option/set-price.ts'
import { openSettings } from '../api/option/settings.ts'
import type { PostgresStore } from '../db/connect.ts'
import { connectPostgres } from '../db/connect-postgres.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createSeal } from '../lib/seal.ts'
import { type Changed, createChangeFeed } from './change-feed.ts'

describe('the feed', () => {
  let store: PostgresStore
  let drop: () => Promise<void>
  let address: string
  beforeAll(async () => {
    const database = await createReadyDatabase('postgres')
    drop = database.drop
    address = database.url
    store = await connectPostgres(address, { report: (what, error) => console.error(what, error) })
  }, 60_000)
  afterAll(async () => {
    await store.close()
    await drop()
  })

  async function openFeed(clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    const changes: string[] = []
    const changed = (change: Changed): void => void changes.push('id' in change ? `${change.what} ${change.id}` : change.what)
    const feed = await createChangeFeed({ db: store.db, clock, changed })
    return {
      feed,
      async look() {
        await feed.look()
        return changes.splice(0)
      },
    }
  }

  const note = (line: { unsafe(text: string): Promise<unknown> }, id: number) =>
    line.unsafe(`INSERT INTO config_changes (what, row_id) VALUES ('token', ${id})`)

  test('reports each change once, also those of transactions that end in another order than they began', async () => {
    const { look } = await openFeed()
    const pool = new SQL(address, { max: 3 })
    const [slow, quick] = [await pool.reserve(), await pool.reserve()]
    await slow.unsafe('BEGIN')
    await note(slow, 1)
    await note(quick, 2)
    expect(await look()).toEqual(['token 2'])
    await note(quick, 3)
    expect(await look()).toEqual(['token 3'])
    await slow.unsafe('COMMIT')
    expect(await look()).toEqual(['token 1'])
    expect(await look()).toEqual([])
    for (const line of [slow, quick]) line.release()
    await pool.close()
  })

  test('reports what was rolled back never, and many changes as one', async () => {
    const { look } = await openFeed()
    const pool = new SQL(address, { max: 1 })
    await pool.unsafe('BEGIN; INSERT INTO config_changes (what, row_id) VALUES ($$token$$, 1); ROLLBACK').simple()
    expect(await look()).toEqual([])
    await pool.unsafe("INSERT INTO config_changes (what, row_id) SELECT 'token', generate_series(1, 3000)")
    expect(await look()).toEqual(['everything'])
    await pool.unsafe("INSERT INTO config_changes (what, row_id) VALUES ('of a later version', 1)")
    expect(await look()).toEqual(['everything'])
    await pool.close()
  })

  test('reports everything after a break, and after a time in which rows may have been deleted', async () => {
    let nowMs = 0
    const { feed, look } = await openFeed({ monotonicMs: () => nowMs })
    expect(await look()).toEqual([])
    await sql`ALTER TABLE config_changes RENAME TO hidden`.execute(store.db)
    expect(
      await feed.look().then(
        () => 'read',
        () => 'failed',
      ),
    ).toBe('failed')
    expect(feed.isCutOff()).toBe(true)
    await sql`ALTER TABLE hidden RENAME TO config_changes`.execute(store.db)
    expect(await look()).toEqual(['everything'])
    expect([feed.isCutOff(), await look()]).toEqual([false, []])
    nowMs += 3_600_000
    expect(feed.ageMs()).toBe(3_600_000)
    expect(await look()).toEqual(['everything'])
    expect(feed.ageMs()).toBe(0)
  })

  test('deletes rows that are an hour old', async () => {
    const { feed } = await openFeed()
    await sql`INSERT INTO config_changes (noted_at, what, row_id) VALUES (now() - interval '59 min', 'young', 0), (now() - interval '61 min', 'old', 0)`.execute(
      store.db,
    )
    await feed.clean()
    const { rows } = await sql<{ what: string }>`SELECT what FROM config_changes WHERE what IN ('young', 'old')`.execute(store.db)
    expect(rows).toEqual([{ what: 'young' }])
  })

  test('two nodes that set prices of different models at once keep both', async () => {
    const seal = createSeal(Buffer.alloc(32, 1))
    const open = () => openSettings({ db: store.db, seal, clock: systemClock })
    const nodes = [await open(), await open()]
    const models = Array.from({ length: 10 }, (_, place) => `model-${place}`)
    const audit = async (): Promise<void> => {}
    const by = {
      id: 1,
      username: 'root',
      role: 100,
      groups: '',
      sessionHash: null,
      hasJustLoggedIn: true,
      scopes: null,
      lacksSecondFactor: false,
    }
    await Promise.all(
      models.map((model, place) => {
        const setPrice = createSetPrice({ store: nodes[place % 2] ?? fail(), audit, changed: () => {} })
        return setPrice({ model, price: { ratio: 1, completion: 1 }, by })
      }),
    )
    for (const node of nodes) await node.reload()
    for (const node of nodes) expect([...node.current().PriceRules.keys()].toSorted()).toEqual(models)
  })
})

function fail(): never {
  throw new Error('there is no such node')
}
