import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readPlans, writePlans } from './query-plan-file.ts'
import { createPlanner, shapeOf } from './query-shapes.ts'

// Runs after the tests on SQLite, which have recorded every query of the product (`record-queries.ts`). `query-plans.test.ts` checks
// whether the committed plans are good.

/** The distinct queries that were recorded, with their plans. */
async function recordedPlans(): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = readFileSync(process.env['RECORD_QUERIES'] ?? '', 'utf8').split('\n')
  // Holds: `record-queries.ts` writes one JSON string on each line.
  const queries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string)
  const planner = await createPlanner()
  const planned = [...new Set(queries.map(shapeOf))].map((shape) => [shape, planner.plan(shape) ?? []] as const)
  await planner.close()
  // Queries that read no table (most inserts) have no plan.
  return new Map(planned.filter(([, plan]) => plan.length > 0))
}

/** Writes the file of plans. Known queries that were not recorded stay while SQLite can still plan them, because a few are rare. */
async function writeDown(plans: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const planner = await createPlanner()
  const known = [...readPlans().keys()].map(shapeOf).map((shape) => [shape, planner.plan(shape) ?? []] as const)
  await planner.close()
  writePlans(new Map([...known.filter(([, plan]) => plan.length > 0), ...plans]))
}

const plans = await recordedPlans()
if (process.env['UPDATE_QUERY_PLANS'] === '1') await writeDown(plans)

test('the tests have recorded queries', () => {
  expect(plans.size).toBeGreaterThan(150)
})

test('the plan of every recorded query is committed; `npm run plans` writes new ones', () => {
  const known = readPlans()
  expect([...plans.keys()].filter((shape) => !known.has(shape))).toEqual([])
})
