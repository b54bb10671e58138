import { logType } from '@sluice/contract'
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { UsageHourTable, UsageSumTable } from '../../db/schema.ts'
import { type UsageCounts, type UsageScope, usageCounts } from './usage-rows.ts'

type UsageHour = Insertable<UsageHourTable>
type UsageSum = Insertable<UsageSumTable>

const hourSeconds = 3_600

/** Log rows that one step takes: some milliseconds, in which nothing else is written. */
const stepRows = 500

/** How an answer ends that the client did not get whole, though it stayed. */
const failedEnds: ReadonlySet<string> = new Set(['failed', 'upstream_cut', 'timed_out', 'too_long', 'crashed'])

/** Log rows before this time have been deleted. */
export async function readCleanedUntil(db: Db): Promise<number> {
  const mark = await db.selectFrom('log_marks').select('value').where('name', '=', 'cleaned-until').executeTakeFirst()
  return mark?.value ?? 0
}

/** The last log id that the hours hold. Nobody else changes it until the transaction ends. */
async function lockRolledUp(db: Db): Promise<number> {
  const { value } = await db
    .insertInto('log_marks')
    .values({ name: 'rolled-up', value: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(({ ref }) => ({ value: ref('log_marks.value') })))
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}

async function setRolledUp(db: Db, id: number): Promise<void> {
  await db.updateTable('log_marks').set({ value: id }).where('name', '=', 'rolled-up').execute()
}

/**
 * Adds the next rows of the log to their hours. Hours and mark change in one transaction, so that each row counts once, wherever a
 * crash falls. Rows show in the order of their ids, because one process writes them in one transaction after another.
 * @returns whether there may be more
 */
export async function rollUpStep(db: Db): Promise<boolean> {
  return await db.transaction().execute(async (step) => {
    const rows = await readAfter(step, await lockRolledUp(step))
    const last = rows.at(-1)
    if (last === undefined) return false
    const hours = sumHours(rows)
    await addToHours(step, hours)
    await addToSums(step, sumScopes(hours))
    await setRolledUp(step, last.id)
    return rows.length === stepRows
  })
}

async function readAfter(db: Db, id: number) {
  return await db
    .selectFrom('logs')
    .select([
      'id',
      'type',
      'created_at',
      'user_id',
      'username',
      'token_name',
      'model_name',
      'channel_id',
      'quota',
      'prompt_tokens',
      'completion_tokens',
      'elapsed_ms',
      'end_reason',
    ])
    .where('id', '>', id)
    .orderBy('id')
    .limit(stepRows)
    .execute()
}

function sumHours(rows: Awaited<ReturnType<typeof readAfter>>): readonly UsageHour[] {
  const hours = new Map<string, UsageHour>()
  for (const { type, created_at, user_id, username, token_name, model_name, channel_id, end_reason, ...row } of rows) {
    if (type !== logType.consume) continue
    const hour = created_at - (created_at % hourSeconds)
    const key = JSON.stringify([hour, user_id, username, token_name, model_name, channel_id])
    const sum = hours.get(key)
    hours.set(key, {
      ...{ hour, user_id, username, token_name, model_name, channel_id },
      requests: (sum?.requests ?? 0) + 1,
      failures: (sum?.failures ?? 0) + (failedEnds.has(end_reason) ? 1 : 0),
      quota: (sum?.quota ?? 0) + row.quota,
      prompt_tokens: (sum?.prompt_tokens ?? 0) + row.prompt_tokens,
      completion_tokens: (sum?.completion_tokens ?? 0) + row.completion_tokens,
      elapsed_ms: (sum?.elapsed_ms ?? 0) + row.elapsed_ms,
    })
  }
  return [...hours.values()]
}

/** The same over all accounts, for each scope of `usage_sums`. */
function sumScopes(hours: readonly UsageHour[]): readonly UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const hour of hours) {
    for (const [scope, name] of scopesOf(hour)) {
      const key = JSON.stringify([scope, name, hour.hour])
      const sum = sums.get(key) ?? noUsage
      const added = Object.fromEntries(usageCounts.map((count) => [count, sum[count] + hour[count]]))
      // Holds: the members of `added` are those of `usageCounts`.
      sums.set(key, { scope, name, hour: hour.hour, ...(added as UsageCounts) })
    }
  }
  return [...sums.values()]
}

