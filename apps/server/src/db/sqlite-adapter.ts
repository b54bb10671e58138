import { type DialectAdapter, SqliteAdapter } from 'kysely'

/**
 * The library's adapter with what our drivers differ in. SQLite can roll back DDL, and without the first property the migrator would run
 * outside a transaction. Our drivers order their statements themselves; without the second one each would wait for the end of every other,
 * also of one that waits for a lock or runs in another process.
 */
export function sqliteAdapter(): DialectAdapter {
  const properties = { supportsTransactionalDdl: { value: true }, supportsMultipleConnections: { value: true } }
  // Holds: it is the library's own adapter with these properties changed.
  return Object.create(new SqliteAdapter(), properties) as DialectAdapter
}
