import type { SQLQueryBindings } from 'bun:sqlite'
import { type DatabaseConnection, type Dialect, type Driver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { ReadProcesses } from './read-processes.ts'
import { sqliteAdapter } from './sqlite-adapter.ts'

/** Kysely over the reading processes of a SQLite file. Each query sees the database as of its start; there are no transactions. */
export function readDialect(processes: ReadProcesses): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] }) {
      // Holds: Kysely's SQLite compiler only emits values that our row types allow, all bindable; the rows are of the caller's type.
      const rows = (await processes.run(sql, parameters as SQLQueryBindings[])) as Row[]
      return { rows }
    },
    // biome-ignore lint/correctness/useYield: nothing here reads row by row; lists are pages.
    async *streamQuery() {
      throw new Error('streaming queries are not used')
    },
  }
  return {
    createAdapter: sqliteAdapter,
    createDriver: () => readDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function readDriver(connection: DatabaseConnection): Driver {
  const noTransactions = async (): Promise<void> => {
    throw new Error('a reading connection has no transactions')
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}
