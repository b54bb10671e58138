import { Database } from 'bun:sqlite'
import { appendFileSync } from 'node:fs'
import { type CompiledQuery, DefaultQueryExecutor } from 'kysely'

// Loaded before the tests of a run in which RECORD_QUERIES names a file: every distinct query of the product (not of a test) is written to
// it, as one JSON string a line. `query-plans.check.ts` reads them afterwards.

const file = process.env['RECORD_QUERIES']

/** The source file that sends the query: the first of ours on the stack that is neither this file nor the dialect. */
function asker(): string {
  const frames = (new Error().stack ?? '').split('\n').filter((line) => /\/(?:apps|packages|tools)\//.test(line))
  return frames.find((line) => !/(?:record-queries|sqlite-dialect|node_modules)/.test(line)) ?? ''
}

const isProduct = (frame: string): boolean => /apps\/server\/src\//.test(frame) && !frame.includes('.test.ts')

if (file !== undefined) {
  const seen = new Set<string>()
  const record = (text: string): void => {
    if (seen.has(text) || !isProduct(asker())) return
    seen.add(text)
    appendFileSync(file, `${JSON.stringify(text)}\n`)
  }

  const { executeQuery } = DefaultQueryExecutor.prototype
  DefaultQueryExecutor.prototype.executeQuery = function (this: DefaultQueryExecutor, query: CompiledQuery) {
    record(query.sql)
    return executeQuery.call(this, query)
    // Holds: argument and result are passed on unchanged.
  } as typeof executeQuery

  for (const name of ['prepare', 'query'] as const) {
    const original = Database.prototype[name]
    // Holds: arguments and result are passed on unchanged.
    Database.prototype[name] = function (this: Database, ...args: [string]) {
      record(args[0])
      return original.apply(this, args)
    } as typeof original
  }
}
