import type { SQLQueryBindings, Database as SqliteFile, Statement } from 'bun:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { AppError } from '../lib/app-error.ts'
import { goOn, type Reached } from '../lib/failpoints.ts'
import type { Mutex, Release } from '../lib/mutex.ts'
import { isStorageFull } from '../lib/storage-full.ts'

/** Most cached prepared statements. Queries are written by hand, so they are few; the bound is for safety. */
const preparedMax = 500

/**
 * Kysely over one `bun:sqlite` connection, which stays open when Kysely is destroyed: that only frees its statements. The mutex is shared
 * with the ledger: a management transaction, which awaits between its statements, and a ledger batch, which does not, never interleave on
 * the connection.
 */
export function sqliteDialect(file: SqliteFile, mutex: Mutex, reached: Reached = goOn): Dialect {
  return {
    createAdapter: adapter,
    createDriver: () => sqliteDriver(file, mutex, reached),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** SQLite can roll back DDL. Unless the adapter says so, the migrator would run outside a transaction. */
function adapter(): DialectAdapter {
  // Holds: it is the library's own adapter with this one property changed.
  return Object.create(new SqliteAdapter(), { supportsTransactionalDdl: { value: true } }) as DialectAdapter
}

/** Translates a full disk into an error that clients can read. */
function told<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw isStorageFull(cause) ? new AppError('storage_full', { cause, retryAfterSeconds: 5 }) : cause
  }
}

interface HeldConnection extends DatabaseConnection {
  readonly release: Release
}

function sqliteDriver(file: SqliteFile, mutex: Mutex, reached: Reached): Driver {
  const prepared = new Map<string, Statement>()

  function prepare(sql: string): Statement {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= preparedMax) prepared.clear()
    const statement = file.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  function execute<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    reached('store-call')
    const statement = prepare(sql)
    // Holds: Kysely's SQLite compiler only emits values that our row types allow, which are all bindable.
    const values = parameters as SQLQueryBindings[]
    // Holds: the caller's row type is Kysely's own inference over `Schema`, which the migrations keep true.
    if (statement.columnNames.length > 0) return { rows: statement.all(...values) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // Holds: every connection this driver hands out comes from `acquireConnection` below.
  const held = (connection: DatabaseConnection): HeldConnection => connection as HeldConnection

  return {
    init: async () => {},
    async acquireConnection(): Promise<HeldConnection> {
      const release = await mutex.acquire()
      return {
        release,
        executeQuery: async (query) => told(() => execute(query)),
        // biome-ignore lint/correctness/useYield: nothing here reads row by row; lists are pages.
        async *streamQuery() {
          throw new Error('streaming queries are not used')
        },
      }
    },
    beginTransaction: async () => {
      file.run('BEGIN IMMEDIATE')
    },
    commitTransaction: async () => {
      told(() => {
        reached('store-call')
        file.run('COMMIT')
      })
    },
    rollbackTransaction: async () => {
      // On a full disk SQLite has rolled back already; a second error would hide the first.
      if (file.inTransaction) file.run('ROLLBACK')
    },
    releaseConnection: async (connection) => held(connection).release(),
    destroy: async () => {
      for (const statement of prepared.values()) statement.finalize()
      prepared.clear()
    },
  }
}