const noUsage: UsageCounts = { requests: 0, failures: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, elapsed_ms: 0 }

function scopesOf({ model_name, channel_id, token_name }: UsageHour): readonly (readonly [UsageScope, string])[] {
  return [
    ['all', ''],
    ['model', model_name],
    ['channel', String(channel_id)],
    ['token', token_name],
  ]
}

/** One statement for all of them: a step may add to hundreds, and writing it anew for each takes several times as long as running it. */
async function addToHours(db: Db, hours: readonly UsageHour[]): Promise<void> {
  const [first] = hours
  if (first === undefined) return
  const keys = ['hour', 'user_id', 'username', 'token_name', 'model_name', 'channel_id'] as const
  const statement = db
    .insertInto('usage_hours')
    .values(first)
    .onConflict((conflict) => conflict.columns([...keys]).doUpdateSet(addedTo('usage_hours')))
    .compile()
  // Every hour has its members in the same order, which is that of the columns.
  for (const hour of hours) await db.executeQuery({ ...statement, parameters: Object.values(hour) })
}

async function addToSums(db: Db, sums: readonly UsageSum[]): Promise<void> {
  const [first] = sums
  if (first === undefined) return
  const statement = db
    .insertInto('usage_sums')
    .values(first)
    .onConflict((conflict) => conflict.columns(['scope', 'hour', 'name']).doUpdateSet(addedTo('usage_sums')))
    .compile()
  for (const sum of sums) await db.executeQuery({ ...statement, parameters: Object.values(sum) })
}

/** Each count of the row that is there, and that of the new one. */
function addedTo(table: 'usage_hours' | 'usage_sums') {
  return Object.fromEntries(
    usageCounts.map((count) => [count, sql<number>`${sql.ref(`${table}.${count}`)} + ${sql.ref(`excluded.${count}`)}`]),
  )
}

/** From now on the log is said to begin here. It never begins earlier again. */
export async function markCleaned(db: Db, until: number): Promise<void> {
  await db
    .insertInto('log_marks')
    .values({ name: 'cleaned-until', value: until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: until }).where('log_marks.value', '<', until))
    .execute()
}

interface Cleaning {
  readonly from: number
  readonly until: number
  /** Deletes what tells who did what (type 3), too. */
  readonly withAudit: boolean
}

/**
 * Deletes some rows of the log that the hours hold already, oldest first.
 * @returns how many, and where to go on; `null` = nothing is left
 */
export async function cleanStep(
  db: Db,
  { from, until, withAudit }: Cleaning,
): Promise<{ readonly count: number; readonly next: number | null }> {
  return await db.transaction().execute(async (step) => {
    const rolledUp = await lockRolledUp(step)
    let old = step
      .selectFrom('logs')
      .select('id')
      .where('created_at', '>=', from)
      .where('created_at', '<', until)
      .where('id', '<=', rolledUp)
    if (!withAudit) old = old.where('type', '<>', logType.admin)
    const some = old.orderBy('created_at').limit(stepRows)
    const deleted = await step.deleteFrom('logs').where('id', 'in', some).returning('created_at').execute()
    // SQLite gives the highest ids out again when their rows are gone; the rows that get them must count.
    await setRolledUp(step, Math.min(rolledUp, await readHighestId(step)))
    const next = deleted.length < stepRows ? null : Math.max(...deleted.map((row) => row.created_at))
    return { count: deleted.length, next }
  })
}

async function readHighestId(db: Db): Promise<number> {
  const row = await db.selectFrom('logs').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}
