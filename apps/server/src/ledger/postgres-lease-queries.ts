import type { Query } from '../db/ledger-connection.ts'
import type { BatchRows } from './batch-rows.ts'
import { conditions } from './batch-rows.ts'
import type { LeaseResult } from './commit.ts'
import { safeSum } from './exact-sum.ts'
import { type Columns, type Line, repeat } from './postgres-columns.ts'

// How a batch changes accounts, tokens, and the node's leases of them. The row of an account or a token is locked before its leases are
// read or changed, by whomever, so that the amount that all nodes have together is always that of the row.

/** What leases are of, as the table says it. */
export const leaseOf = { user: 1, token: 2 } as const

/** More than any quota. */
const boundless = Number.MAX_SAFE_INTEGER

/** Whether a batch can change leases. */
export function hasLeases({ asks, operationRows, opened, asides }: BatchRows): boolean {
  return (
    asks.length > 0 ||
    asides.length > 0 ||
    operationRows.some(({ freed }) => freed.user > 0 || freed.token > 0) ||
    opened.some(({ request }) => request.task)
  )
}

/** One line for each ask, with the columns that both kinds of row need. */
function askLines({ asks }: BatchRows, of: LeaseResult['of']): readonly Line[] {
  return asks.flatMap(([, ask]) =>
    ask.of === of ? [[ask.id, ask.need, ask.amount, ask.want, ask.usedMax ?? boundless, ask.giveBack]] : [],
  )
}

/** Reservations of tasks, whose quota leaves the leases of the node. */
function taskLines({ opened }: BatchRows, of: LeaseResult['of']): readonly Line[] {
  return opened.flatMap(({ request: { task, userId, tokenId, amount, ofToken = 0 } }) =>
    task === undefined ? [] : [of === 'user' ? [userId, amount] : [tokenId, ofToken]],
  )
}

const askTypes = repeat('bigint', 6)

/** Reservations that are kept by their rows from now on: by request, what leaves the node's leases and what the row keeps. */
function asideLines({ asides }: BatchRows, of: LeaseResult['of']): readonly Line[] {
  return asides.map(({ requestId, userId, tokenId, freed, kept, isOwned }) =>
    of === 'user'
      ? [userId, requestId, freed.user, kept.user, isOwned ? 1 : 0]
      : [tokenId, requestId, freed.token, kept.token, isOwned ? 1 : 0],
  )
}

/** Whether something is set aside: this process had its reservation, or the store still has it. */
export const isKept = (id: string, isOwned: string): string =>
  `(${isOwned} = 1 OR EXISTS (SELECT 1 FROM holds AS h WHERE h.request_id = ${id}))`

/**
 * The parts of a sum about leases. `freed` is what is no longer reserved, `own` what leaves the node's lease, `is_asked` whether somebody
 * waits for a response.
 */
function leaseSums({ table }: Columns, rows: BatchRows, { of, zeros }: { readonly of: LeaseResult['of']; readonly zeros: string }): string {
  const parts = [
    `UNION ALL SELECT id, ${zeros}, give_back, give_back, need, amount, want, used_max, 1
      FROM ${table(askTypes, askLines(rows, of))} AS l (id, need, amount, want, used_max, give_back)`,
  ]
  const tasks = taskLines(rows, of)
  if (tasks.length > 0)
    parts.push(
      `UNION ALL SELECT id, ${zeros}, 0, moved, 0, 0, 0, ${boundless}, 0 FROM ${table(['bigint', 'bigint'], tasks)} AS m (id, moved)`,
    )
  const asides = asideLines(rows, of)
  if (asides.length > 0)
    parts.push(
      `UNION ALL SELECT id, ${zeros}, own - CASE WHEN ${isKept('request_id', 'is_owned')} THEN kept ELSE 0 END, own, 0, 0, 0, ${boundless}, 0
      FROM ${table(['bigint', 'text', 'bigint', 'bigint', 'integer'], asides)} AS s (id, request_id, own, kept, is_owned) WHERE own + kept > 0`,
    )
  return parts.join('\n      ')
}

const leaseTotals = `sum(freed)::bigint AS freed, sum(own)::bigint AS own, max(need) AS need, max(amount) AS asked_amount, max(want) AS want,
      min(used_max) AS used_max, max(is_asked) AS is_asked`

/** What is granted of a pool: nothing if it has less than is needed, else what the request could use, or more up to the node's share. */
function grantOf(nodes: number, unneeded = 'false'): string {
  return `CASE WHEN is_asked = 0 OR pool < need OR pool <= 0 OR ${unneeded} THEN 0 ELSE least(pool, greatest(asked_amount, least(want, pool / ${nodes}))) END`
}

