import { Database as SqliteFile } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { type SourceRow, whole } from './cells.ts'
import type { Engine, Location } from './location.ts'
import { engineTexts, pageRows, pageText, wholeText } from './source-queries.ts'

/** An open database of another gateway, read-only. */
export interface Source {
  readonly label: string
  /** Tables with the names of their columns. */
  readonly tables: Tables
  /** All rows of a table in the order of their ids, in pages. Columns that the table does not have are missing in the rows. */
  pages(table: string, columns: readonly string[]): AsyncIterable<readonly SourceRow[]>
  /** All rows of a small table. */
  rows(table: string, columns: readonly string[]): Promise<readonly SourceRow[]>
  close(): Promise<void>
}

export type Tables = ReadonlyMap<string, ReadonlySet<string>>

/** Asks the engine; parameters are ids. */
interface Connection {
  query(text: string, parameters: readonly number[]): Promise<readonly SourceRow[]>
  close(): Promise<void>
}

/** How long a server may take to respond to a connection, in seconds. */
const connectSeconds = 10

/** @throws when it does not exist or cannot be read */
export async function openSource(location: Location): Promise<Source> {
  const { engine, label } = location
  const connection = engine === 'sqlite' ? openFile(location.address) : openServer(location.address)
  try {
    const tables = tablesOf(await connection.query(engineTexts[engine].columns, []))
    return { label, tables, ...readersOf(engine, connection, tables), close: () => connection.close() }
  } catch (error) {
    await connection.close()
    throw error
  }
}

function readersOf(engine: Engine, connection: Connection, tables: Tables): Pick<Source, 'pages' | 'rows'> {
  const standing = (table: string, columns: readonly string[]): readonly string[] =>
    columns.filter((column) => tables.get(table)?.has(column) === true)

  return {
    async *pages(table, columns) {
      const named = standing(table, columns)
      if (named.length === 0) return
      const text = pageText(engine, table, named)
      let after = -1
      for (;;) {
        const page = await connection.query(text, [after])
        if (page.length > 0) yield page
        if (page.length < pageRows) return
        after = whole()(page.at(-1)?.['id']) ?? Number.MAX_SAFE_INTEGER
      }
    },
    async rows(table, columns) {
      const named = standing(table, columns)
      return named.length === 0 ? [] : await connection.query(wholeText(engine, table, named), [])
    },
  }
}

/** Lower-case names: MySQL returns the names of its own tables in upper case. */
function tablesOf(rows: readonly SourceRow[]): Tables {
  const tables = new Map<string, Set<string>>()
  for (const row of rows) {
    const table = String(row['table_name'])
    tables.set(table, (tables.get(table) ?? new Set()).add(String(row['column_name'])))
  }
  return tables
}

function openFile(path: string): Connection {
  if (!existsSync(path)) throw new Error(`no such file: ${path}`)
  const file = new SqliteFile(path, { readonly: true, safeIntegers: true })
  return {
    query: async (text, parameters) => file.query<SourceRow, number[]>(text).all(...parameters),
    close: async () => file.close(),
  }
}

function openServer(address: string): Connection {
  const server = new SQL(address, { max: 1, connectionTimeout: connectSeconds, bigint: true })
  return {
    query: async (text, parameters) => await server.unsafe<SourceRow[]>(text, [...parameters]),
    close: () => server.close({ timeout: 1 }),
  }
}
