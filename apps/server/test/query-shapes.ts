import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSqlite } from '../src/db/connect-sqlite.ts'
import { logHoursTable } from '../src/db/usage-tables.ts'

// A query's shape is the query without parts that vary between calls and do not change its plan. It is valid SQL, so that the plan of a
// committed shape can be computed again without running the query.

const offset = 'CAST(? AS BIGINT)'
const laterOffset = `CASE WHEN hour >= ${offset} THEN ${offset} ELSE ${offset} END`

/** Text that varies, and its replacement in the shape. */
const variants: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\s+/g, ' '],
  // Lists of values and of rows, of any length.
  [/\bin \(\?(?:, \?)*\)/gi, 'in (?, ?)'],
  [/\bvalues (\([^()]*\))(?:, ?\1)+/gi, 'values $1'],
  [/\(([^()]+ = \? AND [^()]+ = \?)\)(?: OR \(\1\))+/g, '($1) OR ($1)'],
  [/(\(CAST\(\? AS BIGINT\), CAST\(\? AS TEXT\)\))(?:, \1)*/g, '$1, $1'],
  // Conditions that are written so that they use no index: `matchesUsage`.
  [/ and COALESCE\("(\w+)", "\1"\) = \?/g, ''],
  [/\(("\w+" = \?)\)/g, '$1'],
  // The id of a task names one row, on which all other conditions of a list are checked.
  [/ where (?:(?! order by ).)*("tasks"\."public_id" = \?)(?:(?! order by ).)* order by /g, ' where $1 order by '],
]

export function shapeOf(sql: string): string {
  let shape = variants.reduce((text, [pattern, instead]) => text.replace(pattern, instead), sql).trim()
  // The expression for a zone's offset has a case for each change of the offset within a span.
  while (shape.includes(laterOffset)) shape = shape.replace(laterOffset, offset)
  return shape
}

export interface Planner {
  /** The steps of a query that read a table. `null`: it is a query of another engine, or no query. */
  plan(sql: string): readonly string[] | null
  /** Partial indexes: reading one completely does not read the whole table. */
  readonly partialIndexes: readonly string[]
  close(): Promise<void>
}

/** Plans queries on an empty database: without statistics a plan depends only on the query and the indexes. */
export async function createPlanner(): Promise<Planner> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-plans-'))
  const path = join(folder, 'plans.db')
  const store = await connectSqlite(path)
  const file = new Database(path, { readonly: true })
  // The only table that is made while the server runs.
  file.run(logHoursTable)
  const partial = file.query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% where %'`).all()
  return {
    // Excludes PostgreSQL's queries by their numbered parameters, which SQLite would accept.
    plan: (sql) => (/^\s*(?:select|insert|update|delete|with)\b(?![\s\S]*\$\d)/i.test(sql) ? planOf(file, sql) : null),
    partialIndexes: partial.map(({ name }) => name),
    async close() {
      file.close()
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** `null`: the query is PostgreSQL's own, or of tables that a test has made. */
function planOf(file: Database, sql: string): readonly string[] | null {
  try {
    const rows = file.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
    return rows.map(({ detail }) => detail)
  } catch (error) {
    if (/no such (?:table|column|function)|has no column|has \d+ columns but|unrecognized token|syntax error/.test(String(error)))
      return null
    throw error
  }
}

/** The tables that a query reads, by the names that its plan gives them. */
function tablesOf(sql: string): ReadonlyMap<string, string> {
  const matches = [...sql.matchAll(/\b(?:from|join|into|update) "?(\w+)"?(?: (?:as )?"?(\w+)"?)?/gi)]
  return new Map(matches.flatMap(([, table = '', alias = '']) => [[table, table] as const, [alias, table] as const]))
}

interface Growing {
  readonly tables: readonly string[]
  readonly partialIndexes: readonly string[]
}

/** Steps that read a growing table completely. */
export function scansIn(sql: string, plan: readonly string[], { tables, partialIndexes }: Growing): readonly string[] {
  const names = tablesOf(sql)
  return plan.filter((step) => {
    const [, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? []
    return name !== '' && tables.includes(names.get(name) ?? name) && !partialIndexes.includes(index)
  })
}

/** Steps that sort, or group by sorting, in a query that reads a growing table. */
export function sortsIn(sql: string, plan: readonly string[], { tables }: Pick<Growing, 'tables'>): readonly string[] {
  const names = tablesOf(sql)
  const isGrowing = plan.some((step) => tables.includes(names.get(/^(?:SCAN|SEARCH) (\w+)/.exec(step)?.[1] ?? '') ?? ''))
  return isGrowing ? plan.filter((step) => step.startsWith('USE TEMP B-TREE')) : []
}
