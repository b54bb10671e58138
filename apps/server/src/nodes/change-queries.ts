import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'

export interface ChangeRow {
  readonly id: number
  /** `token`, `user`, `new-tokens`, `channels`, `options` or `everything`. */
  readonly what: string
  readonly rowId: number
}

interface Moment {
  /** Every transaction before this one has ended, so that the next look need not go further back. */
  readonly horizon: number
  /** By the database's clock, in milliseconds. */
  readonly databaseMs: number
}

interface Look extends Moment {
  /** Newest first. */
  readonly rows: readonly ChangeRow[]
}

/** The changes of transactions from `since` on that have been committed, at most `max`. */
export async function listChanges(db: Db, since: number, max: number): Promise<Look> {
  const { rows } = await sql<MomentRow & { readonly id: number | null; readonly what: string; readonly row_id: number }>`
    SELECT ${momentColumns}, id, what, row_id
    FROM (SELECT 1) AS once LEFT JOIN config_changes ON transaction_id >= ${since}
    ORDER BY id DESC LIMIT ${max}`.execute(db)
  const changes = rows.flatMap(({ id, what, row_id: rowId }) => (id === null ? [] : [{ id, what, rowId }]))
  return { ...momentOf(rows), rows: changes }
}

/** This moment, before anything is read that is kept in memory. */
export async function currentMoment(db: Db): Promise<Moment> {
  return momentOf((await sql<MomentRow>`SELECT ${momentColumns}`.execute(db)).rows)
}

interface MomentRow {
  readonly horizon: number
  readonly database_ms: number
}

const momentColumns = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS database_ms`

function momentOf([row]: readonly MomentRow[]): Moment {
  return { horizon: row?.horizon ?? 0, databaseMs: row?.database_ms ?? 0 }
}

/** By the database's clock. */
export async function deleteChangesBefore(db: Db, seconds: number): Promise<void> {
  await sql`DELETE FROM config_changes WHERE noted_at < clock_timestamp() - make_interval(secs => ${seconds})`.execute(db)
}
