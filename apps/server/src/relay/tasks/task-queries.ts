import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { isPostgres } from '../../db/is-postgres.ts'
import type { TaskContentTable, TaskTable } from '../../db/task-table.ts'
import type { Viewer } from '../model/caller.ts'
import { isRestricted, visibleTo } from '../storage/viewer-queries.ts'
import { idsOfModels, type TaskPage } from './task-page-queries.ts'

export type TaskRow = Selectable<TaskTable>

/** A task of an account; `undefined`: there is none with this id that the viewer may see. */
export async function readTask(db: Db, viewer: Viewer, publicId: string): Promise<TaskRow | undefined> {
  return await ofViewer(db, viewer).where('public_id', '=', publicId).executeTakeFirst()
}

function ofViewer(db: Db, viewer: Viewer) {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('user_id', '=', viewer.userId)
    .$if(isRestricted(viewer), (query) => query.where(visibleTo(db, viewer)))
}

/** A task of any account, for those who may read every one. */
export async function readAnyTask(db: Db, publicId: string): Promise<TaskRow | undefined> {
  return await db.selectFrom('tasks').selectAll().where('public_id', '=', publicId).executeTakeFirst()
}

export async function listTasks(db: Db, page: TaskPage): Promise<readonly TaskRow[]> {
  const { viewer, kind, after, order, limit } = page
  if (viewer.models !== null && !viewer.seesOwnOnly) return await listOfModels(db, page)
  return await ofViewer(db, viewer)
    .$if(kind !== null, (query) => query.where('kind', '=', kind))
    .$if(after !== null, (query) => query.where('id', order === 'desc' ? '<' : '>', after))
    .orderBy('id', order)
    .limit(limit)
    .execute()
}

async function listOfModels(db: Db, page: TaskPage): Promise<readonly TaskRow[]> {
  const ids = await idsOfModels(db, page)
  return ids.length === 0 ? [] : await db.selectFrom('tasks').selectAll().where('id', 'in', ids).orderBy('id', page.order).execute()
}

/** Several tasks of an account, by their ids. */
export async function readTasks(db: Db, viewer: Viewer, publicIds: readonly string[]): Promise<readonly TaskRow[]> {
  if (publicIds.length === 0) return []
  return await ofViewer(db, viewer).where('public_id', 'in', publicIds).execute()
}

/** What questions need of a task. Its order is not among it: many tasks are read at a time, and orders may be long. */
const dueColumns = [
  ...(['id', 'public_id', 'user_id', 'token_id', 'request_id', 'kind', 'action', 'model', 'upstream_model', 'stage', 'progress'] as const),
  ...(['channel_id', 'channel_type', 'vendor_id', 'upstream_sealed', 'idempotency_key', 'price', 'held', 'polls', 'misses'] as const),
  ...(['next_poll_ms', 'give_up_at', 'created_at'] as const),
] satisfies readonly (keyof TaskTable)[]

/** A task that is due to be polled, with the names for its log row. */
export type DueTask = Pick<TaskRow, (typeof dueColumns)[number]> & { readonly username: string | null; readonly token_name: string | null }

interface Due {
  readonly nowMs: number
  /** A time beyond this is none that was ever set: the clock was put back. */
  readonly aheadMs: number
  readonly limit: number
}

export async function listDue(db: Db, due: Due): Promise<readonly DueTask[]> {
  const ready = await dueQuery(db, due).where('tasks.next_poll_ms', '<=', due.nowMs).execute()
  if (ready.length > 0) return ready
  return await dueQuery(db, due).where('tasks.next_poll_ms', '>', due.aheadMs).execute()
}

function dueQuery(db: Db, { limit }: Due) {
  return db
    .selectFrom('tasks')
    .leftJoin('users', 'users.id', 'tasks.user_id')
    .leftJoin('tokens', 'tokens.id', 'tasks.token_id')
    .select(dueColumns.map((name) => `tasks.${name}` as const))
    .select(['users.username', 'tokens.name as token_name'])
    .orderBy('tasks.next_poll_ms')
    .limit(limit)
}

/** Longest wait for the tasks of a process that has ended, over which they are spread. */
const takeOverMs = 16_000

/** Lets the orders of a process that has ended be looked after at once, and the tasks that it was asking about soon. */
export async function takeOver(db: Db, nowMs: number): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ next_poll_ms: nowMs })
    .where('next_poll_ms', '>', 0)
    .where('stage', 'in', ['written', 'sending'])
    .execute()
  await db
    .updateTable('tasks')
    .set({ next_poll_ms: sql`${nowMs} + id % 16 * ${takeOverMs / 16}` })
    .where('next_poll_ms', '>', nowMs + takeOverMs)
    .execute()
}

