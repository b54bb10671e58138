import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import { type RateRule, toleranceMs } from '../lib/rate-limiter.ts'
import type { ThrottleRule } from '../lib/throttle.ts'

// The counts of `lib/rate-limiter.ts` and `lib/throttle.ts`, each in one statement, so that tries on all nodes count one after another.

/** One key at one moment. */
export interface Try {
  readonly key: string
  readonly nowMs: number
}

/** @returns milliseconds to wait; 0 = allowed, and counted */
export async function takeRate(db: Db, { key, nowMs }: Try, { count, perSeconds }: RateRule): Promise<number> {
  const windowMs = perSeconds * 1000
  const stepMs = windowMs / count
  // As numbers of one type, which a parameter alone does not have.
  const [now, step] = [sql`${nowMs}::double precision`, sql`${stepMs}::double precision`]
  const { rows } = await sql`
    INSERT INTO rate_limits AS known (key, due_ms) VALUES (${key}, ${now} + ${step})
    ON CONFLICT (key) DO UPDATE SET due_ms = greatest(known.due_ms, ${now}) + ${step}
    WHERE greatest(known.due_ms, ${now}) + ${step} - ${now} <= ${windowMs + toleranceMs}::double precision
    RETURNING 1`.execute(db)
  if (rows.length > 0) return 0
  const { rows: known } = await sql<{ due_ms: number }>`SELECT due_ms FROM rate_limits WHERE key = ${key}`.execute(db)
  return Math.max(1, (known[0]?.due_ms ?? 0) + stepMs - nowMs - windowMs)
}

/** @returns milliseconds to wait; 0 = allowed, and counted */
export async function takeTry(db: Db, { key, nowMs }: Try, { free, windowMs, waitMaxMs }: ThrottleRule): Promise<number> {
  const now = sql`${nowMs}::double precision`
  const isOver = sql`${now} - known.first_ms > ${windowMs}::double precision`
  const tries = sql`CASE WHEN ${isOver} THEN 1 ELSE known.tries + 1 END`
  // 0 where nothing is to be waited for, so that a clock that goes back by a millisecond refuses nobody.
  const untilOf = (count: typeof tries) => sql`CASE WHEN ${count} < ${free}::integer THEN 0
    ELSE ${now} + least(${waitMaxMs}::double precision, 1000 * power(2, least(20, ${count} - ${free}::integer))) END`
  const { rows } = await sql`
    INSERT INTO throttles AS known (key, tries, first_ms, until_ms, forget_ms)
    VALUES (${key}, 1, ${now}, ${untilOf(sql`1`)}, ${nowMs + windowMs + waitMaxMs})
    ON CONFLICT (key) DO UPDATE SET tries = ${tries}, first_ms = CASE WHEN ${isOver} THEN ${now} ELSE known.first_ms END,
      until_ms = ${untilOf(tries)}, forget_ms = excluded.forget_ms
    WHERE known.until_ms <= ${now}
    RETURNING 1`.execute(db)
  if (rows.length > 0) return 0
  const { rows: known } = await sql<{ until_ms: number }>`SELECT until_ms FROM throttles WHERE key = ${key}`.execute(db)
  return Math.max(1, (known[0]?.until_ms ?? 0) - nowMs)
}

export async function giveBackTry(db: Db, key: string): Promise<void> {
  await sql`UPDATE throttles SET tries = tries - 1, until_ms = 0 WHERE key = ${key}`.execute(db)
}

export async function forgetTries(db: Db, key: string): Promise<void> {
  await sql`DELETE FROM throttles WHERE key = ${key}`.execute(db)
}

export async function isRemembered(db: Db, key: string): Promise<boolean> {
  return (await sql`SELECT 1 FROM throttles WHERE key = ${key}`.execute(db)).rows.length > 0
}

export async function remember(db: Db, key: string, forgetMs: number): Promise<void> {
  await sql`INSERT INTO throttles (key, tries, first_ms, until_ms, forget_ms) VALUES (${key}, 0, 0, 0, ${forgetMs})
    ON CONFLICT (key) DO UPDATE SET forget_ms = excluded.forget_ms`.execute(db)
}

/** Deletes what counts no more. */
export async function deleteOldLimits(db: Db, nowMs: number): Promise<void> {
  await sql`DELETE FROM rate_limits WHERE due_ms < ${nowMs}`.execute(db)
  await sql`DELETE FROM throttles WHERE forget_ms < ${nowMs}`.execute(db)
  // A start that `nodes` does not say to be over may be younger than what this statement sees.
  await sql`DELETE FROM token_places WHERE CASE WHEN taken::text !~ ${placesForm} THEN true ELSE NOT EXISTS (SELECT 1 FROM jsonb_each(taken) AS e (key, value)
    WHERE e.value <> '0' AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.epoch = e.key::bigint AND n.state <> 'live')) END`.execute(db)
  // A minute, and a second that clocks may differ by.
  await sql`DELETE FROM token_minutes WHERE touched_second < ${Math.floor(nowMs / 1000) - 61} OR counts::text !~ ${minuteForm}`.execute(db)
}

// What the engine writes of an object of epochs and places, and of a list of seconds with their requests and LLM tokens. Counts of any other
// form are damaged: nodes cannot count on, and begin anew without them.
const placesForm = String.raw`^\{("\d{1,18}": \d{1,15}(, |(?=\})))*\}$`
const minuteForm = String.raw`^\[(\[\d{1,15}, -?\d{1,15}, -?\d{1,15}\](, |(?=\])))*\]$`
