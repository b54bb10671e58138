import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a column that is unique unless it is empty has this value. The second half is written out: the column's index leaves empty
 * values out, and a store uses it only where the query says that it does not look for them.
 */
export function matchesUnique(column: string, value: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} = ${value} AND ${sql.ref(column)} <> '')`
}
