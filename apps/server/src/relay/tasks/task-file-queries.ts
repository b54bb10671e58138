import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { TaskFileTable } from '../../db/task-table.ts'

export type TaskFileRow = Selectable<TaskFileTable>

/** Lets results be copied; those that already wait or are kept stay as they are. */
export async function wantFiles(
  db: Db,
  { taskId, userId }: { readonly taskId: string; readonly userId: number },
  { places, atMs }: { places: readonly number[]; atMs: number },
): Promise<void> {
  if (places.length === 0) return
  const rows = places.map((place) => ({ task_id: taskId, user_id: userId, place, state: 'wanted', next_try_ms: atMs }))
  await db
    .insertInto('task_files')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['task_id', 'place']).doNothing())
    .execute()
}

/** A result that is kept; `undefined`: it is not. */
export async function readKept(db: Db, taskId: string, place: number): Promise<TaskFileRow | undefined> {
  const query = db.selectFrom('task_files').selectAll().where('task_id', '=', taskId).where('place', '=', place)
  const row = await query.executeTakeFirst()
  return row?.state === 'kept' ? row : undefined
}

/** What is to be copied now. @param aheadMs a time beyond this is none that was ever set: the clock was put back */
export async function listDueFiles(
  db: Db,
  { nowMs, aheadMs, limit }: { readonly nowMs: number; readonly aheadMs: number; readonly limit: number },
): Promise<readonly TaskFileRow[]> {
  const query = db.selectFrom('task_files').selectAll().orderBy('next_try_ms').limit(limit)
  const ready = await query.where('next_try_ms', '<=', nowMs).execute()
  return ready.length > 0 ? ready : await query.where('next_try_ms', '>', aheadMs).execute()
}

/** Takes the next try to copy a result, unless another process has it. */
export async function claimFile(db: Db, { id, next_try_ms: seen }: TaskFileRow, untilMs: number): Promise<boolean> {
  const done = await db
    .updateTable('task_files')
    .set({ next_try_ms: untilMs, tries: sql`tries + 1` })
    .where('id', '=', id)
    .where('next_try_ms', '=', seen)
    .executeTakeFirst()
  return Number(done.numUpdatedRows) === 1
}

/** Lets what a process that has ended was copying be copied now. */
export async function takeOverFiles(db: Db, nowMs: number): Promise<void> {
  await db.updateTable('task_files').set({ next_try_ms: nowMs }).where('next_try_ms', '>', nowMs).execute()
}

/** Tries again later. */
export async function tryFileAt(db: Db, id: number, atMs: number): Promise<void> {
  await db.updateTable('task_files').set({ next_try_ms: atMs }).where('id', '=', id).where('state', '=', 'wanted').execute()
}

interface Kept {
  readonly content_type: string
  readonly bytes: number
  readonly kept_at: number
  readonly kept_until: number
}

/** `false`: it is not wanted any more, because its task was deleted. */
export async function noteKept(db: Db, id: number, kept: Kept): Promise<boolean> {
  const change = { ...kept, state: 'kept', next_try_ms: null }
  const done = await db.updateTable('task_files').set(change).where('id', '=', id).where('state', '=', 'wanted').executeTakeFirst()
  return Number(done.numUpdatedRows) === 1
}

const dropped = { state: 'dropped', next_try_ms: null } as const

/** Lets a file be deleted. */
export async function dropFile(db: Db, id: number): Promise<void> {
  await db.updateTable('task_files').set(dropped).where('id', '=', id).execute()
}

/** Lets the files of a task be deleted. */
export async function dropFilesOf(db: Db, taskIds: readonly string[]): Promise<void> {
  if (taskIds.length > 0) await db.updateTable('task_files').set(dropped).where('task_id', 'in', taskIds).execute()
}

/** Lets files be deleted that have been kept long enough. */
export async function dropOld(db: Db, now: number): Promise<void> {
  await db.updateTable('task_files').set(dropped).where('state', '=', 'kept').where('kept_until', '<', now).execute()
}

/** The file that an account has kept for longest; of `null`, that any has. */
export async function oldestKept(db: Db, userId: number | null): Promise<TaskFileRow | undefined> {
  return await db
    .selectFrom('task_files')
    .selectAll()
    .where('state', '=', 'kept')
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .orderBy('kept_at')
    .limit(1)
    .executeTakeFirst()
}

export async function listDropped(db: Db, limit: number): Promise<readonly TaskFileRow[]> {
  return await db.selectFrom('task_files').selectAll().where('state', '=', 'dropped').limit(limit).execute()
}

export async function deleteFileRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('task_files').where('id', '=', id).where('state', '=', 'dropped').execute()
}

/** Results that are kept can be fetched for longer than their vendor has them. */
export async function extendExpiry(db: Db, taskId: string, until: number): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ expires_at: until })
    .where('public_id', '=', taskId)
    .where('expires_at', '>', 0)
    .where('expires_at', '<', until)
    .execute()
}
