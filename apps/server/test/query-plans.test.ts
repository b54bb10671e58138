import { afterAll, describe, expect, test } from 'bun:test'
import { readPlans } from './query-plan-file.ts'
import { growingTables, mayScan, maySort } from './query-plans.ts'
import { createPlanner, scansIn, shapeOf, sortsIn } from './query-shapes.ts'

// Checks how SQLite runs each query of the product. PostgreSQL's plans depend on the number of rows, and the small tables of tests are
// always best read completely. Both engines have the same indexes.

const planner = await createPlanner()
afterAll(() => planner.close())
const written = readPlans()
const plans = [...written.keys()].map((shape) => [shape, planner.plan(shape) ?? []] as const)
const growing = { tables: growingTables, partialIndexes: planner.partialIndexes }
const show = (shape: string, steps: readonly string[]): string => [shape, ...steps.map((step) => `    ${step}`)].join('\n')

// On macOS Bun uses Apple's SQLite, which may describe its plans differently.
test.skipIf(process.platform === 'darwin')(
  'the plan of every query is the one that is checked in; `npm run plans` writes them anew',
  () => {
    const changed = plans.filter(([shape, plan]) => plan.join('\n') !== written.get(shape)?.join('\n'))
    expect(changed.map(([shape, plan]) => show(shape, plan))).toEqual([])
  },
)

test('no query reads a growing table completely, except those with a reason', () => {
  const scans = plans.map(([shape, plan]) => [shape, scansIn(shape, plan, growing)] as const).filter(([, steps]) => steps.length > 0)
  const refused = scans.filter(([shape]) => !mayScan.some(({ query }) => query.test(shape)))
  expect(refused.map(([shape, steps]) => show(shape, steps))).toEqual([])
  expect(mayScan.filter(({ query }) => !scans.some(([shape]) => query.test(shape))).map(({ query }) => String(query))).toEqual([])
})

test('no query sorts rows of a growing table, except those with a reason', () => {
  const sorts = plans.map(([shape, plan]) => [shape, sortsIn(shape, plan, growing)] as const).filter(([, steps]) => steps.length > 0)
  const refused = sorts.filter(([shape]) => !maySort.some(({ query }) => query.test(shape)))
  expect(refused.map(([shape, steps]) => show(shape, steps))).toEqual([])
  expect(maySort.filter(({ query }) => !sorts.some(([shape]) => query.test(shape))).map(({ query }) => String(query))).toEqual([])
})

describe('the rules themselves', () => {
  const scanned = (sql: string) => scansIn(sql, planner.plan(sql) ?? [], growing)
  const sorted = (sql: string) => sortsIn(sql, planner.plan(sql) ?? [], growing)

  test('find a scan of an alias and of a whole index, and allow a scan of a partial index', () => {
    expect(scanned('select l.id from logs as l where l.content = ?')).toEqual(['SCAN l'])
    expect(scanned('select id from "logs" order by created_at')).toEqual(['SCAN logs USING COVERING INDEX logs_time'])
    expect(scanned('select id from "users" where "role" >= 100')).toEqual([])
    expect(scanned('select id from "users" where "id" = ?')).toEqual([])
    expect(scanned('select key from "options" where value = ?')).toEqual([])
  })

  test('find sorted rows', () => {
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
  ])('treat %p as the same query with other values', (one, other) => {
    expect(shapeOf(other)).toBe(shapeOf(one))
  })

  test('treat different conditions as different queries', () => {
    expect(shapeOf('select a from t where b = ?')).not.toBe(shapeOf('select a from t where c = ?'))
  })
})
