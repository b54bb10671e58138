import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import { type ExactSum, parseExact } from './exact-sum.ts'

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
      sql<string>`CAST(SUM(amount) AS TEXT)`.as('amount'),
      fn.countAll<number>().as('entries'),
    ])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .groupBy(['kind', 'user_id', 'token_id', 'channel_id', 'account'])
    .execute()
  return rows.map((row) => ({ ...row, amount: parseExact(row.amount), entries: Number(row.entries) }))
}

export interface PayerRow {
  readonly id: number
  /** Only users have one. */
  readonly quota: ExactSum
  readonly used_quota: ExactSum
  /** The sum of the entries after the mark, and the charges among them. */
  readonly since: ExactSum
  readonly used_since: ExactSum
  /** Its spending before it was imported. */
  readonly imported: ExactSum
}

/** Stored amounts and the entries after the mark, in one statement so that they are consistent. */
export async function listRows(
  db: Db,
  payer: Payer,
  { after, mark, limit }: { readonly after: number; readonly mark: number; readonly limit: number },
): Promise<readonly PayerRow[]> {
  const id = sql.ref(`${payer}_id`)
  const { table, key } = usedBy[payer]
  const { rows } = await sql<Readonly<Record<keyof PayerRow, string>>>`
    SELECT r.id AS id, CAST(r.quota AS TEXT) AS quota, CAST(r.used_quota AS TEXT) AS used_quota, CAST(COALESCE(l.total, 0) AS TEXT) AS since,
      CAST(COALESCE(l.used, 0) AS TEXT) AS used_since, CAST(COALESCE(i.total, 0) AS TEXT) AS imported
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
    quota: parseExact(row.quota),
    used_quota: parseExact(row.used_quota),
    since: parseExact(row.since),
    used_since: parseExact(row.used_since),
    imported: parseExact(row.imported),
  }))
}

export interface AccountRow {
  readonly name: string
  readonly balance: ExactSum
  /** The sum of the entries after the mark. */
  readonly since: ExactSum
}

/** The other side of the entries, in one consistent read: stored system accounts, and those that entries name. */
export async function listAccounts(db: Db, mark: number): Promise<readonly AccountRow[]> {
  const { rows } = await sql<Readonly<Record<keyof AccountRow, string>>>`
    SELECT name, CAST(SUM(balance) AS TEXT) AS balance, CAST(SUM(since) AS TEXT) AS since FROM (
      SELECT name, balance, 0 AS since FROM ledger_accounts
      UNION ALL SELECT account, 0, -amount FROM ledger WHERE id > ${mark}
    ) sides
    GROUP BY name ORDER BY name`.execute(db)
  return rows.map(({ name, balance, since }) => ({ name, balance: parseExact(balance), since: parseExact(since) }))
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
