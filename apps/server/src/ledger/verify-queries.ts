import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import { isPostgres } from '../db/is-postgres.ts'
import { sumsThatDiffer, usageTables } from '../db/usage-tables.ts'
import { importedRequest } from './log-entry.ts'
import { type Payer, usedBy } from './reconcile-queries.ts'
import { setAsideHold } from './set-aside-row.ts'

/** Maximum number of differences listed per check. */
const findingsMax = 100

interface Gap {
  readonly what: string
  readonly id: number
  /** As texts: sums may exceed what a number holds exactly. */
  readonly stored: string
  readonly summed: string
}

const gapLine = ({ what, id, stored, summed }: Gap): string => `${what} ${id}: stored ${stored}, entries give ${summed}`

export async function listBalanceGaps(db: Db): Promise<string[]> {
  const { rows } = await sql<Gap>`
    SELECT 'user' AS what, u.id AS id, CAST(u.quota AS TEXT) AS stored, CAST(COALESCE(l.total, 0) AS TEXT) AS summed
    FROM users u LEFT JOIN (SELECT user_id, SUM(amount) AS total FROM ledger GROUP BY user_id) l ON l.user_id = u.id
    WHERE u.quota <> COALESCE(l.total, 0) LIMIT ${findingsMax}`.execute(db)
  const { rows: orphans } = await sql<Gap>`
    SELECT 'missing user' AS what, l.user_id AS id, '0' AS stored, CAST(SUM(l.amount) AS TEXT) AS summed
    FROM ledger l LEFT JOIN users u ON u.id = l.user_id WHERE u.id IS NULL GROUP BY l.user_id LIMIT ${findingsMax}`.execute(db)
  return [...rows, ...orphans].map(gapLine)
}

/** The other side of the entries: each system account must have the negated sum of its entries. */
export async function listAccountGaps(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; stored: string; summed: string }>`
    SELECT name, CAST(SUM(stored) AS TEXT) AS stored, CAST(SUM(summed) AS TEXT) AS summed FROM (
      SELECT name, balance AS stored, 0 AS summed FROM ledger_accounts
      UNION ALL SELECT account, 0, -SUM(amount) FROM ledger GROUP BY account
    ) sides
    GROUP BY name HAVING SUM(stored) <> SUM(summed) ORDER BY name LIMIT ${findingsMax}`.execute(db)
  return rows.map(({ name, stored, summed }) => `account ${name}: stored ${stored}, entries give ${summed}`)
}

/** The balances of all users and system accounts must sum to zero; otherwise quota was created or lost. */
export async function listImbalance(db: Db): Promise<string[]> {
  const users = await sumExactly(db, { table: 'users', column: 'quota' })
  const accounts = await sumExactly(db, { table: 'ledger_accounts', column: 'balance' })
  return users + accounts === 0n ? [] : [`users have ${users}, the accounts of the system ${accounts}`]
}

/** Amounts are added in two parts, so that neither sum exceeds 64 bits. */
const partSize = 1_000_000n

async function sumExactly(db: Db, { table, column }: { readonly table: string; readonly column: string }): Promise<bigint> {
  const amount = sql.ref(column)
  const size = sql.lit(Number(partSize))
  const { rows } = await sql<{ high: string; low: string }>`
    SELECT CAST(COALESCE(SUM(${amount} / ${size}), 0) AS TEXT) AS high, CAST(COALESCE(SUM(${amount} % ${size}), 0) AS TEXT) AS low
    FROM ${sql.table(table)}`.execute(db)
  return BigInt(rows[0]?.high ?? 0) * partSize + BigInt(rows[0]?.low ?? 0)
}

/**
 * Deleted tokens and channels keep their entries; only existing rows are compared. `imported` is the spending of an imported row before the
 * import, for which there are no entries.
 */
export async function listCounterGaps(db: Db): Promise<string[]> {
  const { rows } = await sql<Gap>`
    ${counterGaps('user')} UNION ALL ${counterGaps('token')} UNION ALL ${counterGaps('channel')} LIMIT ${findingsMax}`.execute(db)
  return rows.map(gapLine)
}

