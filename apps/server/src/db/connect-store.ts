import type { Store } from './connect.ts'
import { connectPostgres } from './connect-postgres.ts'
import { connectSqlite } from './connect-sqlite.ts'
import type { StoreEvents } from './owned-connection.ts'
import { isPostgres } from './store-place.ts'

/** Opens (and makes, and migrates) a store, for this process alone. */
export function connectStore(place: string, events: StoreEvents): Promise<Store> {
  return isPostgres(place) ? connectPostgres(place, events) : connectSqlite(place, events)
}
