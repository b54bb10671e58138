import type { Statement } from '../db/ledger-connection.ts'
import { type BatchRows, conditions } from './batch-rows.ts'
import { logOf, taskEndOf } from './commit.ts'
import type { StoredQuota } from './ledger-store.ts'
import type { LogEntry } from './log-entry.ts'
import { logColumns, logValues } from './queries.ts'
import { newTaskColumns, newTaskValues } from './task-rows.ts'

type Value = string | number
type Line = readonly Value[]

/** Passes rows as one array per column, so that the statement's text does not depend on the number of rows. */
function createColumns() {
  const parameters: (Value | readonly Value[])[] = []
  return {
    parameters,
    one: (type: string, value: Value): string => `$${parameters.push(value)}::${type}`,
    /** `types`: one per column. */
    unnest(types: readonly string[], lines: readonly Line[]): string {
      const columns = types.map((type, index) => `$${parameters.push(lines.map((line) => line[index] ?? ''))}::${type}[]`)
      return `unnest(${columns.join(', ')})`
    },
  }
}

type Columns = ReturnType<typeof createColumns>
const repeat = (type: string, count: number): string[] => Array.from({ length: count }, () => type)

/** The parts of the statement that a batch needs; each writes its own tables. */
export function batchStatement(rows: BatchRows, nowSeconds: number): Statement {
  const columns = createColumns()
  const { opened, marks, asked, limits } = rows
  const hasMoney = asked.length > 0 || limits.length > 0
  const logs = asked.flatMap(({ place, operation }) => logLine(place, logOf(operation)))
  const parts = [
    opened.length > 0 ? open(columns, opened, nowSeconds) : null,
    begunTasks(columns, rows, nowSeconds),
    marks.length > 0 ? mark(columns, marks) : null,
    hasMoney ? move(columns, rows, nowSeconds) : null,
    endedTasks(columns, rows, nowSeconds),
    logs.length > 0 ? writeLogs(columns, logs) : null,
  ]
  return {
    parts: parts.filter((part) => part !== null).join(',\n'),
    answer: hasMoney ? undone : "''",
    parameters: columns.parameters,
  }
}

/** Indexes of the operations without effect. */
const undone = "SELECT coalesce(string_agg(place::text, ' '), '') FROM asked WHERE place NOT IN (SELECT place FROM done)"

function open({ unnest }: Columns, opened: BatchRows['opened'], createdAt: number): string {
  const lines = opened.map(({ request, mark: noted }) => [
    request.requestId,
    request.userId,
    request.tokenId,
    request.amount,
    request.modelName,
    createdAt,
    request.task?.public_id ?? '',
    ...(noted === null ? [0, 0, 0, 0] : [noted.amount, noted.channelId, noted.promptTokens, noted.completionTokens]),
  ])
  return `opened AS (
  INSERT INTO holds (request_id, user_id, token_id, amount, model_name, created_at, task_id, delivered_quota, channel_id, prompt_tokens, completion_tokens)
  SELECT * FROM ${unnest(['text', ...repeat('bigint', 3), 'text', 'bigint', 'text', ...repeat('bigint', 4)], lines)}
)`
}

/** Tasks that begin with their reservations. */
function begunTasks(columns: Columns, { opened }: BatchRows, nowSeconds: number): string | null {
  const begun = opened.flatMap(({ request: { task, userId, tokenId, requestId, amount } }) =>
    task === undefined ? [] : [[userId, tokenId, requestId, amount, nowSeconds, ...newTaskValues(task)]],
  )
  return begun.length > 0 ? beginTasks(columns, begun) : null
}

/** Tasks that end with their reservations. The statement must have decided before which of them do. */
function endedTasks(columns: Columns, { asked }: BatchRows, nowSeconds: number): string | null {
  const ended = asked.flatMap(({ place, operation }) => {
    const end = taskEndOf(operation)
    if (end === null) return []
    const { publicId, state, progress, resultSealed, errorCode, errorMessage, expiresAt, charged } = end
    return [[place, publicId, state, progress, resultSealed, errorCode, errorMessage, expiresAt, charged, nowSeconds]]
  })
  return ended.length > 0 ? endTasks(columns, ended) : null
}

