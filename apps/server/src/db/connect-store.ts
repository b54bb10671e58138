import type { Store } from './connect.ts'
import type { StoreEvents } from './owned-connection.ts'
import { isPostgres } from './store-place.ts'

/** Opens a store, creates and migrates it first if needed. Only servers on PostgreSQL share one (`isShared`). */
export async function connectStore(place: string, events: StoreEvents): Promise<Store> {
  // Imported on demand: a process uses only one of the two engines.
  const connect = isPostgres(place)
    ? (await import('./connect-postgres.ts')).connectPostgres
    : (await import('./connect-sqlite.ts')).connectSqlite
  return await connect(place, events)
}
