import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import { leaseOf } from './postgres-lease-queries.ts'
import type { Payer } from './quota-rules.ts'

/** Leases that one step closes. */
const stepRows = 1_000

/** Leases that other nodes recalled from this one. */
export async function readRecalled(db: Db, epoch: number): Promise<readonly Payer[]> {
  const rows = await db
    .selectFrom('leases')
    .select(['kind', 'id'])
    .where('epoch', '=', epoch)
    .where('recalled', '=', 1)
    .limit(stepRows)
    .execute()
  return rows.map(({ kind, id }) => ({ of: kind === leaseOf.user ? 'user' : 'token', id }))
}

/** Reservations of nodes that do not run any more, with the data for their log rows. Those of tasks belong to no node. */
export async function readLeft(db: Db) {
  return await db
    .selectFrom('holds')
    .leftJoin('nodes', (join) => join.onRef('nodes.epoch', '=', 'holds.epoch').on('nodes.state', '=', 'live'))
    .leftJoin('users', 'users.id', 'holds.user_id')
    .leftJoin('tokens', 'tokens.id', 'holds.token_id')
    .selectAll('holds')
    .select(['users.username', 'tokens.name as token_name'])
    .where('holds.task_id', '=', '')
    .where('nodes.epoch', 'is', null)
    .orderBy('holds.request_id')
    .execute()
}

/**
 * Gives back the leases of nodes that do not run any more, once none of their reservations is left: until then the charge of a reservation
 * is covered. Accounts are locked before their leases are deleted, and only who deletes a lease gives it back.
 */
export async function closeLeases(db: Db): Promise<void> {
  for (const table of ['users', 'tokens'] as const) while ((await closeSome(db, table)) > 0);
}

async function closeSome(db: Db, table: 'users' | 'tokens'): Promise<number> {
  const kind = sql.lit(table === 'users' ? leaseOf.user : leaseOf.token)
  const { rows } = await sql<{ count: number }>`
    WITH gone AS MATERIALIZED (
      SELECT l.epoch, l.id FROM leases AS l LEFT JOIN nodes AS n ON n.epoch = l.epoch AND n.state = 'live'
      WHERE l.kind = ${kind} AND n.epoch IS NULL AND NOT EXISTS (SELECT 1 FROM holds AS h WHERE h.epoch = l.epoch)
      ORDER BY l.id LIMIT ${stepRows}
    ), locked AS MATERIALIZED (
      SELECT r.id FROM ${sql.table(table)} AS r WHERE r.id IN (SELECT id FROM gone) ORDER BY r.id FOR NO KEY UPDATE
    ), closed AS (
      DELETE FROM leases AS l USING gone AS g
      WHERE l.epoch = g.epoch AND l.kind = ${kind} AND l.id = g.id AND (SELECT count(*) FROM locked) >= 0 RETURNING l.id, l.granted
    ), given_back AS (
      UPDATE ${sql.table(table)} AS r SET leased = r.leased - c.granted
      FROM (SELECT id, sum(granted)::bigint AS granted FROM closed GROUP BY id) AS c WHERE r.id = c.id
    )
    SELECT count(*) AS count FROM closed`.execute(db)
  return Number(rows[0]?.count ?? 0)
}