function beginTasks({ unnest }: Columns, lines: readonly Line[]): string {
  const types = (lines[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  return `tasks_begun AS (
  INSERT INTO tasks (user_id, token_id, request_id, held, created_at, ${newTaskColumns.join(', ')}) SELECT * FROM ${unnest(types, lines)}
)`
}

function endTasks({ unnest }: Columns, lines: readonly Line[]): string {
  const types = (lines[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  return `tasks_over AS (
  UPDATE tasks AS t SET state = e.state, stage = 'ended', progress = e.progress, result_sealed = e.result, error_code = e.code,
    error_message = e.message, expires_at = e.expires_at, charged = e.charged, ended_at = e.ended_at, next_poll_ms = NULL
  FROM ${unnest(types, lines)} AS e (place, id, state, progress, result, code, message, expires_at, charged, ended_at)
  WHERE t.public_id = e.id AND e.place IN (SELECT place FROM done)
)`
}

function mark({ unnest }: Columns, marks: BatchRows['marks']): string {
  const lines = marks.map((noted) => [noted.requestId, noted.amount, noted.channelId, noted.promptTokens, noted.completionTokens])
  return `marked AS (
  UPDATE holds AS h SET delivered_quota = m.quota, channel_id = m.channel_id, prompt_tokens = m.prompt, completion_tokens = m.completion
  FROM ${unnest(['text', ...repeat('bigint', 4)], lines)} AS m (id, quota, channel_id, prompt, completion)
  WHERE h.request_id = m.id
)`
}

const askedTypes = ['integer', 'integer', 'text', 'text', ...repeat('bigint', 3), 'text', 'bigint', 'bigint', 'integer']
const { always, ends, isNew } = conditions

function move(columns: Columns, { asked, limits }: BatchRows, nowSeconds: number): string {
  const now = columns.one('bigint', nowSeconds)
  return [decide(columns, asked, now), changeUsers, changeTokens(columns, limits, now), changeChannels, changeAccounts].join(',\n')
}

/** Ends reservations and writes entries for those that ended. `done` has the operations that took effect; balances follow it. */
function decide({ unnest }: Columns, asked: BatchRows['asked'], now: string): string {
  const lines = asked.map(({ place, condition, entry: e, requests, isAfterLimit }) => [
    place,
    condition,
    e.kind,
    e.ref,
    e.userId,
    e.tokenId,
    e.channelId,
    e.account,
    e.amount,
    requests,
    isAfterLimit ? 1 : 0,
  ])
  return `asked AS MATERIALIZED (
  SELECT * FROM ${unnest(askedTypes, lines)}
    AS a (place, condition, kind, ref, user_id, token_id, channel_id, account, amount, requests, is_after)
), deleted AS (
  DELETE FROM holds AS h USING asked AS a WHERE h.request_id = a.ref AND a.condition = ${ends} RETURNING a.place
), ended AS MATERIALIZED (
  SELECT * FROM asked WHERE condition = ${always} OR condition = ${ends} AND place IN (SELECT place FROM deleted)
), entered AS (
  INSERT INTO ledger (kind, ref, user_id, token_id, channel_id, account, amount, created_at)
  SELECT e.kind, e.ref, e.user_id, e.token_id, e.channel_id, e.account, e.amount, ${now} FROM (
    SELECT * FROM ended WHERE kind <> '' UNION ALL SELECT * FROM asked WHERE condition = ${isNew}
  ) AS e ORDER BY e.place
  ON CONFLICT (ref, kind) DO NOTHING RETURNING kind, ref
), done AS MATERIALIZED (
  SELECT * FROM asked WHERE place IN (SELECT place FROM ended) OR condition = ${isNew} AND (kind, ref) IN (SELECT kind, ref FROM entered)
)`
}

/** Key columns of the rows whose amounts a batch changes. */
const keys = { users: 'id', tokens: 'id', channel_usage: 'channel_id' } as const

const changeUsers = `users_changed AS (
  ${locked(
    'users',
    `SELECT user_id AS id, sum(amount)::bigint AS balance, sum(-amount * requests)::bigint AS used, sum(requests)::bigint AS requests
    FROM done WHERE requests = 1 OR condition = ${isNew} GROUP BY user_id`,
  )}
), users_written AS (
  UPDATE users AS u SET quota = u.quota + d.balance, used_quota = u.used_quota + d.used, request_count = u.request_count + d.requests
  FROM users_changed AS d WHERE u.id = d.id
)`

/** Amounts spent before a limit of the same batch count against the old limit. */
function changeTokens({ unnest }: Columns, limits: BatchRows['limits'], now: string): string {
  const lines = limits.map(({ tokenId, remain, isUnlimited, forms }) => [tokenId, remain, isUnlimited ? 1 : 0, forms])
  const sums = `SELECT id, sum(before)::bigint AS before, sum(after)::bigint AS after, max(used_at) AS used_at, max(remain) AS remain, max(unlimited) AS unlimited,
      max(forms) AS forms
    FROM (
      SELECT token_id AS id, -amount * (1 - is_after) AS before, -amount * is_after AS after, ${now} AS used_at, NULL AS remain, NULL AS unlimited,
        NULL AS forms
      FROM done WHERE requests = 1
      UNION ALL SELECT l.id, 0, 0, NULL, l.remain, l.unlimited, l.forms
        FROM ${unnest(['bigint', 'bigint', 'integer', 'text'], lines)} AS l (id, remain, unlimited, forms)
    ) AS c GROUP BY id`
  return `tokens_changed AS (
  ${locked('tokens', sums, 'users_changed')}
), tokens_written AS (
  UPDATE tokens AS t SET used_quota = t.used_quota + d.before + d.after, accessed_time = coalesce(d.used_at, t.accessed_time),
    unlimited_quota = coalesce(d.unlimited, t.unlimited_quota), quota_forms = coalesce(d.forms, t.quota_forms),
    remain_quota = coalesce(d.remain, CASE t.unlimited_quota WHEN 1 THEN t.remain_quota ELSE t.remain_quota - d.before END)
      - CASE d.unlimited WHEN 1 THEN 0 ELSE d.after END
  FROM tokens_changed AS d WHERE t.id = d.id
)`
}

const changeChannels = `channels_changed AS (
  ${locked(
    'channel_usage',
    'SELECT channel_id AS id, sum(-amount)::bigint AS amount FROM done WHERE requests = 1 AND amount < 0 GROUP BY channel_id',
    'tokens_changed',
  )}
), channels_written AS (
  UPDATE channel_usage AS c SET used_quota = c.used_quota + d.amount FROM channels_changed AS d WHERE c.channel_id = d.id
)`

/** The other side of the entries. Only the ledger writes these rows, so their locks come last and never wait. */
const changeAccounts = `accounts_written AS (
  INSERT INTO ledger_accounts AS a (name, balance)
  SELECT account, -sum(amount)::bigint FROM done WHERE kind <> '' GROUP BY account ORDER BY account
  ON CONFLICT (name) DO UPDATE SET balance = a.balance + excluded.balance
)`

/**
 * Locks the rows to be changed in the order of their ids, after those of `before`. Without it, the parts of a statement run in any order,
 * and a concurrent change of an account and its tokens could deadlock with it.
 */
function locked(table: keyof typeof keys, sums: string, before?: 'users_changed' | 'tokens_changed'): string {
  const isNext = before === undefined ? '' : `WHERE (SELECT count(*) FROM ${before}) >= 0`
  return `SELECT s.* FROM (${sums}) AS s JOIN ${table} AS r ON r.${keys[table]} = s.id ${isNext} ORDER BY s.id FOR NO KEY UPDATE OF r`
}

const logLine = (place: number, log: LogEntry | null): readonly Line[] => (log === null ? [] : [[place, ...logValues(log)]])

function writeLogs({ unnest }: Columns, lines: readonly Line[]): string {
  const types = (lines[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  return `logged AS (
  INSERT INTO logs (${logColumns})
  SELECT ${logColumns} FROM ${unnest(types, lines)} AS l (place, ${logColumns})
  WHERE l.place IN (SELECT place FROM done) ORDER BY l.place
)`
}

/** Returns one row even if user or token is missing. */
export const quotaText = `SELECT u.quota, t.remain_quota, t.unlimited_quota, t.used_quota, t.quota_forms
FROM (SELECT 1) AS one LEFT JOIN users AS u ON u.id = $1 LEFT JOIN tokens AS t ON t.id = $2`

export function toQuota(row: Readonly<Record<string, unknown>> = {}): StoredQuota {
  const { quota = null, remain_quota: remain = null, unlimited_quota: unlimited, used_quota: used, quota_forms: forms } = row
  return {
    balance: quota === null ? null : Number(quota),
    limit: remain === null ? null : { remain: Number(remain), isUnlimited: unlimited === 1, used: Number(used), forms: String(forms) },
  }
}
