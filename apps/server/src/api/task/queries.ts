import type { Db } from '../../db/connect.ts'
import { onePage, type Page } from '../../db/one-page.ts'

/** Empty and 0 mean all. */
export interface TaskFilters {
  /** `null` = of every account. */
  readonly userId: number | null
  readonly username: string
  readonly channel: number
  readonly state: string
  readonly kind: string
  readonly model: string
  readonly public_id: string
  readonly ids: readonly number[]
  readonly start_timestamp: number
  readonly end_timestamp: number
}

/** Newest first, which is the order of the indexes. */
const newestFirst = ['created_at', 'id'] as const

/** A task with the names that its log row and administrators need. */
export type StoredTask = Awaited<ReturnType<typeof listTasks>>[number]

export async function listTasks(db: Db, filters: TaskFilters, page: Page) {
  const { userId, username, channel, state, kind, model, public_id, ids, start_timestamp, end_timestamp } = filters
  let query = namedTasks(db)
  if (userId !== null) query = query.where('tasks.user_id', '=', userId)
  if (username !== '')
    query = query.where('tasks.user_id', '=', ({ selectFrom }) =>
      selectFrom('users').select('users.id').where('users.username', '=', username),
    )
  if (channel > 0) query = query.where('tasks.channel_id', '=', channel)
  if (state !== '') query = query.where('tasks.state', '=', state)
  if (kind !== '') query = query.where('tasks.kind', '=', kind)
  if (model !== '') query = query.where('tasks.model', '=', model)
  if (public_id !== '') query = query.where('tasks.public_id', '=', public_id)
  if (ids.length > 0) query = query.where('tasks.id', 'in', ids)
  if (start_timestamp > 0) query = query.where('tasks.created_at', '>=', start_timestamp)
  if (end_timestamp > 0) query = query.where('tasks.created_at', '<=', end_timestamp)
  return await onePage(query, 'tasks', { page, order: newestFirst }).execute()
}

/** One task; `userId` = only if it is this account's. */
export async function findTask(db: Db, id: number, userId: number | null): Promise<StoredTask | undefined> {
  const query = namedTasks(db).where('tasks.id', '=', id)
  return await (userId === null ? query : query.where('tasks.user_id', '=', userId)).executeTakeFirst()
}

function namedTasks(db: Db) {
  return db
    .selectFrom('tasks')
    .leftJoin('users', 'users.id', 'tasks.user_id')
    .leftJoin('tokens', 'tokens.id', 'tasks.token_id')
    .leftJoin('channels', 'channels.id', 'tasks.channel_id')
    .selectAll('tasks')
    .select(['users.username', 'tokens.name as token_name', 'channels.name as channel_name'])
}
