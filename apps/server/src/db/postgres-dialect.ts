import type { ReservedSQL } from 'bun'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { translateError, unavailable } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { type Rows, toParameters, toRows } from './postgres-values.ts'

/** Longest wait for a free connection of the pool. */
const poolWaitMs = 5_000

/** Kysely over Bun's own PostgreSQL client. `answerMs` is the longest wait for the server's response; 0 = no limit. */
export function postgresDialect(pool: Pick<PostgresPool, 'reserve'>, responseMs: number): Dialect {
  return {
    createAdapter: () => Object.assign(new PostgresAdapter(), { acquireMigrationLock: ownTurn, releaseMigrationLock: ownTurn }),
    createDriver: () => postgresDriver(pool, responseMs),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Kysely's own lock is one for all of its users in a database; here nodes migrate in turn (`connect-postgres.ts`). */
const ownTurn = async (): Promise<void> => {}

interface HeldConnection extends DatabaseConnection {
  readonly line: ReservedSQL
}

function postgresDriver(pool: Pick<PostgresPool, 'reserve'>, responseMs: number): Driver {
  async function execute(line: ReservedSQL, text: string, parameters: readonly unknown[] = []): Promise<Rows> {
    const timer = responseMs === 0 ? null : setTimeout(() => line.close(), responseMs)
    try {
      return await line.unsafe<Rows>(text, toParameters(parameters))
    } catch (error) {
      throw translateError(error)
    } finally {
      if (timer !== null) clearTimeout(timer)
    }
  }

  // Holds: every connection this driver hands out comes from `acquireConnection` below.
  const held = (connection: DatabaseConnection): HeldConnection => connection as HeldConnection

  return {
    init: async () => {},
    async acquireConnection(): Promise<HeldConnection> {
      const line = await pool.reserve({ signal: AbortSignal.timeout(poolWaitMs) }).catch((error) => {
        throw unavailable(error)
      })
      return {
        line,
        executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => toResult<Row>(await execute(line, sql, parameters)),
        // biome-ignore lint/correctness/useYield: nothing here reads row by row; lists are pages.
        async *streamQuery() {
          throw new Error('streaming queries are not used')
        },
      }
    },
    beginTransaction: async (connection, settings) => {
      await execute(held(connection).line, beginText(settings))
    },
    commitTransaction: async (connection) => {
      await execute(held(connection).line, 'COMMIT')
    },
    rollbackTransaction: async (connection) => {
      await execute(held(connection).line, 'ROLLBACK')
    },
    releaseConnection: async (connection) => {
      await held(connection).line.release()
    },
    destroy: async () => {},
  }
}

function toResult<Row>(result: Rows): QueryResult<Row> {
  // Holds: the caller's row type is Kysely's own inference over `Schema`, which the migrations keep true.
  const rows = toRows(result) as Row[]
  return { rows, numAffectedRows: BigInt(result.affectedRows) }
}

function beginText({ isolationLevel, accessMode }: TransactionSettings): string {
  return ['BEGIN', isolationLevel === undefined ? '' : `ISOLATION LEVEL ${isolationLevel}`, accessMode ?? ''].join(' ')
}
