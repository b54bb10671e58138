import type { Db } from '../../db/connect.ts'

export async function listStoredOptions(db: Db) {
  return await db.selectFrom('options').select(['key', 'value']).execute()
}

export async function saveOption(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('options')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}
