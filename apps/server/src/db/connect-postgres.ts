import type { SQL } from 'bun'
import { Kysely } from 'kysely'
import { systemClock } from '../lib/clock.ts'
import { goOn } from '../lib/failpoints.ts'
import { checkServer } from './check-server.ts'
import type { PostgresStore } from './connect.ts'
import { openLedgerConnection } from './ledger-connection.ts'
import { abandonMigrations, migrate } from './migrate.ts'
import { processInfo } from './node.ts'
import { type OpenNode, openNode } from './open-node.ts'
import { pause, type StoreEvents } from './owned-connection.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { isLockConflict } from './postgres-errors.ts'
import { openPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'
import { placeLabel } from './store-place.ts'

/** Connections in addition to the ledger's own. */
const poolMax = 10
/** Longest time of one query of the management API. */
const statementMs = 15_000
/** A server that does not answer for this long counts as unreachable. */
const answerMs = 20_000

/** Connections for slow reads, and the time limit of one; a pool of their own, so that other queries do not wait for them. */
const readsMax = 4
const readMs = 8_000

/**
 * Memory of one sort or table of groups of a slow read, the cost of a page that does not follow the last one, no helpers, and a plan for each call.
 * PostgreSQL's own values are for disks with heads: the ranking of 100,000 accounts reads whole tables and sorts on the disk. Where a page costs
 * almost nothing, rows of a month are looked up one by one, in an index and then in the table, which takes twice as long as reading each page of
 * the table once (600 instead of 290 ms of CPU). Helpers, each of which finds almost every account, take longer to put their groups together than
 * one process takes for all of it (550 instead of 390 ms). A plan that is kept for all values does not know how long a time is meant, and takes it
 * for a short one.
 */
const readSettings = {
  work_mem: '32MB',
  random_page_cost: '1.5',
  max_parallel_workers_per_gather: '0',
  plan_cache_mode: 'force_custom_plan',
} as const

/** Arbitrary, but the same in all versions of this product. */
const migrationLock = 2_310_579_426
/** Longest wait of a node for another one that migrates; a large table takes minutes. */
const turnMs = 600_000
const turnPauseMs = 200

/** How often a node tries to change tables that other nodes use. */
const migrationTries = 20

/** Longest wait for queries that still run when the server stops. */
const closeSeconds = 1

/** Opens and migrates the PostgreSQL store, for this process alone or for a node. The server confirms a commit only after it is on its disk. */
export async function connectPostgres(url: string, { node: info = processInfo(), ...events }: StoreEvents): Promise<PostgresStore> {
  await checkServer(url, systemClock).catch((cause: unknown) => {
    throw notOpened(url, cause)
  })
  // The lock of the ledger's connection comes first: it keeps out a process that needs the database alone. Nodes that start at once migrate in turn.
  const prepare = (): Promise<void> => migratePostgres(url, events)
  let node: OpenNode | null = null
  const onFenced = (why: string): void => node?.fence(why)
  const line = await openLedgerConnection(url, { ...events, node: info, prepare, onFenced }).catch((cause: unknown) => {
    throw notOpened(url, cause)
  })
  const opened = await openNode({ url, info, epoch: line.epoch, report: events.report })
  node = opened
  const pool = openPool(url, { max: poolMax, name: 'sluice', statementMs })
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool, answerMs) })
  const readPool = openPool(url, { max: readsMax, name: 'sluice reads', statementMs: readMs, isReadOnly: true, session: readSettings })
  const listening: (() => Promise<void>)[] = []
  return {
    engine: 'postgres',
    db,
    reads: new Kysely<Schema>({ dialect: postgresDialect(readPool, answerMs) }),
    line,
    node: opened,
    durable: async () => {},
    async listen(channel, heard) {
      const subscription = await pool.listen(channel, heard, heard)
      listening.push(() => subscription.unlisten())
    },
    async close() {
      await opened.close()
      await Promise.all(listening.map((end) => end().catch(() => {})))
      await Promise.all([pool, readPool].map((one) => one.close({ timeout: closeSeconds })))
      await line.close()
    },
  }
}

/** The message for the operator: the database without its password, and the server's reason. */
function notOpened(url: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return Object.assign(new Error(`${placeLabel(url)} cannot be opened: ${reason}`, { cause }), { code: 'DATABASE' })
}

/**
 * Nodes that start at once migrate in turn. The lock is asked for again and again: the statement of one that waits for it would be waited for
 * by the indexes that another one builds beside the writers.
 */
async function takeTurn(pool: SQL): Promise<void> {
  for (let waitedMs = 0; waitedMs < turnMs; waitedMs += turnPauseMs) {
    const [row]: readonly { isMine: boolean }[] = await pool.unsafe('SELECT pg_try_advisory_lock($1) AS "isMine"', [migrationLock])
    if (row?.isMine === true) return
    await new Promise((resolve) => setTimeout(resolve, turnPauseMs))
  }
  throw new Error('another server has been changing the tables for ten minutes')
}

/** On a connection of its own without a statement timeout, because changing a large table may take long. */
async function migratePostgres(url: string, { reached = goOn, report }: StoreEvents): Promise<void> {
  const pool = openPool(url, { max: 1, name: 'sluice migrations', statementMs: 0 })
  try {
    await takeTurn(pool)
    // Holds: the migrator only uses the schema builder, which does not depend on the row types.
    const db = new Kysely<Schema>({ dialect: postgresDialect(pool, 0) }) as never
    for (let tries = 1; ; tries++) {
      try {
        return await migrate(db, { reached })
      } catch (error) {
        if (tries === migrationTries || !isLockConflict(error)) {
          await abandonMigrations(db).catch((failed: unknown) => report('what was prepared for the migration stays', failed))
          throw error
        }
        // Other nodes go on writing, in an order of their own: what they began in the meantime ends first.
        report('the tables are in use, and are changed again', error)
        await pause(tries)
      }
    }
  } finally {
    await pool.close({ timeout: closeSeconds })
  }
}
