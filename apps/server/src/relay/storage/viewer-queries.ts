import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { isPostgres } from '../../db/is-postgres.ts'
import type { Viewer } from '../model/caller.ts'

/** Sees everything of an account, as its owner does in the console. */
export function ownerOf(userId: number): Viewer {
  return { userId, tokenId: 0, models: null, seesOwnOnly: false }
}

/** Whether a token sees only some of the rows of its account. */
export function isRestricted({ seesOwnOnly, models }: Viewer): boolean {
  return seesOwnOnly || models !== null
}

/**
 * What a token may see of its account's rows: those that it created itself and, unless it is limited to these, those of its models. Rows of
 * earlier versions that name no model are seen by all.
 */
export function visibleTo(db: Db, { tokenId, models, seesOwnOnly }: Viewer) {
  if (seesOwnOnly) return sql<SqlBool>`token_id = ${tokenId}`
  return sql<SqlBool>`(token_id = ${tokenId} OR model IN (${modelsIn(db, { models })}))`
}

/** The models of a token, as a subquery whose text does not depend on their number, and the empty name of what has none. */
export function modelsIn(db: Db, { models }: Pick<Viewer, 'models'>) {
  const names = JSON.stringify([...(models ?? []), ''])
  const list = isPostgres(db) ? sql`jsonb_array_elements_text(${names}::text::jsonb)` : sql`json_each(${names})`
  return sql`SELECT value FROM ${list}`
}
