import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isPostgres } from '../is-postgres.ts'
import { buildIndex, type PreparedMigration } from '../prepared-migration.ts'

const columns: Readonly<Record<string, RawBuilder<unknown>>> = {
  usage_hours_user_channel: sql`user_id, channel_id, hour`,
  usage_hours_username_channel: sql`username, channel_id, hour`,
}

/** Those that the new ones replace: servers of the version before find the same rows with the new ones. */
const replaced = ['usage_hours_user', 'usage_hours_username']

async function isThere(db: Kysely<unknown>, name: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 WHERE to_regclass(${name}) IS NOT NULL`.execute(db)
  return rows.length > 0
}

/** Replaces the indexes while other servers add to the sums and read them. */
async function prepareIndexes(db: Kysely<unknown>): Promise<void> {
  // Stores of early versions get the columns in the migrations before.
  if (!isPostgres(db) || !(await isThere(db, 'usage_hours_username'))) return
  for (const [name, of] of Object.entries(columns))
    await buildIndex(db, name, sql`CREATE INDEX CONCURRENTLY ${sql.ref(name)} ON usage_hours (${of})`)
  for (const name of replaced) await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.ref(name)}`.execute(db)
}

/**
 * The hours of one account in one channel on PostgreSQL, for their total: an account that sends much has a million other rows. SQLite has
 * the whole key of a row in each index. What was prepared is not named here, because its table would be locked beside the log.
 */
async function replaceIndexes(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  for (const [name, of] of Object.entries(columns))
    if (!(await isThere(db, name))) await sql`CREATE INDEX ${sql.ref(name)} ON usage_hours (${of})`.execute(db)
  for (const name of replaced) if (await isThere(db, name)) await sql`DROP INDEX ${sql.ref(name)}`.execute(db)
}

/** The version before finds the same rows with the new indexes. */
const keepIndexes = async (): Promise<void> => {}

export const hoursByChannel: PreparedMigration = { prepare: prepareIndexes, up: replaceIndexes, abandon: keepIndexes }
