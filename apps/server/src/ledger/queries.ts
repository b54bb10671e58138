import type { Database as SqliteFile } from 'bun:sqlite'
import type { Db } from '../db/connect.ts'
import type { EndedTask, EntryRow, ProgressMark, TokenLimit, UserChange } from './commit.ts'
import { type ExactSum, safeSum } from './exact-sum.ts'
import type { HoldRequest, Resolution } from './ledger.ts'
import type { StoredQuota } from './ledger-store.ts'
import type { LogEntry } from './log-entry.ts'
import { type SetAside, setAsideHold } from './set-aside-row.ts'
import { newTaskColumns, newTaskValues } from './task-rows.ts'

/** The statements of a batch, prepared once per connection. `sqlite-ledger-store.ts` defines their order. */
export interface LedgerStatements {
  readonly insertHold: (request: HoldRequest, createdAt: number) => void
  /** `false`: there was none, so the request is already resolved. */
  readonly deleteHold: (requestId: string) => boolean
  readonly endTask: (task: EndedTask, endedAt: number) => void
  /** No effect if the reservation has ended. */
  readonly markHold: (mark: ProgressMark) => void
  /** `false`: an entry of this kind and ref exists. */
  readonly insertEntry: (entry: EntryRow, createdAt: number) => boolean
  /** Fails where the balance would be beyond the largest safe integer. */
  readonly addToUser: (userId: number, change: UserChange) => void
  readonly spendToken: (tokenId: number, amount: ExactSum, accessedTime: number) => void
  readonly setToken: (limit: TokenLimit) => void
  readonly addToChannel: (channelId: number, amount: ExactSum) => void
  /** Fails where the balance would not be a whole number of 64 bits any more, instead of rounding it. */
  readonly addToAccount: (name: string, amount: ExactSum) => void
  readonly insertLog: (log: LogEntry) => void
  readonly setAside: (aside: SetAside, createdAt: number) => void
  readonly resolveSetAside: (resolution: Resolution, resolvedAt: number) => void
}

export const logColumns =
  'user_id, created_at, type, content, username, token_name, model_name, upstream_model, quota, prompt_tokens, completion_tokens, cached_tokens, channel_id, request_id, elapsed_ms, first_byte_ms, is_stream, attempts, end_reason, estimated, usage_suspect, cost, served, detail'

export function logValues(log: LogEntry): readonly (string | number | null)[] {
  return [
    log.userId,
    log.createdAt,
    log.type,
    log.content,
    log.username,
    log.tokenName,
    log.modelName,
    log.upstreamModel,
    log.quota,
    log.promptTokens,
    log.completionTokens,
    log.cachedTokens,
    log.channelId,
    log.requestId,
    log.elapsedMs,
    log.firstByteMs,
    log.isStream ? 1 : 0,
    log.attempts,
    log.endReason,
    log.isEstimated ? 1 : 0,
    log.isUsageSuspect ? 1 : 0,
    log.cost,
    log.isServed === null ? null : Number(log.isServed),
    log.detail,
  ]
}

export const setAsideColumns =
  'request_id, user_id, token_id, kind, amount, held, task_id, operation, error_code, error_message, created_at'

export function setAsideValues(aside: SetAside, createdAt: number): readonly (string | number)[] {
  const { requestId, userId, tokenId, kind, amount, held, taskId, operation, errorCode, errorMessage } = aside
  return [requestId, userId, tokenId, kind, amount, held, taskId, operation, errorCode, errorMessage, createdAt]
}

/** A retry that the store refused as well. */
export const setAsideAgain = `ON CONFLICT (request_id) DO UPDATE SET tries = ledger_set_aside.tries + 1, decision = '',
      error_code = excluded.error_code, error_message = excluded.error_message`

