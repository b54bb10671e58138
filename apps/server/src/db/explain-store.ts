import { SQL } from 'bun'
import { AppError } from '../lib/app-error.ts'
import { explainDatabase } from './explain-database.ts'
import { explainSqlite } from './explain-sqlite.ts'
import { isPostgres } from './store-place.ts'

/**
 * Says why the store at a place cannot be used, for operators: what is wrong, where, and what to do.
 * @param error whatever was thrown; one that is not about the store is returned as it is
 */
export async function explainStore(place: string, error: unknown): Promise<unknown> {
  if (!isPostgres(place)) return explainSqlite(place, error)
  return isOfPostgres(error) ? await explainDatabase(place, error) : error
}

function isOfPostgres(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'database_unavailable'
  return error instanceof SQL.PostgresError || (error instanceof Error && isOfPostgres(error.cause))
}
