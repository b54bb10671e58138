import type { Store } from './connect.ts'
import type { StoreEvents } from './owned-connection.ts'
import { isPostgres } from './store-place.ts'

/** Opens (and makes, and migrates) a store, for this process alone. */
export async function connectStore(place: string, events: StoreEvents): Promise<Store> {
  // Only one of the two is ever needed.
  const connect = isPostgres(place)
    ? (await import('./connect-postgres.ts')).connectPostgres
    : (await import('./connect-sqlite.ts')).connectSqlite
  return await connect(place, events)
}
