import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isPostgres } from '../is-postgres.ts'
import { buildIndex, type PreparedMigration } from '../prepared-migration.ts'

const columns: Readonly<Record<string, RawBuilder<unknown>>> = {
  usage_hours_user_channel: sql`user_id, channel_id, hour`,
  usage_hours_username_channel: sql`username, channel_id, hour`,
}

/** Those that the new ones replace: servers of the version before find the same rows with the new ones. */
const replaced = ['usage_hours_user', 'usage_hours_username']

/** Builds the indexes while other servers add to the sums. */
async function prepareIndexes(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  const { rows } = await sql`SELECT 1 WHERE to_regclass('usage_hours_username') IS NOT NULL`.execute(db)
  // Stores of early versions get the columns in the migrations before.
  if (rows.length === 0) return
  for (const [name, of] of Object.entries(columns))
    await buildIndex(db, name, sql`CREATE INDEX CONCURRENTLY ${sql.ref(name)} ON usage_hours (${of})`)
}

/**
 * The hours of one account in one channel on PostgreSQL, for their total: an account that sends much has a million other rows. SQLite has
 * the whole key of a row in each index.
 */
async function replaceIndexes(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  for (const [name, of] of Object.entries(columns))
    await sql`CREATE INDEX IF NOT EXISTS ${sql.ref(name)} ON usage_hours (${of})`.execute(db)
  for (const name of replaced) await sql`DROP INDEX IF EXISTS ${sql.ref(name)}`.execute(db)
}

/** An index more is in nobody's way. */
const keepIndexes = async (): Promise<void> => {}

export const hoursByChannel: PreparedMigration = { prepare: prepareIndexes, up: replaceIndexes, abandon: keepIndexes }
