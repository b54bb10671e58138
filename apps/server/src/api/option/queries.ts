import type { Db } from '../../db/connect.ts'

interface StoredOption {
  readonly key: string
  readonly value: string
  readonly set_by_role: number
}

export async function listStoredOptions(db: Db) {
  return await db.selectFrom('options').select(['key', 'value', 'set_by_role']).execute()
}

/** Saves all options or none. */
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

/** In a transaction: marks options as set by this role, all or none. `false` = one of them no longer has the value that was shown. */
export async function confirmOptions(db: Db, shown: readonly Omit<StoredOption, 'set_by_role'>[], setByRole: number): Promise<boolean> {
  const rows = await db.selectFrom('options').select(['key', 'value']).execute()
  const stored = new Map(rows.map(({ key, value }) => [key, value]))
  if (shown.some(({ key, value }) => stored.get(key) !== value)) return false
  for (const { key } of shown) await db.updateTable('options').set({ set_by_role: setByRole }).where('key', '=', key).execute()
  return true
}