export function prepareLedger(file: SqliteFile): LedgerStatements {
  const insertHold = file.prepare(
    'INSERT INTO holds (request_id, user_id, token_id, amount, model_name, created_at, task_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const insertTask = file.prepare(
    `INSERT INTO tasks (user_id, token_id, request_id, held, created_at, ${newTaskColumns.join()}) VALUES (?, ?, ?, ?, ?${', ?'.repeat(newTaskColumns.length)})`,
  )
  const endTask = file.prepare(
    `UPDATE tasks SET state = ?, stage = 'ended', progress = ?, result_sealed = ?, error_code = ?, error_message = ?, expires_at = ?, charged = ?,
      ended_at = ?, next_poll_ms = NULL WHERE public_id = ?`,
  )
  const deleteHold = file.prepare('DELETE FROM holds WHERE request_id = ?')
  const markHold = file.prepare(
    'UPDATE holds SET delivered_quota = ?, channel_id = ?, prompt_tokens = ?, completion_tokens = ? WHERE request_id = ?',
  )
  const insertEntry = file.prepare(
    'INSERT INTO ledger (kind, ref, user_id, token_id, channel_id, account, amount, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (ref, kind) DO NOTHING',
  )
  const addToUser = file.prepare(
    `UPDATE users SET quota = ${safeSum('quota', '?1')}, used_quota = used_quota + ?2, request_count = request_count + ?3 WHERE id = ?4`,
  )
  const spendToken = file.prepare(
    'UPDATE tokens SET remain_quota = CASE unlimited_quota WHEN 1 THEN remain_quota ELSE remain_quota - ?1 END, used_quota = used_quota + ?1, accessed_time = ?2 WHERE id = ?3',
  )
  const setToken = file.prepare('UPDATE tokens SET remain_quota = ?, unlimited_quota = ?, quota_forms = ? WHERE id = ?')
  const addToChannel = file.prepare('UPDATE channel_usage SET used_quota = used_quota + ? WHERE channel_id = ?')
  const addToAccount = file.prepare(
    `INSERT INTO ledger_accounts (name, balance) VALUES (?1, ?2)
      ON CONFLICT (name) DO UPDATE SET balance = CASE typeof(balance + ?2) WHEN 'integer' THEN balance + ?2 END`,
  )
  const insertLog = file.prepare(`INSERT INTO logs (${logColumns}) VALUES (${logColumns.replace(/\w+/g, '?')})`)

  const keepHold = file.prepare(
    `INSERT INTO holds (request_id, user_id, token_id, amount, model_name, created_at, task_id) VALUES (?, ?, ?, ?, '', ?, '${setAsideHold}')
      ON CONFLICT (request_id) DO UPDATE SET task_id = CASE task_id WHEN '' THEN '${setAsideHold}' ELSE task_id END`,
  )
  const setAside = file.prepare(
    `INSERT INTO ledger_set_aside (${setAsideColumns}) VALUES (${setAsideColumns.replace(/\w+/g, '?')}) ${setAsideAgain}`,
  )
  const stopPolling = file.prepare("UPDATE tasks SET next_poll_ms = NULL WHERE public_id = ? AND stage <> 'ended'")
  const resolveSetAside = file.prepare(
    'UPDATE ledger_set_aside SET state = ?, charged = ?, resolved_by = ?, remark = ?, resolved_at = ? WHERE id = ?',
  )

  return {
    insertHold({ requestId, userId, tokenId, amount, modelName, task }, createdAt) {
      insertHold.run(requestId, userId, tokenId, amount, modelName, createdAt, task?.public_id ?? '')
      if (task !== undefined) insertTask.run(userId, tokenId, requestId, amount, createdAt, ...newTaskValues(task))
    },
    endTask: ({ publicId, state, progress, resultSealed, errorCode, errorMessage, expiresAt, charged }, endedAt) =>
      void endTask.run(state, progress, resultSealed, errorCode, errorMessage, expiresAt, charged, endedAt, publicId),
    deleteHold: (requestId) => deleteHold.run(requestId).changes === 1,
    markHold: (mark) => void markHold.run(mark.amount, mark.channelId, mark.promptTokens, mark.completionTokens, mark.requestId),
    insertEntry: (row, createdAt) =>
      insertEntry.run(row.kind, row.ref, row.userId, row.tokenId, row.channelId, row.account, row.amount, createdAt).changes === 1,
    addToUser: (userId, change) => void addToUser.run(change.balance, change.used, change.requests, userId),
    spendToken: (tokenId, amount, accessedTime) => void spendToken.run(amount, accessedTime, tokenId),
    setToken: ({ tokenId, remain, isUnlimited, forms }) => void setToken.run(remain, isUnlimited ? 1 : 0, forms, tokenId),
    addToChannel: (channelId, amount) => void addToChannel.run(amount, channelId),
    addToAccount: (name, amount) => void addToAccount.run(name, amount),
    insertLog: (log) => void insertLog.run(...logValues(log)),
    setAside(aside, createdAt) {
      const { requestId, userId, tokenId, held, taskId } = aside
      keepHold.run(requestId, userId, tokenId, held, createdAt)
      setAside.run(...setAsideValues(aside, createdAt))
      stopPolling.run(taskId)
    },
    resolveSetAside: ({ id, state, charged, by, remark }, resolvedAt) =>
      void resolveSetAside.run(state, charged, by, remark, resolvedAt, id),
  }
}

export function readBalance(file: SqliteFile, userId: number): number | null {
  return file.query<{ quota: number }, [number]>('SELECT quota FROM users WHERE id = ?').get(userId)?.quota ?? null
}

export function readTokenQuota(file: SqliteFile, tokenId: number): StoredQuota['limit'] {
  const row = file
    .query<{ remain_quota: number; unlimited_quota: number; used_quota: number; quota_forms: string }, [number]>(
      'SELECT remain_quota, unlimited_quota, used_quota, quota_forms FROM tokens WHERE id = ?',
    )
    .get(tokenId)
  if (row === null) return null
  return { remain: row.remain_quota, isUnlimited: row.unlimited_quota === 1, used: row.used_quota, forms: row.quota_forms }
}

/** Reservations of a crashed process, with the data for their log rows. */
export async function readOpenHolds(db: Db) {
  return await db
    .selectFrom('holds')
    .leftJoin('users', 'users.id', 'holds.user_id')
    .leftJoin('tokens', 'tokens.id', 'holds.token_id')
    .selectAll('holds')
    .select(['users.username', 'tokens.name as token_name'])
    .orderBy('holds.request_id')
    .execute()
}
