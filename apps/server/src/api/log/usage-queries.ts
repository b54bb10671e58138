import { logType, messageText } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { readHighestId } from '../../db/horizon.ts'
import { isPostgres } from '../../db/is-postgres.ts'
import {
  addErrors,
  addLogHours,
  addLogRows,
  addNames,
  clearLogHours,
  fillLogHours,
  makeLogHours,
  usageTables,
} from '../../db/usage-tables.ts'

/** What the text of a failed request begins with in the log. */
export const failedPrefix = messageText('log_failed', { reason: '' })

/** Log rows that one step deletes, which blocks writes and responses for some milliseconds. */
const stepRows = 200

/** Log rows before this time have been deleted. */
export async function readCleanedUntil(db: Db): Promise<number> {
  const mark = await db.selectFrom('log_marks').select('value').where('name', '=', 'cleaned-until').executeTakeFirst()
  return mark?.value ?? 0
}

/** The last log id that is in the hourly sums. The row is locked until the transaction ends. */
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

/** SQLite reuses the highest ids after their rows are deleted; the marks are lowered so that the new rows count and are copied. */
async function lowerMarks(db: Db, highestId: number): Promise<void> {
  const names = ['rolled-up', 'copied', 'copying']
  await db.updateTable('log_marks').set({ value: highestId }).where('name', 'in', names).where('value', '>', highestId).execute()
}

interface RollUpStep {
  readonly rows: number
  /** The horizon of the log. */
  readonly upTo: number
}

/**
 * Adds the next rows of the log to every table of sums. Sums and mark change in one transaction, so each row counts once despite crashes.
 * @returns whether there may be more
 */
export async function rollUpStep(db: Db, { rows, upTo }: RollUpStep): Promise<boolean> {
  return await db.transaction().execute(async (step) => {
    const after = await lockRolledUp(step)
    const { last, count } = await readStep(step, { after, rows, upTo })
    if (count === 0) return false
    await addToSums(step, after, last)
    await addErrors({ after, upTo: last, prefix: failedPrefix }).execute(step)
    await addNames(after, last).execute(step)
    await setRolledUp(step, last)
    return count === rows
  })
}

/** PostgreSQL sums rows in the database; on SQLite, which works in this process, reading them once for all tables saves most of the time. */
async function addToSums(step: Db, after: number, upTo: number): Promise<void> {
  if (isPostgres(step)) {
    for (const table of usageTables) await addLogRows(table, after, upTo).execute(step)
    return
  }
  await makeLogHours.execute(step)
  await clearLogHours.execute(step)
  await fillLogHours(after, upTo).execute(step)
  for (const table of usageTables) await addLogHours(table).execute(step)
}

type Step = RollUpStep & { readonly after: number }

async function readStep(db: Db, { after, rows, upTo }: Step): Promise<{ readonly last: number; readonly count: number }> {
  const next = db.selectFrom('logs').select('id').where('id', '>', after).where('id', '<=', upTo).orderBy('id').limit(rows)
  const row = await db
    .selectFrom(next.as('next'))
    .select(({ fn }) => [fn.max('id').as('last'), fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow()
  return { last: Number(row.last ?? after), count: Number(row.count) }
}

/** Stores that rows before this time were deleted. The stored time never decreases. */
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
  /** Also deletes audit rows (type 3). */
  readonly withAudit: boolean
  /** The last row that is not needed elsewhere any more, by id. */
  readonly copiedUpTo: (db: Db) => Promise<number>
}

/** The last row that is in the hourly sums and copied, by id. Those go on meanwhile. */
export async function readCleanable(db: Db, copiedUpTo: Cleaning['copiedUpTo']): Promise<number> {
  const mark = await db.selectFrom('log_marks').select('value').where('name', '=', 'rolled-up').executeTakeFirst()
  return Math.min(mark?.value ?? 0, await copiedUpTo(db))
}

/**
 * Deletes some rows of the log that are in the hourly sums and copied already, oldest first.
 * @returns number of rows, and where to continue; `null` = nothing is left
 */
export async function cleanStep(
  db: Db,
  { from, until, withAudit, copiedUpTo }: Cleaning,
): Promise<{ readonly count: number; readonly next: number | null }> {
  return await db.transaction().execute(async (step) => {
    const upTo = Math.min(await lockRolledUp(step), await copiedUpTo(step))
    let old = step.selectFrom('logs').select('id').where('created_at', '>=', from).where('created_at', '<', until).where('id', '<=', upTo)
    if (!withAudit) old = old.where('type', '<>', logType.admin)
    const some = old.orderBy('created_at').limit(stepRows)
    let deletion = step.deleteFrom('logs').where('id', 'in', some)
    // Without the time of what goes, PostgreSQL would plan for each partition, and lock it with its indexes.
    if (isPostgres(step)) deletion = deletion.where('created_at', '>=', from).where('created_at', '<', until)
    const deleted = await deletion.returning('created_at').execute()
    await lowerMarks(step, await readHighestId(step, 'logs'))
    const next = deleted.length < stepRows ? null : Math.max(...deleted.map((row) => row.created_at))
    return { count: deleted.length, next }
  })
}
