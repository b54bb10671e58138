import { type Kysely, sql } from 'kysely'

/**
 * Reserves the quota of running tasks by the rows of their reservations, where no node has a lease: when leases are introduced, and when a
 * store was copied into PostgreSQL.
 */
export async function reserveTasks(db: Kysely<never>): Promise<void> {
  await sql`UPDATE holds AS h SET leased = h.amount,
    token_leased = CASE WHEN EXISTS (SELECT 1 FROM tokens AS t WHERE t.id = h.token_id AND t.unlimited_quota = 0) THEN h.amount ELSE 0 END
    WHERE h.task_id <> ''`.execute(db)
  await sql`UPDATE users AS u SET leased = s.leased FROM (SELECT user_id, SUM(leased) AS leased FROM holds GROUP BY user_id) AS s
    WHERE u.id = s.user_id`.execute(db)
  await sql`UPDATE tokens AS t SET leased = s.leased FROM (SELECT token_id, SUM(token_leased) AS leased FROM holds GROUP BY token_id) AS s
    WHERE t.id = s.token_id`.execute(db)
}
