import { type RawBuilder, sql, type Transaction } from 'kysely'
import { daySeconds, dayStart } from '../lib/day.ts'
import type { Db } from './connect.ts'
import { lockKey } from './installation-keys.ts'
import { isPostgres } from './is-postgres.ts'
import { isLockConflict } from './postgres-errors.ts'
import type { Schema } from './schema.ts'

// On PostgreSQL the log is split by time, so that the indexes that grow are small and what is not kept any more is dropped at once: into
// days, `logs_20261128`, where rows are kept for a few months, and into longer spans where they are kept for longer. `logs_before` has what
// was there before the log was split (migration 088), and `logs_other` what belongs to no other partition: audit rows of dropped partitions,
// and rows of times for which none was made. On SQLite the log is one table.

/** Days after today for which there are partitions. Servers that stand still for longer make them when they start. */
const daysAhead = 2
/**
 * Most partitions of the time that rows are kept. A query without a time locks each partition with its thirteen indexes, and PostgreSQL has
 * room for 64 locks of each connection at first: with 366 days, 19 queries at once found no room.
 */
const partitionsMax = 120
/** Length of a partition where rows are kept for ever. */
const lastingDays = 30

/** Seconds whose rows are counted by one statement. */
const countedSeconds = 3_600

/** Most rows that are moved out of a partition before it is dropped: nobody uses the log meanwhile. One with more is emptied in steps. */
const movedMax = 5_000

/** Everything that wants the log waits behind a change of its partitions, so it gives up soon and is tried again. */
const lockMs = 300
const triesMax = 20
const pauseMs = 500

/** Times in seconds since the epoch; the end is exclusive. */
export interface LogPartition {
  readonly name: string
  /** `null`: there is no beginning. */
  readonly from: number | null
  readonly to: number
}

const bound = /^FOR VALUES FROM \('?(\d+|MINVALUE)'?\) TO \('?(\d+)'?\)$/

/** The partitions that have an end, oldest first. None on SQLite. */
export async function listLogPartitions(db: Db): Promise<readonly LogPartition[]> {
  if (!isPostgres(db)) return []
  const { rows } = await sql<{ name: string; bounds: string }>`SELECT relname AS name, pg_get_expr(relpartbound, pg_class.oid) AS bounds
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'logs'::regclass`.execute(db)
  return rows
    .flatMap(({ name, bounds }) => {
      const [, from, to] = bound.exec(bounds) ?? []
      return to === undefined ? [] : [{ name, from: from === 'MINVALUE' ? null : Number(from), to: Number(to) }]
    })
    .sort((one, other) => one.to - other.to)
}

interface PartitionPlan {
  /** Seconds since the epoch. */
  readonly now: number
  /** Days that rows are kept; 0 = for ever. */
  readonly keptDays: number
}

/** Seconds of a partition where rows are kept for these days; 0 = for ever. */
const lengthOf = (keptDays: number): number => daySeconds * (keptDays === 0 ? lastingDays : Math.ceil(keptDays / partitionsMax))

/** Makes the partitions of the next days. Several processes may do it at once. */
export async function makeLogPartitions(db: Db, { now, keptDays }: PartitionPlan): Promise<void> {
  if (!isPostgres(db)) return
  const upTo = dayStart(now) + (1 + daysAhead) * daySeconds
  const seconds = lengthOf(keptDays)
  for (let isMade = true; isMade; )
    isMade = (await withoutWaiting(db, (change) => makeNext(change, { today: dayStart(now), upTo, seconds }))) ?? false
}

