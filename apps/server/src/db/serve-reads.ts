import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { ignoreAllSignals } from '../lib/signals.ts'

/** One query that the server asks a reading process to run. */
export interface ReadCommand {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly SQLQueryBindings[]
}

/** The rows of a query, or its error. */
export type ReadResult = { readonly id: number; readonly rows: readonly unknown[] } | { readonly id: number; readonly message: string }

/**
 * The loop of a reading process: runs the queries that its parent sends, one after another, on a read-only connection. It ends with its
 * parent. If a query takes too long, the parent kills the process.
 */
export function serveReads(path: string): void {
  ignoreAllSignals()
  const file = new Database(path, { readonly: true })
  for (const pragma of ['busy_timeout = 5000', 'temp_store = MEMORY', 'cache_size = -32768']) file.run(`PRAGMA ${pragma}`)
  process.on('disconnect', () => process.exit(0))
  process.on('message', (command: ReadCommand) => process.send?.(resultOf(file, command)))
}

function resultOf(file: Database, { id, sql, parameters }: ReadCommand): ReadResult {
  try {
    return { id, rows: file.query(sql).all(...parameters) }
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error) }
  }
}
