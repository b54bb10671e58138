import { Kysely } from 'kysely'
import { systemClock } from '../lib/clock.ts'
import { noFailpoints } from '../lib/failpoints.ts'
import { checkServer } from './check-server.ts'
import type { PostgresStore } from './connect.ts'
import { explainDatabase } from './explain-database.ts'
import { channelName, lockKey } from './installation-keys.ts'
import { openLedgerConnection } from './ledger-connection.ts'
import { abandonMigrations, migrate } from './migrate.ts'
import { processInfo } from './node.ts'
import { type OpenNode, openNode } from './open-node.ts'
import { pause, type StoreEvents } from './owned-connection.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { isLockConflict } from './postgres-errors.ts'
import { openPool, type PostgresPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'
import { querySettings, readSettings, settingsOf } from './session-settings.ts'

/** Connections in addition to the ledger's own. */
const poolMax = 10
/** A server that does not respond for this long counts as unreachable. */
const responseMs = 20_000

/** Connections for slow reads; a pool of their own, so that other queries do not wait for them. */
const readsMax = 4

/** Longest wait of a node for another one that migrates; a large table takes minutes. */
const turnMs = 600_000
const turnPauseMs = 200

/** How often a node tries to change tables that other nodes use. */
const migrationTries = 20

/** Longest wait for queries that still run when the server stops. */
const closeSeconds = 1

/** Opens and migrates the PostgreSQL store, for this process alone or for a node. The server confirms a commit only after it is on its disk. */
export async function connectPostgres(url: string, { node: info = processInfo(), ...events }: StoreEvents): Promise<PostgresStore> {
  await checkServer(url, systemClock)
  // The lock of the ledger's connection comes first: it keeps out a process that needs the database alone. Nodes that start at once migrate in turn.
  const prepare = (): Promise<void> => migratePostgres(url, events)
  let node: OpenNode | null = null
  const onFenced = (why: string): void => node?.fence(why)
  const line = await openLedgerConnection(url, { ...events, node: info, prepare, onFenced }).catch(async (cause: unknown) => {
    throw await explainDatabase(url, cause)
  })
  const opened = await openNode({ url, info, epoch: line.epoch, report: events.report })
  node = opened
  const pool = openPool(url, { max: poolMax, name: 'sluice', settings: querySettings })
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool, responseMs) })
  const readPool = openPool(url, { max: readsMax, name: 'sluice reads', settings: readSettings })
  const listening: (() => Promise<void>)[] = []
  return {
    engine: 'postgres',
    db,
    reads: new Kysely<Schema>({ dialect: postgresDialect(readPool, responseMs) }),
    line,
    node: opened,
    durable: async () => {},
    async listen(channel, onNotify) {
      const [row] = await pool.unsafe<{ name: string }[]>(`SELECT ${channelName('$1::text')} AS name`, [channel])
      const subscription = await pool.listen(row?.name ?? channel, onNotify)
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

/**
 * Nodes that start at once migrate in turn. The lock is polled: index builds that another node runs beside the writers would wait for
 * the statement of a node that blocks on it.
 */
async function takeTurn(pool: PostgresPool): Promise<void> {
  for (let waitedMs = 0; waitedMs < turnMs; waitedMs += turnPauseMs) {
    const [row]: readonly { isMine: boolean }[] = await pool.unsafe(`SELECT pg_try_advisory_lock(${lockKey('migration')}) AS "isMine"`)
    if (row?.isMine === true) return
    await new Promise((resolve) => setTimeout(resolve, turnPauseMs))
  }
  throw new Error('another server has been migrating the tables for ten minutes')
}

/** On a connection of its own without a statement timeout, because changing a large table may take long. */
async function migratePostgres(url: string, { reached = noFailpoints, report }: StoreEvents): Promise<void> {
  const pool = openPool(url, { max: 1, name: 'sluice migrations', settings: settingsOf({ statementMs: 0 }) })
  try {
    await takeTurn(pool)
    // Holds: the migrator only uses the schema builder, which does not depend on the row types.
    const db = new Kysely<Schema>({ dialect: postgresDialect(pool, 0) }) as never
    for (let tries = 1; ; tries++) {
      try {
        return await migrate(db, { reached })
      } catch (error) {
        if (tries === migrationTries || !isLockConflict(error)) {
          await abandonMigrations(db).catch((failed: unknown) => report('prepared migration not cleaned up', failed))
          throw error
        }
        // Other nodes go on writing, in an order of their own: what they began in the meantime ends first.
        report('migration retried, tables are in use', error)
        await pause(tries)
      }
    }
  } finally {
    await pool.close({ timeout: closeSeconds })
  }
}
