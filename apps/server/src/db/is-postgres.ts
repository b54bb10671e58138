import { type Kysely, PostgresAdapter } from 'kysely'

/** Whether queries go to PostgreSQL, for the few that differ there; otherwise they go to SQLite. */
export function isPostgres(db: Pick<Kysely<unknown>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
