import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

interface PlaceQuestion {
  readonly tokenId: number
  /** The node's start. */
  readonly epoch: number
  /** Places that its requests have. */
  readonly open: number
  /** Places that it could use. */
  readonly requested: number
  /** The limit of the token. */
  readonly places: number
}

/**
 * What the nodes have is one row for each token, so that they decide one after another. A start that `nodes` does not say to be over counts: it
 * may be younger than what this statement sees.
 * @returns places that the node has from now on
 */
export async function exchangePlaces(db: Db, { tokenId, epoch, open, requested, places }: PlaceQuestion): Promise<number> {
  const key = sql`${String(epoch)}::text`
  const { rows } = await sql<{ granted: number }>`
    INSERT INTO token_places AS p (token_id, taken)
    VALUES (${tokenId}, jsonb_build_object(${key}, greatest(${open}::bigint, least(${requested}::bigint, ${places}::bigint))))
    ON CONFLICT (token_id) DO UPDATE SET taken = (
      SELECT o.kept || jsonb_build_object(${key}, greatest(${open}::bigint, least(${requested}::bigint, ${places}::bigint - o.taken)))
      FROM (
        SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') AS kept, coalesce(sum(e.value::bigint), 0)::bigint AS taken
        FROM jsonb_each(p.taken) AS e (key, value)
        WHERE e.key <> ${key} AND e.value <> '0' AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.epoch = e.key::bigint AND n.state <> 'live')
      ) AS o
    )
    RETURNING (p.taken ->> ${key})::bigint AS granted`.execute(db)
  return Number(rows[0]?.granted ?? 0)
}
