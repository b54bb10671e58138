import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'

/** The schema of the installation; `null` on SQLite, which has none. */
export async function currentSchema(db: Pick<Kysely<never>, 'getExecutor'>): Promise<string | null> {
  if (!isPostgres(db)) return null
  const { rows } = await sql<{ schema: string }>`SELECT current_schema() AS schema`.execute(db)
  return rows[0]?.schema ?? null
}
