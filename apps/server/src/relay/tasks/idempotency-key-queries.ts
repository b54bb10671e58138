import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { TaskIdempotencyKeyTable } from '../../db/task-table.ts'

export type IdempotencyKeyRow = Selectable<TaskIdempotencyKeyTable>

/** `false`: an order of the account has this name. */
export async function takeIdempotencyKey(db: Db, row: Insertable<TaskIdempotencyKeyTable>): Promise<boolean> {
  const done = await db
    .insertInto('task_order_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'client_key']).doNothing())
    .executeTakeFirst()
  return Number(done.numInsertedOrUpdatedRows) === 1
}

export async function readIdempotencyKey(db: Db, userId: number, key: string): Promise<IdempotencyKeyRow | undefined> {
  return await db.selectFrom('task_order_keys').selectAll().where('user_id', '=', userId).where('client_key', '=', key).executeTakeFirst()
}

/** Gives a name back, unless another task has it by now. */
export async function freeIdempotencyKey(
  db: Db,
  { user_id, client_key, task_id }: Pick<IdempotencyKeyRow, 'user_id' | 'client_key' | 'task_id'>,
): Promise<void> {
  await db
    .deleteFrom('task_order_keys')
    .where('user_id', '=', user_id)
    .where('client_key', '=', client_key)
    .where('task_id', '=', task_id)
    .execute()
}

export async function deleteOldIdempotencyKeys(db: Db, before: number): Promise<void> {
  await db.deleteFrom('task_order_keys').where('created_at', '<', before).execute()
}
