import type { Statement } from '../db/ledger-connection.ts'
import { type BatchRows, conditions } from './batch-rows.ts'
import { logOf, taskEndOf } from './commit.ts'
import type { StoredQuota } from './ledger-store.ts'
import type { LogEntry } from './log-entry.ts'
import { type Columns, createColumns, type Line, repeat } from './postgres-columns.ts'
import { changeTokens, changeUsers, hasLeases, leaseResults, locked, writeLeases } from './postgres-lease-queries.ts'
import { endedAsides, writeAsides } from './postgres-set-aside.ts'
import { logColumns, logValues } from './queries.ts'
import { newTaskColumns, newTaskValues } from './task-rows.ts'

interface BatchTime {
  readonly nowSeconds: number
  /** The node's. */
  readonly epoch: number
  /** Running nodes, which share what is left of a balance. */
  readonly nodes: number
}

/** The parts of the statement that a batch needs; each writes its own tables. */
export function batchStatement(rows: BatchRows, { nowSeconds, epoch, nodes }: BatchTime): Statement {
  const columns = createColumns()
  const { opened, marks, operationRows, limits, asks, asides } = rows
  const changes = operationRows.length + limits.length + asks.length + asides.length
  const hasMoney = changes > 0 || opened.some(({ request }) => request.task !== undefined)
  const logs = operationRows.flatMap(({ place, operation }) => logLine(place, logOf(operation)))
  const parts = [
    opened.length > 0 ? open(columns, opened, { nowSeconds, epoch }) : null,
    begunTasks(columns, rows, { nowSeconds, epoch }),
    marks.length > 0 ? mark(columns, marks) : null,
    hasMoney ? move(columns, rows, { nowSeconds, epoch, nodes }) : null,
    endedTasks(columns, rows, nowSeconds),
    endedAsides(columns, rows, nowSeconds),
    asides.length > 0 ? writeAsides(columns, asides, nowSeconds) : null,
    logs.length > 0 ? writeLogs(columns, logs) : null,
  ]
  return {
    parts: parts.filter((part) => part !== null).join(',\n'),
    response: !hasMoney ? "''" : asks.length === 0 ? undone : `json_build_object('undone', (${undone}), 'leases', (${leaseResults}))::text`,
    parameters: columns.parameters,
  }
}

/** Indexes of the operations without effect. */
const undone = "SELECT coalesce(string_agg(place::text, ' '), '') FROM asked WHERE place NOT IN (SELECT place FROM done)"

/** The reservation of a task belongs to no node: its quota leaves the node's leases and stays reserved by the row itself. */
function open({ table }: Columns, opened: BatchRows['opened'], { nowSeconds, epoch }: Omit<BatchTime, 'nodes'>): string {
  const lines = opened.map(({ request, mark: noted }) => [
    request.requestId,
    request.userId,
    request.tokenId,
    request.amount,
    request.modelName,
    nowSeconds,
    ...(request.task === undefined ? ['', epoch, 0, 0] : [request.task.public_id, 0, request.amount, request.ofToken ?? 0]),
    ...(noted === null ? [0, 0, 0, 0] : [noted.amount, noted.channelId, noted.promptTokens, noted.completionTokens]),
  ])
  const types = ['text', ...repeat('bigint', 3), 'text', 'bigint', 'text', ...repeat('bigint', 7)]
  return `opened AS (
  INSERT INTO holds (request_id, user_id, token_id, amount, model_name, created_at, task_id, epoch, leased, token_leased, delivered_quota, channel_id, prompt_tokens, completion_tokens)
  SELECT * FROM ${table(types, lines)} AS l
)`
}

/** Tasks that begin with their reservations. */
function begunTasks(columns: Columns, { opened }: BatchRows, { nowSeconds, epoch }: Omit<BatchTime, 'nodes'>): string | null {
  const begun = opened.flatMap(({ request: { task, userId, tokenId, requestId, amount } }) =>
    task === undefined ? [] : [[userId, tokenId, requestId, amount, nowSeconds, epoch, ...newTaskValues(task)]],
  )
  return begun.length > 0 ? beginTasks(columns, begun) : null
}

/** Tasks that end with their reservations. The statement must have decided before which of them do. */
function endedTasks(columns: Columns, { operationRows }: BatchRows, nowSeconds: number): string | null {
  const ended = operationRows.flatMap(({ place, operation }) => {
    const end = taskEndOf(operation)
    if (end === null) return []
    const { publicId, state, progress, resultSealed, errorCode, errorMessage, expiresAt, charged } = end
    return [[place, publicId, state, progress, resultSealed, errorCode, errorMessage, expiresAt, charged, nowSeconds]]
  })
  return ended.length > 0 ? endTasks(columns, ended) : null
}

