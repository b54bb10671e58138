import { sql } from 'kysely'
import { auditRow, operator } from '../api/audit.ts'
import type { Db } from '../db/connect.ts'
import { createHorizon } from '../db/horizon.ts'
import { isPostgres } from '../db/is-postgres.ts'
import { insertLog } from '../ledger/log-queries.ts'

/** A balance that was not the sum of its entries. */
export interface Recomputed {
  readonly account: string
  readonly from: bigint
  readonly to: bigint
}

/** Entries of one step, whose sums cannot exceed 64 bits. */
const stepRows = 1_000

/**
 * Sets the balances of the system's accounts to the other side of their entries. Servers may run: nearly all entries are read before, and
 * only the last ones while no other change of these balances can be committed.
 */
export async function recomputeBalances(db: Db, now: number): Promise<readonly Recomputed[]> {
  const sums = new Map<string, bigint>()
  const settled = await createHorizon(db, 'ledger').settled()
  await addEntries(db, { after: 0, upTo: settled }, sums)
  return await db.transaction().execute(async (tx) => {
    // Waits for batches that have entries and not yet been committed.
    if (isPostgres(tx)) await sql`LOCK TABLE ledger_accounts IN EXCLUSIVE MODE`.execute(tx)
    await addEntries(tx, { after: settled, upTo: await readLastEntry(tx) }, sums)
    const stored = await readAccounts(tx)
    const wrong = [...new Set([...stored.keys(), ...sums.keys()])]
      .map((account) => ({ account, from: stored.get(account) ?? 0n, to: -(sums.get(account) ?? 0n) }))
      .filter(({ from, to }) => from !== to)
    for (const change of wrong) await correct(tx, change, now)
    return wrong
  })
}

async function correct(tx: Db, { account, from, to }: Recomputed, now: number): Promise<void> {
  await sql`INSERT INTO ledger_accounts (name, balance) VALUES (${account}, ${wholeNumber(tx, to)})
    ON CONFLICT (name) DO UPDATE SET balance = excluded.balance`.execute(tx)
  const params = { account, from: String(from), to: String(to) }
  await insertLog(tx, auditRow({ actor: operator, messageKey: 'log_balances_recomputed', params }, now))
}

/** Not as a parameter: PostgreSQL's client sends numbers of this size as others. */
const wholeNumber = (db: Db, amount: bigint) => sql`CAST(${String(amount)} AS ${sql.raw(isPostgres(db) ? 'bigint' : 'integer')})`

async function addEntries(
  db: Db,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  sums: Map<string, bigint>,
): Promise<void> {
  for (let from = after; from < upTo; from += stepRows) {
    const { rows } = await sql<{ account: string; amount: string }>`
      SELECT account, CAST(SUM(amount) AS TEXT) AS amount FROM ledger WHERE id > ${from} AND id <= ${Math.min(upTo, from + stepRows)}
      GROUP BY account`.execute(db)
    for (const { account, amount } of rows) sums.set(account, (sums.get(account) ?? 0n) + BigInt(amount))
  }
}

async function readLastEntry(db: Db): Promise<number> {
  const row = await db
    .selectFrom('ledger')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirst()
  return Number(row?.last ?? 0)
}

async function readAccounts(db: Db): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql<{ name: string; balance: string }>`SELECT name, CAST(balance AS TEXT) AS balance FROM ledger_accounts`.execute(
    db,
  )
  return new Map(rows.map(({ name, balance }) => [name, BigInt(balance)]))
}

/** Sets the balance of every account to the sum of its entries. No server may run: each decides by the balances in its memory. */
export async function recomputeUsers(db: Db, now: number): Promise<readonly Recomputed[]> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: number; username: string; stored: string; summed: string }>`
      SELECT u.id AS id, u.username AS username, CAST(u.quota AS TEXT) AS stored, CAST(COALESCE(l.total, 0) AS TEXT) AS summed
      FROM users u LEFT JOIN (SELECT user_id, SUM(amount) AS total FROM ledger GROUP BY user_id) l ON l.user_id = u.id
      WHERE u.quota <> COALESCE(l.total, 0) ORDER BY u.id`.execute(tx)
    const changes: Recomputed[] = []
    for (const { id, username, stored, summed } of rows) {
      await sql`UPDATE users SET quota = ${wholeNumber(tx, BigInt(summed))} WHERE id = ${id}`.execute(tx)
      const change = { account: username, from: BigInt(stored), to: BigInt(summed) }
      const params = { account: username, from: stored, to: summed }
      await insertLog(tx, auditRow({ actor: operator, target: { id, username }, messageKey: 'log_balances_recomputed', params }, now))
      changes.push(change)
    }
    return changes
  })
}
