import type { Store } from './connect.ts'
import type { StoreEvents } from './owned-connection.ts'
import { isPostgres } from './store-place.ts'

/**
 * Opens a store, creates and migrates it first if needed. Only servers on PostgreSQL share one (`isShared`).
 * @param place an address of PostgreSQL, or what `connectSqlite` opens
 */
export async function connectStore(place: string | Uint8Array, events: StoreEvents): Promise<Store> {
  // Imported on demand: a process uses only one of the two engines.
  if (typeof place === 'string' && isPostgres(place)) return await (await import('./connect-postgres.ts')).connectPostgres(place, events)
  return await (await import('./connect-sqlite.ts')).connectSqlite(place, events)
}