/** @returns whether it made one, so that there may be more to make */
async function makeNext(
  change: Db,
  { today, upTo, seconds }: { readonly today: number; readonly upTo: number; readonly seconds: number },
): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(${sql.raw(lockKey('partitions'))})`.execute(change)
  const from = Math.max(today, ...(await listLogPartitions(change)).map(({ to }) => to))
  if (from >= upTo) return false
  const table = sql.table(`logs_${new Date(from * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`)
  const [begin, end] = [sql.lit(from), sql.lit(from + seconds)]
  await sql`CREATE TABLE ${table} (LIKE logs INCLUDING DEFAULTS INCLUDING INDEXES)`.execute(change)
  // Writers wait before they have chosen a partition: one that had chosen `logs_other` would be refused its row (23514), and a batch of the
  // ledger with it, because the row belongs to the new partition meanwhile.
  await sql`LOCK TABLE logs IN SHARE ROW EXCLUSIVE MODE`.execute(change)
  await sql`LOCK TABLE logs_other IN ACCESS EXCLUSIVE MODE`.execute(change)
  await sql`WITH moved AS (DELETE FROM logs_other WHERE created_at >= ${begin} AND created_at < ${end} RETURNING *)
    INSERT INTO ${table} SELECT * FROM moved`.execute(change)
  await sql`ALTER TABLE logs ATTACH PARTITION ${table} FOR VALUES FROM (${begin}) TO (${end})`.execute(change)
  return true
}

interface Dropping {
  /** Seconds since the epoch: partitions that end then or before. */
  readonly until: number
  /** The type of the rows that stay; `null`: none does. */
  readonly keptType: number | null
  /** The highest id that may go. */
  readonly upTo: (change: Db) => Promise<number>
}

/**
 * Drops the partitions of which no row is needed, after it has moved rows of the type that stays to `logs_other`. A partition that others use
 * without a pause, that has rows that are needed, or too many that stay, is left.
 * @returns number of rows that are gone
 */
export async function dropLogPartitions(db: Db, { until, ...which }: Dropping): Promise<number> {
  let count = 0
  for (const partition of await listLogPartitions(db)) {
    if (partition.to > until) break
    count += (await withoutWaiting(db, (change) => drop(change, partition, which))) ?? 0
  }
  return count
}

async function drop(change: Db, partition: LogPartition, { keptType, upTo }: Omit<Dropping, 'until'>): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(${sql.raw(lockKey('partitions'))})`.execute(change)
  // Another process may have dropped it meanwhile.
  if (!(await listLogPartitions(change)).some(({ name }) => name === partition.name)) return 0
  const mayGo = await upTo(change)
  const table = sql.table(partition.name)
  // Nobody writes while its rows are counted, which takes a second for a million; reads go on.
  await sql`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`.execute(change)
  const { rows } = await sql<{ last: string | null }>`SELECT max(id) AS last FROM ${table}`.execute(change)
  if (Number(rows[0]?.last ?? 0) > mayGo) return 0
  const stays = keptType === null ? sql`FALSE` : sql`type = ${sql.lit(keptType)}`
  const { count, staying } = await countRows(change, partition, stays)
  if (staying > movedMax) return 0
  await sql`ALTER TABLE logs DETACH PARTITION ${table}`.execute(change)
  await sql`INSERT INTO logs SELECT * FROM ${table} WHERE ${stays}`.execute(change)
  await sql`DROP TABLE ${table}`.execute(change)
  return count
}

interface Counted {
  /** Rows that go. */
  readonly count: number
  readonly staying: number
}

/** Counts hour by hour, because one statement over all rows of a large partition would exceed the time that a statement may take. */
async function countRows(change: Db, { name, to }: LogPartition, stays: RawBuilder<unknown>): Promise<Counted> {
  const table = sql.table(name)
  const sum = { count: 0, staying: 0 }
  for (let from = Number.MIN_SAFE_INTEGER; from < to; ) {
    const { rows: first } = await sql<{
      at: string | null
    }>`SELECT min(created_at) AS at FROM ${table} WHERE created_at >= ${from}`.execute(change)
    const at = first[0]?.at ?? null
    if (at === null) return sum
    from = Number(at) + countedSeconds
    const { rows } = await sql<{ count: string; staying: string }>`SELECT count(*) FILTER (WHERE NOT (${stays})) AS count,
      count(*) FILTER (WHERE ${stays}) AS staying FROM ${table} WHERE created_at >= ${Number(at)} AND created_at < ${from}`.execute(change)
    sum.count += Number(rows[0]?.count ?? 0)
    sum.staying += Number(rows[0]?.staying ?? 0)
  }
  return sum
}

/**
 * The time up to which rows go that are kept until `until`: where that is within a partition, rows stay until the whole partition can be
 * dropped. Those of before the log was split, of SQLite, and of a partition that was made when rows were kept for longer, do not wait.
 */
export async function endOfWholePartitions(db: Db, until: number, keptDays: number): Promise<number> {
  const within = (await listLogPartitions(db)).find(({ from, to }) => from !== null && from <= until && until < to)
  if (within === undefined || within.from === null) return until
  return within.to - within.from > lengthOf(keptDays) ? until : within.from
}

/** @returns `undefined` if others held what it needs at every try */
async function withoutWaiting<Result>(db: Db, work: (change: Transaction<Schema>) => Promise<Result>): Promise<Result | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(async (change) => {
        await sql`SET LOCAL lock_timeout = ${sql.lit(lockMs)}`.execute(change)
        return await work(change)
      })
    } catch (error) {
      if (!isLockConflict(error)) throw error
      if (tries === triesMax) return undefined
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