export function changeUsers(columns: Columns, rows: BatchRows, nodes: number): string {
  const sums = `SELECT id, sum(balance)::bigint AS balance, sum(used)::bigint AS used, sum(requests)::bigint AS requests, ${leaseTotals}
    FROM (
      SELECT user_id AS id, CASE WHEN requests = 1 OR condition = ${conditions.isNew} THEN amount ELSE 0 END AS balance,
        -amount * requests AS used, requests, freed_user + leased AS freed, freed_user AS own,
        0 AS need, 0 AS amount, 0 AS want, ${boundless} AS used_max, 0 AS is_asked
      FROM done WHERE requests = 1 OR condition = ${conditions.isNew} OR freed_user + leased > 0
      ${leaseSums(columns, rows, { of: 'user', zeros: '0, 0, 0' })}
    ) AS c GROUP BY id`
  return `users_changed AS (
  ${locked({ table: 'users', sums, values: ', r.quota AS quota_before, r.leased AS leased_before' })}
), users_funded AS MATERIALIZED (
  SELECT *, ${grantOf(nodes)} AS granted
  FROM (SELECT *, quota_before + balance - leased_before + freed AS pool FROM users_changed) AS p
), users_written AS (
  UPDATE users AS u SET quota = ${safeSum('u.quota', 'd.balance')}, used_quota = u.used_quota + d.used, request_count = u.request_count + d.requests,
    leased = u.leased - d.freed + d.granted
  FROM users_funded AS d WHERE u.id = d.id
)`
}

/** Amounts spent before a limit of the same batch count against the old limit. */
export function changeTokens(columns: Columns, rows: BatchRows, { now, nodes }: { readonly now: string; readonly nodes: number }): string {
  const lines = rows.limits.map(({ tokenId, remain, isUnlimited, forms }) => [tokenId, remain, isUnlimited ? 1 : 0, forms])
  const sums = `SELECT id, sum(before)::bigint AS before, sum(after)::bigint AS after, max(used_at) AS used_at, max(remain) AS remain, max(unlimited) AS unlimited,
      max(forms) AS forms, ${leaseTotals}
    FROM (
      SELECT token_id AS id, -amount * (1 - is_after) * requests AS before, -amount * is_after * requests AS after,
        CASE WHEN requests = 1 THEN ${now} END AS used_at, NULL::bigint AS remain, NULL::integer AS unlimited, NULL AS forms,
        freed_token + token_leased AS freed, freed_token AS own, 0 AS need, 0 AS amount, 0 AS want, ${boundless} AS used_max, 0 AS is_asked
      FROM done WHERE requests = 1 OR freed_token + token_leased > 0
      UNION ALL SELECT l.id, 0, 0, NULL, l.remain, l.unlimited, l.forms, 0, 0, 0, 0, 0, ${boundless}, 0
        FROM ${columns.table(['bigint', 'bigint', 'integer', 'text'], lines)} AS l (id, remain, unlimited, forms)
      ${leaseSums(columns, rows, { of: 'token', zeros: '0, 0, NULL, NULL, NULL, NULL' })}
    ) AS c GROUP BY id`
  return `tokens_changed AS (
  ${locked({
    table: 'tokens',
    sums,
    values:
      ', r.unlimited_quota AS unlimited_before, r.remain_quota AS remain_before, r.used_quota AS used_before, r.leased AS leased_before, r.quota_forms AS forms_before',
    before: 'users_changed',
  })}
), tokens_summed AS (
  SELECT *, coalesce(unlimited, unlimited_before) AS unlimited_after, used_before + before + after AS used_after, leased_before - freed AS leased_rest,
    coalesce(remain, CASE unlimited_before WHEN 1 THEN remain_before ELSE remain_before - before END) - CASE unlimited WHEN 1 THEN 0 ELSE after END AS remain_after
  FROM tokens_changed
), tokens_pooled AS (
  SELECT *, CASE unlimited_after WHEN 1 THEN ${boundless} ELSE remain_after - leased_rest END AS remain_pool FROM tokens_summed
), tokens_funded AS MATERIALIZED (
  SELECT *, ${grantOf(nodes, `unlimited_after = 1 AND used_max = ${boundless}`)} AS granted
  FROM (SELECT *, least(remain_pool, used_max - used_after - leased_rest) AS pool FROM tokens_pooled) AS p
), tokens_written AS (
  UPDATE tokens AS t SET used_quota = d.used_after, accessed_time = coalesce(d.used_at, t.accessed_time), unlimited_quota = d.unlimited_after,
    quota_forms = coalesce(d.forms, t.quota_forms), remain_quota = d.remain_after, leased = d.leased_rest + d.granted
  FROM tokens_funded AS d WHERE t.id = d.id
)`
}

/**
 * The node's own leases, and a mark on those of others where a request found too little left. An ask of the node clears the mark on its
 * own lease: the response has what the mark announced.
 */
