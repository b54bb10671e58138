import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { isPostgres } from '../../db/is-postgres.ts'
import type { Viewer } from '../model/caller.ts'
import { modelsIn } from '../storage/viewer-queries.ts'

export interface TaskPage {
  readonly viewer: Viewer
  /** `null`: every kind. */
  readonly kind: string | null
  /** Tasks after (`desc`: before) this row; `null`: from the first. */
  readonly after: number | null
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

interface IdRow {
  readonly id: number
}

/**
 * Ids of a page of the tasks that a token with a list of models may see, however many others its account has. The models that the account
 * has used are read first, each with one step into an index, and then the next tasks of each that is on the list.
 */
export async function idsOfModels(db: Db, page: TaskPage): Promise<readonly number[]> {
  const { viewer, kind, order, limit } = page
  const { userId, tokenId } = viewer
  const own = nextIds(page, sql`x.token_id = ${tokenId} ${kind === null ? sql`` : sql`AND x.kind = ${kind}`}`)
  const tasksOfModel = isPostgres(db) ? lateralTasks(page) : sql`CROSS JOIN tasks AS t ON t.id IN (${nextIds(page, sameKind)})`
  const { rows } = await sql<IdRow>`WITH RECURSIVE used (model, kind) AS (
      SELECT f.model, f.kind FROM (SELECT x.model, x.kind FROM tasks AS x WHERE x.user_id = ${userId} ORDER BY x.model, x.kind LIMIT 1) AS f
      UNION ALL
      SELECT n.model, n.kind FROM used JOIN tasks AS n ON n.id = coalesce(
        (SELECT x.id FROM tasks AS x WHERE x.user_id = ${userId} AND x.model = used.model AND x.kind > used.kind ORDER BY x.kind LIMIT 1),
        (SELECT x.id FROM tasks AS x WHERE x.user_id = ${userId} AND x.model > used.model ORDER BY x.model, x.kind LIMIT 1))
    )
    SELECT id FROM (
      SELECT o.id FROM (${own}) AS o
      UNION
      SELECT t.id FROM used ${tasksOfModel}
      WHERE used.model IN (${modelsIn(db, viewer)}) ${kind === null ? sql`` : sql`AND used.kind = ${kind}`}
    ) AS visible ORDER BY id ${direction(order)} LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => Number(id))
}

const direction = (order: TaskPage['order']) => (order === 'desc' ? sql`DESC` : sql`ASC`)

const sameKind = sql`x.model = used.model AND x.kind = used.kind`

/** The next tasks of an account that meet a condition. */
function nextIds({ viewer, after, order, limit }: TaskPage, condition: RawBuilder<unknown>) {
  const behind = after === null ? sql`` : order === 'desc' ? sql`AND x.id < ${after}` : sql`AND x.id > ${after}`
  return sql`SELECT x.id FROM tasks AS x WHERE x.user_id = ${viewer.userId} AND ${condition} ${behind}
    ORDER BY x.id ${direction(order)} LIMIT ${limit}`
}

/**
 * The next tasks of each model for PostgreSQL. An order by the id alone may be taken from the primary key, through all tasks of others, so the
 * kind is a range and comes first in the order, as in the index.
 */
function lateralTasks({ viewer, after, order, limit }: TaskPage) {
  const ofKind =
    order === 'desc'
      ? sql`x.kind >= used.kind AND (x.kind, x.id) < (used.kind, ${after ?? Number.MAX_SAFE_INTEGER}::bigint)`
      : sql`x.kind <= used.kind AND (x.kind, x.id) > (used.kind, ${after ?? 0}::bigint)`
  return sql`CROSS JOIN LATERAL (SELECT x.id FROM tasks AS x WHERE x.user_id = ${viewer.userId} AND x.model = used.model AND ${ofKind}
    ORDER BY x.kind ${direction(order)}, x.id ${direction(order)} LIMIT ${limit}) AS t`
}
