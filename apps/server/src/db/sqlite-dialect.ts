import type { SQLQueryBindings, Database as SqliteFile, Statement } from 'bun:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { noFailpoints, type Reached } from '../lib/failpoints.ts'
import type { Mutex, Release } from '../lib/mutex.ts'
import { isStorageFull } from '../lib/storage-full.ts'
import { isBusy, pauseWhileBusy } from './foreign-lock.ts'
import { sqliteAdapter } from './sqlite-adapter.ts'

/** Maximum cached prepared statements. Queries are part of the code, so they are few; the bound is for safety. */
const preparedMax = 500
/** Longest wait for a lock that another process holds. */
const busyMs = 5_000

/** Callbacks of the owner of the connection. */
interface DialectEvents {
  readonly reached: Reached
  /** Called after each commit that wrote something. */
  readonly wrote: () => void
  /** Called when another process holds the lock that a statement needs. */
  readonly busy: () => void
}

const noEvents: DialectEvents = { reached: noFailpoints, wrote: () => {}, busy: () => {} }

/**
 * Kysely over one `bun:sqlite` connection, which stays open when Kysely is destroyed: that only frees its statements. The mutex is shared
 * with the ledger: a management transaction, which awaits between its statements, and a ledger batch, which does not, never interleave on
 * the connection.
 */
export function sqliteDialect(file: SqliteFile, mutex: Mutex, events: DialectEvents = noEvents): Dialect {
  return {
    createAdapter: sqliteAdapter,
    createDriver: () => sqliteDriver(file, mutex, events),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Translates a full disk into an error that clients can read. */
function withStorageFull(cause: unknown): unknown {
  return isStorageFull(cause) ? new AppError('storage_full', { cause, retryAfterSeconds: 5 }) : cause
}

interface HeldConnection extends DatabaseConnection {
  release: Release
}

function sqliteDriver(file: SqliteFile, mutex: Mutex, { reached, wrote, busy }: DialectEvents): Driver {
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

  function executeAlone<Row>(query: CompiledQuery): QueryResult<Row> {
    const result = execute<Row>(query)
    if (!file.inTransaction && !prepare(query.sql).readonly) wrote()
    return result
  }

  /**
   * Tries again while another process holds the lock; in a transaction this connection holds it. Others use the connection during the
   * pauses: reads need no lock.
   * @throws AppError database_unavailable, storage_full
   */
  async function onceUnlocked<Result>(connection: HeldConnection, work: () => Result): Promise<Result> {
    const untilMs = systemClock.monotonicMs() + busyMs
    for (let tries = 0; ; tries++) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || file.inTransaction) throw withStorageFull(error)
        busy()
        if (systemClock.monotonicMs() >= untilMs) throw new AppError('database_unavailable', { cause: error, retryAfterSeconds: 5 })
      }
      connection.release()
      await pauseWhileBusy(tries)
      connection.release = await mutex.acquire()
    }
  }

  // Holds: every connection this driver hands out comes from `acquireConnection` below.
  const held = (connection: DatabaseConnection): HeldConnection => connection as HeldConnection

  return {
    init: async () => {},
    async acquireConnection(): Promise<HeldConnection> {
      const connection: HeldConnection = {
        release: await mutex.acquire(),
        executeQuery: (query) => onceUnlocked(connection, () => executeAlone(query)),
        // biome-ignore lint/correctness/useYield: nothing here reads row by row; lists are pages.
        async *streamQuery() {
          throw new Error('streaming queries are not used')
        },
      }
      return connection
    },
    beginTransaction: (connection) => onceUnlocked(held(connection), () => void file.run('BEGIN IMMEDIATE')),
    commitTransaction: (connection) =>
      onceUnlocked(held(connection), () => {
        reached('store-call')
        file.run('COMMIT')
        wrote()
      }),
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
