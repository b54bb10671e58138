import type { Run } from '../db/money-line.ts'
import type { EntryRow, Mark, TokenLimit, UserChange } from './commit.ts'
import type { HoldRequest } from './ledger.ts'
import type { StoredQuota } from './ledger-store.ts'
import type { LogEntry } from './log-entry.ts'
import { logColumns, logValues } from './queries.ts'

// Each statement takes its rows as one array a column, so that its text is the same for one row and for a thousand.

type Value = string | number

function columns(lines: readonly (readonly Value[])[]): readonly (readonly Value[])[] {
  return (lines[0] ?? []).map((_, column) => lines.map((line) => line[column] ?? ''))
}

export async function insertHolds(run: Run, requests: readonly HoldRequest[], createdAt: number): Promise<void> {
  const rows = requests.map(({ requestId, userId, tokenId, amount, modelName }) => [requestId, userId, tokenId, amount, modelName])
  await run(
    `INSERT INTO holds (request_id, user_id, token_id, amount, model_name, created_at)
     SELECT h.*, $6::bigint FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS h`,
    [...columns(rows), createdAt],
  )
}

/** @returns ids of those that were still open */
export async function deleteHolds(run: Run, requestIds: readonly string[]): Promise<Set<unknown>> {
  const rows = await run('DELETE FROM holds WHERE request_id = ANY($1::text[]) RETURNING request_id', [requestIds])
  return new Set(rows.map((row) => row['request_id']))
}

/** No reservation has two notes in one batch. */
export async function markHolds(run: Run, marks: readonly Mark[]): Promise<void> {
  const rows = marks.map((mark) => [mark.requestId, mark.amount, mark.channelId, mark.promptTokens, mark.completionTokens])
  await run(
    `UPDATE holds AS h SET delivered_quota = d.quota, channel_id = d.channel_id, prompt_tokens = d.prompt, completion_tokens = d.completion
     FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS d (id, quota, channel_id, prompt, completion)
     WHERE h.request_id = d.id`,
    columns(rows),
  )
}

/** @returns `nameOfEntry` of those that are new */
export async function insertEntries(run: Run, entries: readonly EntryRow[], createdAt: number): Promise<Set<unknown>> {
  const rows = entries.map((row) => [row.kind, row.ref, row.userId, row.tokenId, row.channelId, row.account, row.amount])
  const made = await run(
    `INSERT INTO ledger (kind, ref, user_id, token_id, channel_id, account, amount, created_at)
     SELECT e.*, $8::bigint FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[]) AS e
     ON CONFLICT (ref, kind) DO NOTHING RETURNING kind || ' ' || ref AS name`,
    [...columns(rows), createdAt],
  )
  return new Set(made.map(({ name }) => name))
}

/** A kind is one word. */
export const nameOfEntry = ({ kind, ref }: EntryRow): string => `${kind} ${ref}`

export async function addToUsers(run: Run, changes: ReadonlyMap<number, UserChange>): Promise<void> {
  const rows = [...changes].map(([id, { balance, used, requests }]) => [id, balance, used, requests])
  await run(
    `UPDATE users AS u SET quota = u.quota + d.balance, used_quota = u.used_quota + d.used, request_count = u.request_count + d.requests
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS d (id, balance, used, requests) WHERE u.id = d.id`,
    columns(rows),
  )
}

export async function spendTokens(run: Run, spent: ReadonlyMap<number, number>, accessedTime: number): Promise<void> {
  await run(
    `UPDATE tokens AS t SET used_quota = t.used_quota + d.amount, accessed_time = $3,
       remain_quota = CASE t.unlimited_quota WHEN 1 THEN t.remain_quota ELSE t.remain_quota - d.amount END
     FROM unnest($1::bigint[], $2::bigint[]) AS d (id, amount) WHERE t.id = d.id`,
    [...columns([...spent]), accessedTime],
  )
}

export async function setTokens(run: Run, limits: readonly TokenLimit[]): Promise<void> {
  const rows = limits.map(({ tokenId, remain, isUnlimited }) => [tokenId, remain, isUnlimited ? 1 : 0])
  await run(
    `UPDATE tokens AS t SET remain_quota = d.remain, unlimited_quota = d.unlimited
     FROM unnest($1::bigint[], $2::bigint[], $3::integer[]) AS d (id, remain, unlimited) WHERE t.id = d.id`,
    columns(rows),
  )
}

export async function addToChannels(run: Run, amounts: ReadonlyMap<number, number>): Promise<void> {
  await run(
    `UPDATE channels AS c SET used_quota = c.used_quota + d.amount
     FROM unnest($1::bigint[], $2::bigint[]) AS d (id, amount) WHERE c.id = d.id`,
    columns([...amounts]),
  )
}

export async function insertLogs(run: Run, logs: readonly LogEntry[]): Promise<void> {
  const rows = logs.map(logValues)
  const types = (rows[0] ?? []).map((value, index) => `$${index + 1}::${typeof value === 'string' ? 'text' : 'bigint'}[]`)
  await run(`INSERT INTO logs (${logColumns}) SELECT * FROM unnest(${types.join(', ')})`, columns(rows))
}

export async function readQuota(run: Run, { userId, tokenId }: { userId: number; tokenId: number }): Promise<StoredQuota> {
  const [users, tokens] = await Promise.all([
    run('SELECT quota FROM users WHERE id = $1', [userId]),
    run('SELECT remain_quota, unlimited_quota, used_quota FROM tokens WHERE id = $1', [tokenId]),
  ])
  const [user] = users
  const [token] = tokens
  return {
    balance: user === undefined ? null : Number(user['quota']),
    limit:
      token === undefined
        ? null
        : { remain: Number(token['remain_quota']), isUnlimited: token['unlimited_quota'] === 1, used: Number(token['used_quota']) },
  }
}
