import { Kysely } from 'kysely'
import { goOn } from '../lib/failpoints.ts'
import type { PostgresStore } from './connect.ts'
import { openLedgerConnection } from './ledger-connection.ts'
import { migrate } from './migrate.ts'
import type { StoreEvents } from './owned-connection.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { openPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'
import { placeLabel } from './store-place.ts'

/** Connections beside the ledger's own. */
const poolMax = 10
/** Longest time of one query of the management API. */
const statementMs = 15_000
/** A server that is silent for longer is taken for gone. */
const answerMs = 20_000

/** Connections for reads that may take long, and the longest time of one; none of them keeps the others waiting. */
const readsMax = 4
const readMs = 8_000

/** Longest wait for queries that still run when the server stops. */
const closeSeconds = 1

/** Opens (and migrates) the PostgreSQL store, for this process alone. Every commit is on the server's disk before it is answered. */
export async function connectPostgres(url: string, events: StoreEvents): Promise<PostgresStore> {
  // The line first: its lock keeps another process from migrating at the same time.
  const line = await openLedgerConnection(url, events).catch((cause: unknown) => {
    throw notOpened(url, cause)
  })
  try {
    await migratePostgres(url, events)
  } catch (error) {
    await line.close()
    throw error
  }
  const pool = openPool(url, { max: poolMax, name: 'sluice', statementMs })
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool, answerMs) })
  const readPool = openPool(url, { max: readsMax, name: 'sluice reads', statementMs: readMs, isReadOnly: true })
  return {
    engine: 'postgres',
    db,
    reads: new Kysely<Schema>({ dialect: postgresDialect(readPool, answerMs) }),
    line,
    durable: async () => {},
    async close() {
      await Promise.all([pool, readPool].map((one) => one.close({ timeout: closeSeconds })))
      await line.close()
    },
  }
}

/** What the operator reads: which database, without its password, and what the server said. */
function notOpened(url: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return Object.assign(new Error(`${placeLabel(url)} cannot be opened: ${reason}`, { cause }), { code: 'DATABASE' })
}

/** On a connection of its own, because a change of a large table may take as long as it takes. */
async function migratePostgres(url: string, { reached = goOn }: StoreEvents): Promise<void> {
  const pool = openPool(url, { max: 1, name: 'sluice migrations', statementMs: 0 })
  try {
    // Holds: the migrator only uses the schema builder, which does not depend on the row types.
    await migrate(new Kysely<Schema>({ dialect: postgresDialect(pool, 0) }) as never, { reached })
  } finally {
    await pool.close({ timeout: closeSeconds })
  }
}