function beginTasks({ table }: Columns, lines: readonly Line[]): string {
  const types = (lines[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  return `tasks_begun AS (
  INSERT INTO tasks (user_id, token_id, request_id, held, created_at, epoch, ${newTaskColumns.join(', ')}) SELECT * FROM ${table(types, lines)} AS l
)`
}

function endTasks({ table }: Columns, lines: readonly Line[]): string {
  const types = (lines[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  return `tasks_over AS (
  UPDATE tasks AS t SET state = e.state, stage = 'ended', progress = e.progress, result_sealed = e.result, error_code = e.code,
    error_message = e.message, expires_at = e.expires_at, charged = e.charged, ended_at = e.ended_at, next_poll_ms = NULL
  FROM ${table(types, lines)} AS e (place, id, state, progress, result, code, message, expires_at, charged, ended_at)
  WHERE t.public_id = e.id AND e.place IN (SELECT place FROM done)
)`
}

function mark({ table }: Columns, marks: BatchRows['marks']): string {
  const lines = marks.map((noted) => [noted.requestId, noted.amount, noted.channelId, noted.promptTokens, noted.completionTokens])
  return `marked AS (
  UPDATE holds AS h SET delivered_quota = m.quota, channel_id = m.channel_id, prompt_tokens = m.prompt, completion_tokens = m.completion
  FROM ${table(['text', ...repeat('bigint', 4)], lines)} AS m (id, quota, channel_id, prompt, completion)
  WHERE h.request_id = m.id
)`
}

const operationTypes = [
  'integer',
  'integer',
  'text',
  'text',
  ...repeat('bigint', 3),
  'text',
  'bigint',
  'bigint',
  'integer',
  'bigint',
  'bigint',
]
const { always, ends, isNew } = conditions

function move(columns: Columns, rows: BatchRows, { nowSeconds, epoch, nodes }: BatchTime): string {
  const now = columns.one('bigint', nowSeconds)
  const parts = [decide(columns, rows, now), changeUsers(columns, rows, nodes), changeTokens(columns, rows, { now, nodes })]
  if (hasLeases(rows)) parts.push(writeLeases(columns, epoch))
  return [...parts, changeChannels, changeAccounts].join(',\n')
}

/** Ends reservations and writes entries for those that ended. `done` has the operations that took effect; balances follow it. */
function decide({ table }: Columns, { operationRows }: BatchRows, now: string): string {
  const lines = operationRows.map(({ place, condition, entry: e, requests, isAfterLimit, freed }) => [
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
    freed.user,
    freed.token,
  ])
  return `asked AS MATERIALIZED (
  SELECT * FROM ${table(operationTypes, lines)}
    AS a (place, condition, kind, ref, user_id, token_id, channel_id, account, amount, requests, is_after, freed_user, freed_token)
), deleted AS (
  DELETE FROM holds AS h USING asked AS a WHERE h.request_id = a.ref AND a.condition = ${ends} RETURNING a.place, h.leased, h.token_leased
), ended AS MATERIALIZED (
  SELECT a.*, 0::bigint AS leased, 0::bigint AS token_leased FROM asked AS a WHERE a.condition = ${always}
  UNION ALL SELECT a.*, d.leased, d.token_leased FROM asked AS a JOIN deleted AS d ON d.place = a.place
), entered AS (
  INSERT INTO ledger (kind, ref, user_id, token_id, channel_id, account, amount, created_at)
  SELECT e.kind, e.ref, e.user_id, e.token_id, e.channel_id, e.account, e.amount, ${now} FROM (
    SELECT place, kind, ref, user_id, token_id, channel_id, account, amount FROM ended WHERE kind <> ''
    UNION ALL SELECT place, kind, ref, user_id, token_id, channel_id, account, amount FROM asked WHERE condition = ${isNew}
  ) AS e ORDER BY e.place
  ON CONFLICT (ref, kind) DO NOTHING RETURNING kind, ref
), done AS MATERIALIZED (
  SELECT * FROM ended
  UNION ALL SELECT a.*, 0, 0 FROM asked AS a WHERE a.condition = ${isNew} AND (a.kind, a.ref) IN (SELECT kind, ref FROM entered)
)`
}

const changeChannels = `channels_changed AS (
  ${locked({
    table: 'channel_usage',
    sums: 'SELECT channel_id AS id, sum(-amount)::bigint AS amount FROM done WHERE requests = 1 AND amount < 0 GROUP BY channel_id',
    before: 'tokens_changed',
  })}
), channels_written AS (
  UPDATE channel_usage AS c SET used_quota = c.used_quota + d.amount FROM channels_changed AS d WHERE c.channel_id = d.id
)`

/** The other side of the entries. Every node changes these rows, so their locks come last, after those of the channels, and are held shortest. */
const changeAccounts = `accounts_written AS (
  INSERT INTO ledger_accounts AS a (name, balance)
  SELECT account, -sum(amount)::bigint FROM done WHERE kind <> '' AND (SELECT count(*) FROM channels_changed) >= 0
  GROUP BY account ORDER BY account
  ON CONFLICT (name) DO UPDATE SET balance = a.balance + excluded.balance
)`

const logLine = (place: number, log: LogEntry | null): readonly Line[] => (log === null ? [] : [[place, ...logValues(log)]])

function writeLogs({ table }: Columns, lines: readonly Line[]): string {
  const types = (lines[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'))
  return `logged AS (
  INSERT INTO logs (${logColumns})
  SELECT ${logColumns} FROM ${table(types, lines)} AS l (place, ${logColumns})
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
