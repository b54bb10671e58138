import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSqlite } from '../src/db/connect-sqlite.ts'
import { growingTables, mayScan } from './query-plans.ts'

// How SQLite runs each query that the tests before this one have sent. SQLite alone is asked: PostgreSQL plans by how many rows there
// are, and a table of a test is always best read from end to end. Both engines have the same indexes.

const recordedFile = process.env['RECORD_QUERIES'] ?? ''
const planFile = join(import.meta.dir, 'query-plans.txt')

/** The same query with other numbers of values is one query. */
function shapeOf(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .replace(/\((?:\?(?:, ?)?)+\)(?:, ?\((?:\?(?:, ?)?)+\))*/g, '(?…)')
    .replace(/(\("[\w.]+" = \? AND "[\w.]+" = \?\))(?: OR \1)+/g, '$1…')
    .trim()
}

function isPlanned(sql: string): boolean {
  return /^\s*(?:select|insert|update|delete|with)\b/i.test(sql)
}

/** The steps of a plan that read a table. `null`: the query is about another database. */
function planOf(file: Database, sql: string): readonly string[] | null {
  try {
    const rows = file.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
    return rows.map(({ detail }) => detail)
  } catch (error) {
    if (/no such (?:table|column)|has no column|unrecognized token|syntax error/.test(String(error))) return null
    throw error
  }
}

interface Plans {
  /** The steps of each query. */
  readonly steps: ReadonlyMap<string, readonly string[]>
  /** Indexes that hold some rows of their table only: to read one from end to end is not to read the table. */
  readonly partialIndexes: readonly string[]
}

async function recordedPlans(): Promise<Plans> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-plans-'))
  const path = join(folder, 'plans.db')
  const store = await connectSqlite(path)
  const file = new Database(path, { readonly: true })
  const lines = readFileSync(recordedFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  // Holds: `record-queries.ts` wrote a JSON text on each line.
  const queries = lines.map((line) => JSON.parse(line) as string).filter(isPlanned)
  const plans = new Map<string, readonly string[]>()
  for (const sql of queries) {
    const plan = planOf(file, sql)
    if (plan !== null) plans.set(shapeOf(sql), plan)
  }
  const partial = file.query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% where %'`).all()
  file.close()
  await store.close()
  rmSync(folder, { recursive: true })
  return { steps: plans, partialIndexes: partial.map(({ name }) => name) }
}

/** Steps that read a table which grows from one end to the other. */
function scansIn(sql: string, plan: readonly string[]): readonly string[] {
  const aliases = new Map(
    [...sql.matchAll(/\b(?:from|join) "?(\w+)"? (?:as )?"?(\w+)"?/gi)].map(([, table = '', alias = '']) => [alias, table]),
  )
  return plan.filter((step) => {
    const [, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? []
    return growingTables.includes(aliases.get(name) ?? name) && !partialIndexes.includes(index)
  })
}

const written = (plans: ReadonlyMap<string, readonly string[]>): string =>
  [...plans]
    .map(([sql, plan]) => [sql, ...plan.map((step) => `    ${step}`)].join('\n'))
    .sort()
    .join('\n\n')

function readPlans(): ReadonlySet<string> {
  const text = existsSync(planFile) ? readFileSync(planFile, 'utf8') : ''
  return new Set(text.trimEnd().split('\n\n'))
}

const { steps: plans, partialIndexes } = await recordedPlans()

test('the tests have sent the queries that this is about', () => {
  expect(plans.size).toBeGreaterThan(150)
})

test('no query reads a table that grows from one end to the other, but for those that say why they may', () => {
  const scans = [...plans].filter(([sql, plan]) => scansIn(sql, plan).length > 0 && !mayScan.some(({ query }) => query.test(sql)))
  expect(scans.map(([sql, plan]) => `${sql}\n    ${scansIn(sql, plan).join('\n    ')}`)).toEqual([])
})

test('every query that may read a whole table is still asked', () => {
  expect(mayScan.filter(({ query }) => ![...plans.keys()].some((sql) => query.test(sql))).map(({ query }) => String(query))).toEqual([])
})

test('the plan of every query is the one that is checked in', () => {
  if (process.env['UPDATE_QUERY_PLANS'] === '1') writeFileSync(planFile, `${written(plans)}\n`)
  const known = readPlans()
  const news = written(plans)
    .split('\n\n')
    .filter((entry) => !known.has(entry))
  // New or changed: look at the plan, and write it down with `npm run plans`.
  expect(news).toEqual([])
})