function counterGaps(what: Payer) {
  const payer = sql.ref(`${what}_id`)
  const { table, key } = usedBy[what]
  return sql`SELECT ${sql.lit(what)} AS what, r.id AS id, CAST(r.used_quota AS TEXT) AS stored, CAST(COALESCE(l.total, 0) + COALESCE(i.total, 0) AS TEXT) AS summed
    FROM (SELECT ${key} AS id, used_quota FROM ${table}) r
    LEFT JOIN (SELECT ${payer} AS id, -SUM(amount) AS total FROM ledger WHERE kind = 'consume' GROUP BY ${payer}) l ON l.id = r.id
    LEFT JOIN (SELECT target_id, SUM(used_quota) AS total FROM imported WHERE kind = ${sql.lit(what)} GROUP BY target_id) i ON i.target_id = r.id
    WHERE r.used_quota <> COALESCE(l.total, 0) + COALESCE(i.total, 0)`
}

/** What is leased of each account and token must be what nodes and tasks have of it. SQLite has no leases. */
export async function listLeaseGaps(db: Db): Promise<string[]> {
  if (!isPostgres(db)) return []
  const { rows } = await sql<Gap>`${leaseGaps('user')} UNION ALL ${leaseGaps('token')} LIMIT ${findingsMax}`.execute(db)
  return rows.map(gapLine)
}

function leaseGaps(what: 'user' | 'token') {
  const [table, kind] = what === 'user' ? ['users', 1] : ['tokens', 2]
  const leased = sql.ref(what === 'user' ? 'leased' : 'token_leased')
  return sql`SELECT ${sql.lit(`leased of ${what}`)} AS what, r.id AS id, CAST(r.leased AS TEXT) AS stored, CAST(COALESCE(l.total, 0) + COALESCE(h.total, 0) AS TEXT) AS summed
    FROM ${sql.table(table)} r
    LEFT JOIN (SELECT id, SUM(granted) AS total FROM leases WHERE kind = ${sql.lit(kind)} GROUP BY id) l ON l.id = r.id
    LEFT JOIN (SELECT ${sql.ref(`${what}_id`)} AS id, SUM(${leased}) AS total FROM holds GROUP BY ${sql.ref(`${what}_id`)}) h ON h.id = r.id
    WHERE r.leased <> COALESCE(l.total, 0) + COALESCE(h.total, 0)
      OR EXISTS (SELECT 1 FROM leases n WHERE n.kind = ${sql.lit(kind)} AND n.id = r.id AND n.granted < 0)`
}

export async function listResolvedHolds(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('holds')
    .innerJoin('ledger', (join) => join.onRef('ledger.ref', '=', 'holds.request_id').on('ledger.kind', '=', 'consume'))
    .select('holds.request_id')
    .limit(findingsMax)
    .execute()
  return rows.map((row) => `request ${row.request_id} is charged and still reserved`)
}

export async function listTaskGaps(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string; what: string }>`
    SELECT t.public_id AS id, 'runs without a reservation' AS what FROM tasks t LEFT JOIN holds h ON h.request_id = t.request_id
      WHERE t.stage <> 'ended' AND h.request_id IS NULL
    UNION ALL
    SELECT h.task_id, 'is reserved for and does not run' FROM holds h LEFT JOIN tasks t ON t.public_id = h.task_id
      WHERE h.task_id NOT IN ('', ${setAsideHold}) AND (t.id IS NULL OR t.stage = 'ended')
    LIMIT ${findingsMax}`.execute(db)
  return rows.map(({ id, what }) => `task ${id}: ${what}`)
}

/** A reservation that is kept for what was set aside must be found by it. What was set aside may lose its reservation: a client stops its task. */
export async function listAsideGaps(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('holds')
    .leftJoin('ledger_set_aside', (join) =>
      join.onRef('ledger_set_aside.request_id', '=', 'holds.request_id').on('ledger_set_aside.state', '=', 'open'),
    )
    .select('holds.request_id')
    .where('holds.task_id', '=', setAsideHold)
    .where('ledger_set_aside.id', 'is', null)
    .limit(findingsMax)
    .execute()
  return rows.map((row) => `request ${row.request_id} is reserved for, and nothing of it is set aside`)
}

/** Longer than any response runs. A charge this much later than a log clean-up belongs to a row that began after it. */
const responseMaxSeconds = 3_600