/** Lets the orders of nodes that do not run any more be looked after at once. The only process of a file of SQLite has no others. */
export async function takeOverCreations(db: Db, nowMs: number): Promise<void> {
  if (!isPostgres(db)) return
  await db
    .updateTable('tasks')
    .set({ next_poll_ms: nowMs })
    .where('next_poll_ms', '>', nowMs)
    .where('stage', 'in', ['written', 'sending'])
    .where('epoch', '<>', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('nodes').select('nodes.epoch').whereRef('nodes.epoch', '=', 'tasks.epoch').where('nodes.state', '=', 'live'))),
    )
    .execute()
}

/** When the next task is due, in milliseconds since the epoch; `null`: none is running. */
export async function nextDueMs(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('tasks')
    .select('next_poll_ms')
    .where('next_poll_ms', 'is not', null)
    .orderBy('next_poll_ms')
    .limit(1)
    .executeTakeFirst()
  return row === undefined || row.next_poll_ms === null ? null : Number(row.next_poll_ms)
}

/** Takes the next question about a task, unless another poller has it. */
export async function claim(db: Db, { id, next_poll_ms: seen }: Pick<TaskRow, 'id' | 'next_poll_ms'>, untilMs: number): Promise<boolean> {
  const done = await db
    .updateTable('tasks')
    .set({ next_poll_ms: untilMs })
    .where('id', '=', id)
    .where('next_poll_ms', '=', seen)
    .executeTakeFirst()
  return Number(done.numUpdatedRows) === 1
}

/** Makes a running task due. */
export async function dueNow(db: Db, publicId: string, nowMs: number): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ next_poll_ms: nowMs })
    .where('public_id', '=', publicId)
    .where('stage', '=', 'running')
    .where('next_poll_ms', '>', nowMs)
    .execute()
}

/** Makes the task of a channel that has this id at its vendor due now. */
export async function dueNowAt(
  db: Db,
  { channelId, vendorId }: { readonly channelId: number; readonly vendorId: string },
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ next_poll_ms: nowMs })
    .where('channel_id', '=', channelId)
    .where('vendor_id', '=', vendorId)
    .where('stage', '=', 'running')
    .where('next_poll_ms', '>', nowMs)
    .execute()
}

/** Changes a task that has not ended. `false`: it has. */
export async function updateTask(db: Db, publicId: string, change: Updateable<TaskTable>): Promise<boolean> {
  const done = await db.updateTable('tasks').set(change).where('public_id', '=', publicId).where('stage', '<>', 'ended').executeTakeFirst()
  return Number(done.numUpdatedRows) === 1
}

/** Deletes an ended task with its contents. `false`: it has not ended. */
export async function deleteTask(db: Db, { id, public_id }: Pick<TaskRow, 'id' | 'public_id'>): Promise<boolean> {
  const done = await db.deleteFrom('tasks').where('id', '=', id).where('stage', '=', 'ended').executeTakeFirst()
  if (Number(done.numDeletedRows) === 0) return false
  await db.deleteFrom('task_contents').where('task_id', '=', public_id).execute()
  return true
}

/** Keeps the content of a result; again: it replaces the one before. */
export async function saveContent(db: Db, content: Insertable<TaskContentTable>): Promise<void> {
  const { content_sealed } = content
  await db
    .insertInto('task_contents')
    .values(content)
    .onConflict((conflict) => conflict.columns(['task_id', 'place']).doUpdateSet({ content_sealed }))
    .execute()
}

/** `undefined`: none is kept. */
export async function readContent(db: Db, taskId: string, place: number): Promise<string | undefined> {
  const query = db.selectFrom('task_contents').select('content_sealed').where('task_id', '=', taskId).where('place', '=', place)
  return (await query.executeTakeFirst())?.content_sealed
}

/** Deletes tasks that ended before a time. @returns how many */
export async function deleteEnded(db: Db, before: number): Promise<number> {
  const old = db.selectFrom('tasks').select('public_id').where('ended_at', '>', 0).where('ended_at', '<', before)
  await db.deleteFrom('task_contents').where('task_id', 'in', old).execute()
  await db.updateTable('task_files').set({ state: 'dropped', next_try_ms: null }).where('task_id', 'in', old).execute()
  const done = await db.deleteFrom('tasks').where('ended_at', '>', 0).where('ended_at', '<', before).executeTakeFirst()
  return Number(done.numDeletedRows)
}
