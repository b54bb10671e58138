import { type RawBuilder, sql } from 'kysely'
import { likeAnywhere } from '../lib/like.ts'

/** Whether a column contains the text, ignoring case: SQLite's LIKE ignores it by itself, PostgreSQL's does not. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`lower(${sql.ref(column)}) LIKE lower(${likeAnywhere(text)}) ESCAPE '\\'`
}

/** Whether a comma-separated list has the item. LIKE would ignore case on SQLite only. */
export function listContains(column: string, item: string): RawBuilder<boolean> {
  const list = sql<string>`',' || ${sql.ref(column)} || ','`
  return sql<boolean>`replace(${list}, ${`,${item},`}, '') <> ${list}`
}