export async function listUnloggedEntries(db: Db): Promise<string[]> {
  const { rows } = await sql<{ ref: string; charged: number; logged: number }>`
    SELECT l.ref AS ref, -l.amount AS charged, COALESCE(SUM(g.quota), 0) AS logged
      FROM ledger l LEFT JOIN logs g ON g.request_id = l.ref AND g.type = 2
      WHERE l.kind = 'consume' AND l.created_at >= COALESCE((SELECT value + ${responseMaxSeconds} FROM log_marks WHERE name = 'cleaned-until'), 0)
      GROUP BY l.ref, l.amount HAVING COALESCE(SUM(g.quota), 0) <> -l.amount OR COUNT(g.id) <> 1
    UNION ALL
    SELECT g.request_id, 0, g.quota FROM logs g LEFT JOIN ledger l ON l.ref = g.request_id AND l.kind = 'consume'
      WHERE g.type = 2 AND g.quota <> 0 AND l.id IS NULL AND g.request_id NOT LIKE ${`${importedRequest}%`}
    LIMIT ${findingsMax}`.execute(db)
  return rows.map(({ ref, charged, logged }) => `request ${ref}: charged ${charged}, logged ${logged}`)
}

/**
 * Hours whose log rows were cleaned up are not compared: only their sums remain. Fewer served requests than in the log are no gap: during an
 * upgrade of several nodes one of the earlier version may have added up rows, without what it does not know.
 */
export async function listHourGaps(db: Db): Promise<string[]> {
  const { rows } = await sql<{ hour: number; requests: number; quota: number; tokens: number; served: number; unserved: number }>`
    SELECT hour, SUM(requests) AS requests, SUM(quota) AS quota, SUM(tokens) AS tokens, SUM(served) AS served, SUM(unserved) AS unserved
    FROM (
      SELECT hour, requests, quota, prompt_tokens + completion_tokens AS tokens, served, unserved FROM usage_hours
      UNION ALL
      SELECT created_at - created_at % 3600, -1, -quota, -prompt_tokens - completion_tokens,
          CASE WHEN served = 1 THEN -1 ELSE 0 END, CASE WHEN served = 0 THEN -1 ELSE 0 END FROM logs
        WHERE type = 2 AND id <= COALESCE((SELECT value FROM log_marks WHERE name = 'rolled-up'), 0)
    ) differences
    WHERE hour >= COALESCE((SELECT value FROM log_marks WHERE name = 'cleaned-until'), 0)
    GROUP BY hour HAVING SUM(requests) <> 0 OR SUM(quota) <> 0 OR SUM(tokens) <> 0 OR SUM(served) > 0 OR SUM(unserved) > 0
    LIMIT ${findingsMax}`.execute(db)
  return rows.map(
    ({ hour, requests, quota, tokens, served, unserved }) =>
      `hour ${hour}: ${requests} requests (${served} served, ${unserved} not), ${quota} quota, ${tokens} tokens more than the log has`,
  )
}

/** Rows of the other sum tables that differ from the sums of the hours. */
export async function listUsageSumGaps(db: Db): Promise<string[]> {
  const gaps: string[] = []
  for (const table of usageTables) {
    if (table.name === 'usage_hours' || table.counts !== undefined) continue
    const { rows } = await sql<Readonly<Record<string, unknown>>>`${sumsThatDiffer(table)} LIMIT ${findingsMax}`.execute(db)
    gaps.push(...rows.map((row) => `${table.name} ${Object.values(row).join(' ')}: is not the sum of the hours`))
  }
  return gaps.slice(0, findingsMax)
}

export async function countNegativeBalances(db: Db): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((build) => build.fn.countAll<number>().as('count'))
    .where('quota', '<', 0)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

export async function countOpenHolds(db: Db): Promise<number> {
  const row = await db
    .selectFrom('holds')
    .select((build) => build.fn.countAll<number>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

export async function sumLedger(db: Db): Promise<{ entries: number; balance: bigint }> {
  const { rows } = await sql<{ entries: number }>`SELECT COUNT(*) AS entries FROM ledger`.execute(db)
  return { entries: Number(rows[0]?.entries ?? 0), balance: await sumExactly(db, { table: 'ledger', column: 'amount' }) }
}
