import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'

export type Payer = 'user' | 'token' | 'channel'

/** The table and key that hold the spending of each kind of payer. */
export const usedBy = {
  user: { table: sql.table('users'), key: sql.ref('id') },
  token: { table: sql.table('tokens'), key: sql.ref('id') },
  channel: { table: sql.table('channel_usage'), key: sql.ref('channel_id') },
} as const satisfies Readonly<Record<Payer, unknown>>

/** Sums of a range of entries by kind, user, token, channel and system account. */
export async function sumEntries(db: Db, { after, upTo }: { readonly after: number; readonly upTo: number }) {
  const rows = await db
    .selectFrom('ledger')
    .select(({ fn }) => [
      'kind',
      'user_id',
      'token_id',
      'channel_id',
      'account',
      fn.sum<number>('amount').as('amount'),
      fn.countAll<number>().as('entries'),
    ])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .groupBy(['kind', 'user_id', 'token_id', 'channel_id', 'account'])
    .execute()
  return rows.map((row) => ({ ...row, amount: Number(row.amount), entries: Number(row.entries) }))
}

export interface PayerRow {
  readonly id: number
  /** Only users have one. */
  readonly quota: number
  readonly used_quota: number
  /** The sum of the entries after the mark, and the charges among them. */
  readonly since: number
  readonly used_since: number
  /** Its spending before it was imported. */
  readonly imported: number
}

/** Stored amounts and the entries after the mark, in one statement so that they are consistent. */
export async function listRows(
  db: Db,
  payer: Payer,
  { after, mark, limit }: { readonly after: number; readonly mark: number; readonly limit: number },
): Promise<readonly PayerRow[]> {
  const id = sql.ref(`${payer}_id`)
  const { table, key } = usedBy[payer]
  const { rows } = await sql<PayerRow>`
    SELECT r.id AS id, r.quota AS quota, r.used_quota AS used_quota,
      COALESCE(l.total, 0) AS since, COALESCE(l.used, 0) AS used_since, COALESCE(i.total, 0) AS imported
    FROM (
      SELECT ${key} AS id, ${payer === 'user' ? sql`quota` : sql`0`} AS quota, used_quota
      FROM ${table} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${limit}
    ) r
    LEFT JOIN (
      SELECT ${id} AS id, SUM(amount) AS total, -SUM(CASE WHEN kind = 'consume' THEN amount ELSE 0 END) AS used
      FROM ledger WHERE id > ${mark} GROUP BY ${id}
    ) l ON l.id = r.id
    LEFT JOIN (SELECT target_id, SUM(used_quota) AS total FROM imported WHERE kind = ${payer} GROUP BY target_id) i ON i.target_id = r.id
    ORDER BY r.id`.execute(db)
  return rows.map((row) => ({
    id: Number(row.id),
    quota: Number(row.quota),
    used_quota: Number(row.used_quota),
    since: Number(row.since),
    used_since: Number(row.used_since),
    imported: Number(row.imported),
  }))
}

export interface AccountRow {
  readonly name: string
  readonly balance: number
  /** The sum of the entries after the mark. */
  readonly since: number
}

/** The other side of the entries, in one consistent read: stored system accounts, and those that entries name. */
export async function listAccounts(db: Db, mark: number): Promise<readonly AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    SELECT name, SUM(balance) AS balance, SUM(since) AS since FROM (
      SELECT name, balance, 0 AS since FROM ledger_accounts
      UNION ALL SELECT account, 0, -amount FROM ledger WHERE id > ${mark}
    ) sides
    GROUP BY name ORDER BY name`.execute(db)
  return rows.map(({ name, balance, since }) => ({ name, balance: Number(balance), since: Number(since) }))
}

export async function countHolds(db: Db, staleBefore: number): Promise<{ readonly open: number; readonly stale: number }> {
  const { rows } = await sql<{ open: number; stale: number | null }>`
    SELECT COUNT(*) AS open, SUM(CASE WHEN created_at < ${staleBefore} AND task_id = '' THEN 1 ELSE 0 END) AS stale FROM holds`.execute(db)
  return { open: Number(rows[0]?.open ?? 0), stale: Number(rows[0]?.stale ?? 0) }
}

/** Log rows read for the share of estimates: the newest ones. */
const usageRows = 5_000

export async function sumEstimated(db: Db, since: number): Promise<{ readonly requests: number; readonly estimated: number }> {
  const { rows } = await sql<{ requests: number; estimated: number | null }>`
    SELECT COUNT(*) AS requests, SUM(estimated) AS estimated
    FROM (SELECT type, created_at, estimated FROM logs ORDER BY id DESC LIMIT ${usageRows}) newest
    WHERE type = 2 AND created_at >= ${since}`.execute(db)
  return { requests: Number(rows[0]?.requests ?? 0), estimated: Number(rows[0]?.estimated ?? 0) }
}
