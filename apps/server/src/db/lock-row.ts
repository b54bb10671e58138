import type { Db } from './connect.ts'

/**
 * In a transaction: nobody else changes the row until it ends. An update that changes nothing, because SQLite has no other lock for a row.
 */
export async function lockRow(tx: Db, table: 'channels' | 'redemptions' | 'tokens' | 'users', id: number): Promise<void> {
  await tx
    .updateTable(table)
    .set((build) => ({ status: build.ref('status') }))
    .where('id', '=', id)
    .execute()
}
