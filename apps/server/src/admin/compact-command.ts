import { compactSqlite, megabytes } from '../db/compact.ts'
import { isPostgres, isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { failByCommand } from '../lib/failpoints.ts'
import { UsageError } from './usage-error.ts'

const forPostgres =
  'this installation uses PostgreSQL, which reuses the space of deleted rows; to shrink its files, stop the servers and run VACUUM (FULL, ANALYZE) in psql'

/** Frees the disk space of deleted rows of a SQLite database. @returns what was done, in sentences. @throws when it failed; then nothing has changed */
export async function compact(env: Env, parameters: readonly string[]): Promise<readonly string[]> {
  if (parameters.length > 0) throw new UsageError()
  const place = storePlace(env)
  if (isPostgres(place)) throw new Error(forPostgres)
  if (!isThere(place)) throw new Error(`no database found at ${placeLabel(place)}`)
  const { before, after } = compactSqlite(place, failByCommand(env.failAt))
  return [`${place} has ${megabytes(after)} now, ${megabytes(before)} before.`]
}
