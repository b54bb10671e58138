import { sql } from 'kysely'
import type { Db } from './connect.ts'
import { isPostgres } from './is-postgres.ts'

/**
 * Which rows of a table can be read by their ids, each once. Where several nodes write, ids become visible in another order than they were
 * given out: a row with a lower id may still appear after one with a higher id was read.
 */
interface Horizon {
  /** The highest id up to which no row can appear any more. Includes every row that was committed before the call, unless a writer hangs. */
  settled(): Promise<number>
}

interface Mark {
  /** The last id that was given out. */
  readonly id: number
  /** Every transaction that was given an id up to then has a lower number. */
  readonly transaction: number
}

type Table = 'logs' | 'ledger'

/** Waits for writers that are at work. If one takes longer, the horizon stays where it was. */
const pausesMs = [1, 2, 5, 10, 20, 50, 100] as const

export function createHorizon(db: Db, table: Table): Horizon {
  if (!isPostgres(db)) return { settled: () => readHighestId(db, table) }
  let known = 0
  let pending: Mark | null = null

  /** Whether the horizon has reached a mark that was set after the call. */
  async function advance(): Promise<boolean> {
    const isFresh = pending === null
    const mark = pending ?? (await readMark(db, table))
    pending = mark
    if (!(await hasEnded(db, mark.transaction))) return false
    known = mark.id
    // Another caller may have set a later one meanwhile.
    if (pending === mark) pending = null
    return isFresh
  }

  return {
    async settled() {
      for (const delayMs of pausesMs) {
        if (await advance()) return known
        if (pending !== null) await new Promise((resolve) => setTimeout(resolve, delayMs))
      }
      return known
    },
  }
}

/** The id of the row that was written last; 0 = there is none. On SQLite one process writes one transaction after another. */
export async function readHighestId(db: Db, table: Table): Promise<number> {
  const row = await db.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

/** The columns are read from the left. A writer has its number before it is given an id: the default of the ids sees to it (migration 048). */
async function readMark(db: Db, table: Table): Promise<Mark> {
  const { rows } = await sql<Mark>`SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id,
    pg_current_xact_id()::text::bigint AS transaction FROM ${sql.table(`${table}_id_seq`)}`.execute(db)
  return { id: Number(rows[0]?.id ?? 0), transaction: Number(rows[0]?.transaction ?? 0) }
}

/** Whether every transaction up to this number has ended. */
async function hasEnded(db: Db, transaction: number): Promise<boolean> {
  const { rows } = await sql<{ running: number }>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS running`.execute(db)
  return Number(rows[0]?.running ?? 0) > transaction
}