export function writeLeases({ one }: Columns, epoch: number): string {
  const own = one('bigint', epoch)
  return `leases_changed AS MATERIALIZED (
  SELECT ${leaseOf.user} AS kind, id, granted - own AS change, is_asked, pool < need AS is_short FROM users_funded WHERE is_asked = 1 OR own <> 0
  UNION ALL SELECT ${leaseOf.token}, id, granted - own, is_asked, pool < need FROM tokens_funded WHERE is_asked = 1 OR own <> 0
), leases_written AS (
  INSERT INTO leases AS l (epoch, kind, id, granted, recalled) SELECT ${own}, kind, id, change, 1 - is_asked FROM leases_changed
  ON CONFLICT (epoch, kind, id) DO UPDATE SET granted = l.granted + excluded.granted, recalled = l.recalled * excluded.recalled
), leases_recalled AS (
  UPDATE leases AS l SET recalled = 1 FROM leases_changed AS c
  WHERE c.is_short AND l.kind = c.kind AND l.id = c.id AND l.epoch <> ${own} AND l.granted > 0 RETURNING l.kind, l.id, l.epoch
)`
}

/**
 * A running node responds to a mark within half a second, and its response is a heartbeat. The last ask of a request comes two seconds after
 * its first one, so a node with a heartbeat before this has not given back what it does not use.
 */
const silentMs = 1_500

/** How many other nodes have a recall, and how many of them have sent no heartbeat lately. */
const othersOf = (kind: number): string => `(SELECT count(*) FROM leases_recalled AS r WHERE r.kind = ${kind} AND r.id = d.id),
    (SELECT count(*) FROM leases_recalled AS r LEFT JOIN nodes AS n ON n.epoch = r.epoch AND n.state = 'live'
      AND n.heartbeat_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${silentMs}
      WHERE r.kind = ${kind} AND r.id = d.id AND n.epoch IS NULL)`

/** One array for each ask: what it is of, the id, the grant, what is left, other nodes, and for a token its amounts. */
export const leaseResults = `SELECT json_agg(answer) FROM (
  SELECT json_build_array(${leaseOf.user}, id, granted, pool - granted, ${othersOf(leaseOf.user)},
    quota_before + balance) AS answer FROM users_funded AS d WHERE is_asked = 1
  UNION ALL SELECT json_build_array(${leaseOf.token}, id, granted, pool - granted, ${othersOf(leaseOf.token)},
    remain_after, unlimited_after, used_after, coalesce(forms, forms_before), remain_pool - granted) FROM tokens_funded AS d WHERE is_asked = 1
) AS answers`

export function toLeaseResult(row: readonly unknown[]): LeaseResult {
  const [kind = 0, id = 0, granted = 0, pool = 0, recalled = 0, silent = 0] = row.map(Number)
  const common = { id, granted, pool, recalled, silent }
  if (kind === leaseOf.user) return { ...common, of: 'user', balance: Number(row[6]), limit: null, remainPool: pool }
  const limit = { remain: Number(row[6]), isUnlimited: row[7] === 1, used: Number(row[8]), forms: String(row[9]) }
  return { ...common, of: 'token', balance: 0, limit, remainPool: Number(row[10]) }
}

/** Locks and reads an account or a token. */
export function lockOf(of: LeaseResult['of'], id: number): Query {
  const text =
    of === 'user'
      ? 'SELECT quota FROM users WHERE id = $1 FOR NO KEY UPDATE'
      : 'SELECT remain_quota, unlimited_quota, used_quota, quota_forms FROM tokens WHERE id = $1 FOR NO KEY UPDATE'
  return { text, parameters: [id] }
}

/** Asks all nodes for their leases of a locked row. */
export function recallOf(of: LeaseResult['of'], id: number): Query {
  return { text: 'UPDATE leases SET recalled = 1 WHERE kind = $1 AND id = $2', parameters: [leaseOf[of], id] }
}

/** Key columns of the rows whose amounts a batch changes. */
const keys = { users: 'id', tokens: 'id', channel_usage: 'channel_id' } as const

interface Locked {
  readonly table: keyof typeof keys
  readonly sums: string
  /** More columns of the locked rows. */
  readonly values?: string
  readonly before?: 'users_changed' | 'tokens_changed'
}

/**
 * Locks the rows to be changed in the order of their ids, after those of `before`. Without it, the parts of a statement run in any order,
 * and a concurrent change of an account and its tokens could deadlock with it. The values are those of the locked rows.
 */
export function locked({ table, sums, values = '', before }: Locked): string {
  const isNext = before === undefined ? '' : `WHERE (SELECT count(*) FROM ${before}) >= 0`
  return `SELECT s.*${values} FROM (${sums}) AS s JOIN ${table} AS r ON r.${keys[table]} = s.id ${isNext} ORDER BY s.id FOR NO KEY UPDATE OF r`
}
