import { type RawBuilder, sql } from 'kysely'
import { likeAnywhere } from '../lib/like.ts'

/** Whether a column holds the text anywhere, whatever the case of its letters: SQLite's LIKE asks so by itself, PostgreSQL's does not. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`lower(${sql.ref(column)}) LIKE lower(${likeAnywhere(text)}) ESCAPE '\\'`
}
