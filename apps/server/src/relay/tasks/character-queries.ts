import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { TaskCharacterTable } from '../../db/task-table.ts'
import type { Viewer } from '../model/caller.ts'
import { isRestricted, visibleTo } from '../storage/viewer-queries.ts'

export type CharacterRow = Selectable<TaskCharacterTable>

export async function addCharacter(db: Db, row: Insertable<TaskCharacterTable>): Promise<void> {
  await db.insertInto('task_characters').values(row).execute()
}

/** Those of the ids that are characters which the viewer may see. */
export async function readCharacters(db: Db, viewer: Viewer, publicIds: readonly string[]): Promise<readonly CharacterRow[]> {
  if (publicIds.length === 0) return []
  return await db
    .selectFrom('task_characters')
    .selectAll()
    .where('public_id', 'in', publicIds)
    .where('user_id', '=', viewer.userId)
    .$if(isRestricted(viewer), (query) => query.where(visibleTo(db, viewer)))
    .execute()
}

/** Whether an account has as many as this. */
export async function hasCharacters(db: Db, userId: number, count: number): Promise<boolean> {
  const query = db.selectFrom('task_characters').select('id').where('user_id', '=', userId)
  return (
    (await query
      .orderBy('id')
      .offset(count - 1)
      .limit(1)
      .executeTakeFirst()) !== undefined
  )
}
