import type { BatchRows } from './batch-rows.ts'
import { type Columns, repeat } from './postgres-columns.ts'
import { isKept } from './postgres-lease-queries.ts'
import { setAsideAgain, setAsideColumns, setAsideValues } from './queries.ts'
import { type SetAside, setAsideHold } from './set-aside-row.ts'

/**
 * Ends of reservations that were refused. Their reservations belong to no node any more: what they keep leaves the leases of the node and
 * stays reserved by their rows, as with tasks.
 */
export function writeAsides({ table, one }: Columns, asides: readonly SetAside[], nowSeconds: number): string {
  const now = one('bigint', nowSeconds)
  const holds = asides.map(({ requestId, userId, tokenId, held, kept, isOwned }) => [
    ...[requestId, userId, tokenId, held, kept.user, kept.token],
    isOwned ? 1 : 0,
  ])
  const rows = asides.map((aside) => [aside.isOwned ? 1 : 0, ...setAsideValues(aside, nowSeconds)])
  const types = (rows[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  const holdTypes = ['text', ...repeat('bigint', 6)]
  const columns = 'id, user_id, token_id, held, kept_user, kept_token, is_owned'
  const keptTask = `CASE h.task_id WHEN '' THEN '${setAsideHold}' ELSE h.task_id END`
  return `asides_held AS (
  INSERT INTO holds AS h (request_id, user_id, token_id, amount, model_name, created_at, task_id, epoch, leased, token_leased)
  SELECT id, user_id, token_id, held, '', ${now}, '${setAsideHold}', 0, kept_user, kept_token
  FROM ${table(holdTypes, holds)} AS s (${columns}) WHERE is_owned = 1
  ON CONFLICT (request_id) DO UPDATE SET task_id = ${keptTask}, epoch = 0, leased = h.leased + excluded.leased, token_leased = h.token_leased + excluded.token_leased
), asides_kept AS (
  UPDATE holds AS h SET task_id = ${keptTask}, epoch = 0, leased = h.leased + s.kept_user, token_leased = h.token_leased + s.kept_token
  FROM ${table(holdTypes, holds)} AS s (${columns}) WHERE s.is_owned = 0 AND h.request_id = s.id
), asides_written AS (
  INSERT INTO ledger_set_aside (${setAsideColumns}) SELECT ${setAsideColumns}
  FROM ${table(types, rows)} AS s (is_owned, ${setAsideColumns}) WHERE ${isKept('s.request_id', 's.is_owned')}
  ${setAsideAgain}
), asides_not_polled AS (
  UPDATE tasks AS t SET next_poll_ms = NULL FROM ${table(types, rows)} AS s (is_owned, ${setAsideColumns})
  WHERE t.public_id = s.task_id AND t.stage <> 'ended'
)`
}

/** What was set aside and ends with its reservation. The statement must have decided before which of them do. */
export function endedAsides({ table }: Columns, { operationRows }: BatchRows, nowSeconds: number): string | null {
  const lines = operationRows.flatMap(({ place, operation }) => {
    if (!('resolves' in operation) || operation.resolves === undefined) return []
    const { id, state, charged, by, remark } = operation.resolves
    return [[place, id, state, charged, by, remark, nowSeconds]]
  })
  if (lines.length === 0) return null
  const types = ['bigint', 'bigint', 'text', 'bigint', 'bigint', 'text', 'bigint']
  return `asides_ended AS (
  UPDATE ledger_set_aside AS s SET state = e.state, charged = e.charged, resolved_by = e.by_user, remark = e.remark, resolved_at = e.now
  FROM ${table(types, lines)} AS e (place, id, state, charged, by_user, remark, now)
  WHERE s.id = e.id AND e.place IN (SELECT place FROM done)
)`
}
