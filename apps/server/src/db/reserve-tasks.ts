import { type Kysely, sql } from 'kysely'

/**
 * Reserves the quota of running tasks by the rows of their reservations, where no node has a lease: when leases are introduced, and when a
 * store was copied into PostgreSQL.
 */
export async function reserveTasks(db: Kysely<never>): Promise<void> {
  await sql`UPDATE holds AS h SET leased = h.amount,
    token_leased = CASE WHEN EXISTS (SELECT 1 FROM tokens AS t WHERE t.id = h.token_id AND t.unlimited_quota = 0) THEN h.amount ELSE 0 END
    WHERE h.task_id <> ''`.execute(db)
  await sql`UPDATE users AS u SET leased = COALESCE((SELECT SUM(h.leased) FROM holds AS h WHERE h.user_id = u.id), 0)`.execute(db)
  await sql`UPDATE tokens AS t SET leased = COALESCE((SELECT SUM(h.token_leased) FROM holds AS h WHERE h.token_id = t.id), 0)`.execute(db)
}
