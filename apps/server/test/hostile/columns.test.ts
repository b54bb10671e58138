import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isPostgres } from '../../src/db/is-postgres.ts'
import { readColumns, readValues } from '../column-queries.ts'
import { type Bounds, isOfOneEngine, type Scenario, scenarios, sources } from './columns.ts'
import { runScenario } from './scenarios.ts'
import { type HostileScene, hostileScene } from './scene.ts'

// Every column that a vendor's response decides: whatever a vendor sends in whichever place, the database holds values of the right type within
// bounds, no request fails in the server, and the ledger is consistent.

let scene: HostileScene
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-columns-'))
  scene = await hostileScene(folder)
}, 60_000)
afterAll(async () => {
  await scene.app.close()
  rmSync(folder, { recursive: true, force: true })
})

const unprintable = /(?![\t\n])[\p{Cc}\p{Cs}]/u

function isWithin(bounds: Bounds, value: unknown): boolean {
  switch (bounds.is) {
    case 'whole':
      return value === null || (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= bounds.most)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= bounds.most
    case 'text':
      return typeof value === 'string' && value.length <= bounds.charsMax && !unprintable.test(value)
    case 'sealed':
      return value === null || (typeof value === 'string' && value.length <= bounds.charsMax)
    case 'one of':
      return typeof value === 'string' && bounds.values.includes(value)
  }
}

const isFilled = (value: unknown): boolean => value !== null && value !== 0 && value !== ''

/** What a failed comparison shows of a value. */
const valueText = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? 'nothing'

async function wrongValues(): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const [table, { vendors }] of Object.entries(sources)) {
    for (const [column, { bounds }] of Object.entries(vendors)) {
      const values = await readValues(scene.app.app.store.db, table, column)
      wrong.push(...values.filter((value) => !isWithin(bounds, value)).map((value) => `${table}.${column}: ${valueText(value)}`))
    }
  }
  return wrong
}

async function unfilledBy(scenario: Scenario): Promise<readonly string[]> {
  const unfilled: string[] = []
  for (const [table, { vendors }] of Object.entries(sources)) {
    for (const [column, { by }] of Object.entries(vendors)) {
      if (by !== scenario) continue
      const values = await readValues(scene.app.app.store.db, table, column)
      if (!values.some(isFilled)) unfilled.push(`${table}.${column}`)
    }
  }
  return unfilled
}

test('every column of the database has its source in the table', async () => {
  const columns = (await readColumns(scene.app.app.store.db)).filter(({ table }) => !isOfOneEngine(table))
  const listed = Object.entries(sources).flatMap(([table, { server, people, vendors }]) =>
    [...server, ...people, ...Object.keys(vendors)].map((column) => `${table}.${column}`),
  )
  expect(listed.toSorted()).toEqual(columns.map(({ table, column }) => `${table}.${column}`).toSorted())
})

test('the test runs on the requested engine', () => {
  expect(isPostgres(scene.app.app.store.db)).toBe(process.env['TEST_ENGINE'] === 'postgres')
})

describe.each(scenarios)('values of every type in responses about %s', (scenario) => {
  test('leave values within bounds in every column, end every request and task, and leave the ledger consistent', async () => {
    const faults = await runScenario(scenario, scene)
    expect(faults.slice(0, 10)).toEqual([])
    await scene.app.app.ledger.drain()
    await scene.run('roll-up-usage')
    expect((await wrongValues()).slice(0, 10)).toEqual([])
    expect(await unfilledBy(scenario)).toEqual([])
    expect(await scene.app.inconsistencies()).toEqual([])
  }, 120_000)
})
