import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { TaskOrderKeyTable } from '../../db/task-table.ts'

export type OrderKeyRow = Selectable<TaskOrderKeyTable>

/** `false`: an order of the account has this name. */
export async function takeOrderKey(db: Db, row: Insertable<TaskOrderKeyTable>): Promise<boolean> {
  const done = await db
    .insertInto('task_order_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'client_key']).doNothing())
    .executeTakeFirst()
  return Number(done.numInsertedOrUpdatedRows) === 1
}

export async function readOrderKey(db: Db, userId: number, key: string): Promise<OrderKeyRow | undefined> {
  return await db.selectFrom('task_order_keys').selectAll().where('user_id', '=', userId).where('client_key', '=', key).executeTakeFirst()
}

/** Gives a name back, unless another task has it by now. */
export async function freeOrderKey(
  db: Db,
  { user_id, client_key, task_id }: Pick<OrderKeyRow, 'user_id' | 'client_key' | 'task_id'>,
): Promise<void> {
  await db
    .deleteFrom('task_order_keys')
    .where('user_id', '=', user_id)
    .where('client_key', '=', client_key)
    .where('task_id', '=', task_id)
    .execute()
}

export async function deleteOldOrderKeys(db: Db, before: number): Promise<void> {
  await db.deleteFrom('task_order_keys').where('created_at', '<', before).execute()
}
