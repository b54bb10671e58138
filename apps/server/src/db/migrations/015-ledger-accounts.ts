import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Contra accounts with balances, so that a check can prove that the two sides of all entries sum to zero. */
async function addLedgerAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ledger_accounts')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('balance', 'bigint', (column) => column.notNull())
    .execute()
  await sql`INSERT INTO ledger_accounts (name, balance) SELECT account, -SUM(amount) FROM ledger GROUP BY account ORDER BY account`.execute(
    db,
  )
}

export const ledgerAccounts: Migration = { up: addLedgerAccounts }
