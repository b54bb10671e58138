import { afterAll, describe, expect, test } from 'bun:test'
import { readPlans } from './query-plan-file.ts'
import { growingTables, mayScan, maySort } from './query-plans.ts'
import { createPlanner, scansIn, shapeOf, sortsIn } from './query-shapes.ts'

// How SQLite runs each query of the product. SQLite alone is asked: PostgreSQL plans by how many rows there are, and a table of a test is
// always best read from end to end. Both engines have the same indexes.

const planner = await createPlanner()
afterAll(() => planner.close())
const written = readPlans()
const plans = [...written.keys()].map((shape) => [shape, planner.plan(shape) ?? []] as const)
const growing = { tables: growingTables, partialIndexes: planner.partialIndexes }
const show = (shape: string, steps: readonly string[]): string => [shape, ...steps.map((step) => `    ${step}`)].join('\n')

// Apple's SQLite stands in for Bun's own on macOS, and another version may word its plans otherwise.
test.skipIf(process.platform === 'darwin')(
  'the plan of every query is the one that is checked in; `npm run plans` writes them anew',
  () => {
    const changed = plans.filter(([shape, plan]) => plan.join('\n') !== written.get(shape)?.join('\n'))
    expect(changed.map(([shape, plan]) => show(shape, plan))).toEqual([])
  },
)

test('no query reads a growing table from one end to the other, but for those that say why they may', () => {
  const scans = plans.map(([shape, plan]) => [shape, scansIn(shape, plan, growing)] as const).filter(([, steps]) => steps.length > 0)
  const refused = scans.filter(([shape]) => !mayScan.some(({ query }) => query.test(shape)))
  expect(refused.map(([shape, steps]) => show(shape, steps))).toEqual([])
  expect(mayScan.filter(({ query }) => !scans.some(([shape]) => query.test(shape))).map(({ query }) => String(query))).toEqual([])
})

test('no query sorts rows of a growing table, but for those that say why they may', () => {
  const sorts = plans.map(([shape, plan]) => [shape, sortsIn(shape, plan, growing)] as const).filter(([, steps]) => steps.length > 0)
  const refused = sorts.filter(([shape]) => !maySort.some(({ query }) => query.test(shape)))
  expect(refused.map(([shape, steps]) => show(shape, steps))).toEqual([])
  expect(maySort.filter(({ query }) => !sorts.some(([shape]) => query.test(shape))).map(({ query }) => String(query))).toEqual([])
})

describe('the rules themselves', () => {
  const scanned = (sql: string) => scansIn(sql, planner.plan(sql) ?? [], growing)
  const sorted = (sql: string) => sortsIn(sql, planner.plan(sql) ?? [], growing)

  test('see a scan behind an alias and through a whole index, and let an index of some rows pass', () => {
    expect(scanned('select l.id from logs as l where l.content = ?')).toEqual(['SCAN l'])
    expect(scanned('select id from "logs" order by created_at')).toEqual(['SCAN logs USING COVERING INDEX logs_time'])
    expect(scanned('select id from "users" where "role" >= 100')).toEqual([])
    expect(scanned('select id from "users" where "id" = ?')).toEqual([])
    expect(scanned('select key from "options" where value = ?')).toEqual([])
  })

  test('see that rows are sorted', () => {
    expect(sorted('select id from "logs" where "username" = ? order by "quota"')).toEqual(['USE TEMP B-TREE FOR ORDER BY'])
    expect(sorted('select id from "logs" where "username" = ? order by "created_at"')).toEqual([])
  })

  test.each([
    ['select a from t where b in (?)', 'select a from t where b in (?, ?, ?, ?)'],
    ['insert into t (a, b) values (?, ?)', 'insert into t (a, b) values (?, ?), (?, ?), (?, ?)'],
    [
      'select a from t where (a = ? AND b = ?) OR (a = ? AND b = ?)',
      'select a\n from t where (a = ? AND b = ?) OR (a = ? AND b = ?) OR (a = ? AND b = ?)',
    ],
    ['select a from t where ("a" = ?)', 'select a from t where ("a" = ? and COALESCE("b", "b") = ? and COALESCE("c", "c") = ?)'],
    [
      'select hour + CAST(? AS BIGINT) from t',
      `select hour + CASE WHEN hour >= CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE CASE WHEN hour >= CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END END from t`,
    ],
  ])('take %p as the same query with other values', (one, other) => {
    expect(shapeOf(other)).toBe(shapeOf(one))
  })

  test('take different conditions as different queries', () => {
    expect(shapeOf('select a from t where b = ?')).not.toBe(shapeOf('select a from t where c = ?'))
  })
})
