import type { Db } from '../../db/connect.ts'

interface StoredOption {
  readonly key: string
  readonly value: string
  readonly set_by_role: number
}

export async function listStoredOptions(db: Db) {
  return await db.selectFrom('options').select(['key', 'value', 'set_by_role']).execute()
}

/** All or none. */
export async function saveOptions(db: Db, options: readonly StoredOption[]): Promise<void> {
  await db
    .insertInto('options')
    .values(options)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((build) => ({
        value: build.ref('excluded.value'),
        set_by_role: build.ref('excluded.set_by_role'),
      })),
    )
    .execute()
}

/** Marks options as set by this role where they still have the values that were shown. @returns how many it were */
export async function confirmOptions(db: Db, shown: readonly Omit<StoredOption, 'set_by_role'>[], setByRole: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('options')
    .set({ set_by_role: setByRole })
    .where((build) => build.or(shown.map(({ key, value }) => build.and({ key, value }))))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
