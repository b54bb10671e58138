import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a column that is unique unless empty has this value. The second condition is needed for speed: the column's index is partial
 * and leaves empty values out, and the database uses it only when the query excludes them too.
 */
export function matchesUnique(column: string, value: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} = ${value} AND ${sql.ref(column)} <> '')`
}
