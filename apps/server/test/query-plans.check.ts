import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readPlans, writePlans } from './query-plan-file.ts'
import { createPlanner, shapeOf } from './query-shapes.ts'

// Runs after the tests on SQLite, which have written down every query that the product asked (`record-queries.ts`). Whether the plans
// that are checked in are good ones is for `query-plans.test.ts` to say.

/** The different queries of a store that were asked, with their plans. */
async function askedPlans(): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = readFileSync(process.env['RECORD_QUERIES'] ?? '', 'utf8').split('\n')
  // Holds: `record-queries.ts` wrote a JSON text on each line.
  const queries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string)
  const planner = await createPlanner()
  const planned = [...new Set(queries.map(shapeOf))].map((shape) => [shape, planner.plan(shape) ?? []] as const)
  await planner.close()
  // What reads no table (most inserts) has no plan.
  return new Map(planned.filter(([, plan]) => plan.length > 0))
}

/** Known queries that were not asked stay while SQLite can still plan them: a few are asked in rare moments only. */
async function writeDown(asked: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const planner = await createPlanner()
  const known = [...readPlans().keys()].map(shapeOf).map((shape) => [shape, planner.plan(shape) ?? []] as const)
  await planner.close()
  writePlans(new Map([...known.filter(([, plan]) => plan.length > 0), ...asked]))
}

const asked = await askedPlans()
if (process.env['UPDATE_QUERY_PLANS'] === '1') await writeDown(asked)

test('the tests have asked the queries that this is about', () => {
  expect(asked.size).toBeGreaterThan(150)
})

test('the plan of every query that the tests asked is checked in; `npm run plans` writes new ones down', () => {
  const known = readPlans()
  expect([...asked.keys()].filter((shape) => !known.has(shape))).toEqual([])
})
