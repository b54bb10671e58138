import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { KeptAnswerTable } from '../../db/schema.ts'

export type StoredResponseRow = Insertable<KeptAnswerTable>

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
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute()
}

interface ItemsAsked {
  readonly userId: number
  readonly ids: readonly string[]
  readonly since: number
}

export async function findItems(db: Db, { userId, ids, since }: ItemsAsked) {
  return await db
    .selectFrom('kept_answers')
    .select(['id', 'channel_id', 'key_lookup', 'item_sealed', 'tokens'])
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .where('created_at', '>', since)
    .execute()
}

export async function findResponse(
  db: Db,
  { userId, id, since }: { readonly userId: number; readonly id: string; readonly since: number },
) {
  return await db
    .selectFrom('kept_answers')
    .select(['channel_id', 'key_lookup', 'tokens'])
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('item_sealed', 'is', null)
    .where('created_at', '>', since)
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
