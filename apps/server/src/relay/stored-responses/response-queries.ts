import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { KeptResponseTable } from '../../db/schema.ts'
import type { Viewer } from '../model/caller.ts'
import { isRestricted, visibleTo } from '../storage/viewer-queries.ts'

export type StoredResponseRow = Insertable<KeptResponseTable>

/** If an account stores an id again, the new row replaces the old one. */
export async function saveResponses(db: Db, rows: readonly StoredResponseRow[]): Promise<void> {
  await db
    .insertInto('kept_answers')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'id']).doUpdateSet(({ ref }) => ({
        token_id: ref('excluded.token_id'),
        channel_id: ref('excluded.channel_id'),
        key_lookup: ref('excluded.key_lookup'),
        item_sealed: ref('excluded.item_sealed'),
        tokens: ref('excluded.tokens'),
        model: ref('excluded.model'),
        bytes: ref('excluded.bytes'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute()
}

/** Who reads stored responses. */
export interface StoredBy {
  readonly viewer: Viewer
  /** Older rows do not count. */
  readonly since: number
}

function visibleRows(db: Db, { viewer, since }: StoredBy) {
  return db
    .selectFrom('kept_answers')
    .where('user_id', '=', viewer.userId)
    .where('created_at', '>', since)
    .$if(isRestricted(viewer), (query) => query.where(visibleTo(db, viewer)))
}

export async function findItems(db: Db, { ids, ...by }: StoredBy & { readonly ids: readonly string[] }) {
  return await visibleRows(db, by).select(['id', 'channel_id', 'key_lookup', 'item_sealed', 'tokens']).where('id', 'in', ids).execute()
}

export async function findResponse(db: Db, { id, ...by }: StoredBy & { readonly id: string }) {
  return await visibleRows(db, by)
    .select(['channel_id', 'key_lookup', 'tokens'])
    .where('id', '=', id)
    .where('item_sealed', 'is', null)
    .executeTakeFirst()
}

export async function deleteResponse(db: Db, { userId, id }: { readonly userId: number; readonly id: string }): Promise<void> {
  await db.deleteFrom('kept_answers').where('user_id', '=', userId).where('id', '=', id).execute()
}

interface Sweep {
  /** Whether the rows have content. */
  readonly isOwn: boolean
  readonly before: number
  readonly rowsMax: number
}

/** Deletes some of the oldest rows. @returns whether there may be more */
export async function deleteResponsesBefore(db: Db, { isOwn, before, rowsMax }: Sweep): Promise<boolean> {
  const last = await db
    .selectFrom('kept_answers')
    .select('created_at')
    .where('created_at', '<=', before)
    .where('item_sealed', isOwn ? 'is not' : 'is', null)
    .orderBy('created_at')
    .offset(rowsMax - 1)
    .limit(1)
    .executeTakeFirst()
  await db
    .deleteFrom('kept_answers')
    .where('created_at', '<=', last?.created_at ?? before)
    .where('item_sealed', isOwn ? 'is not' : 'is', null)
    .execute()
  return last !== undefined
}
