import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isPostgres } from '../is-postgres.ts'

const texts = ['kind', 'task_id', 'operation', 'error_code', 'error_message'] as const
const numbers = ['user_id', 'token_id', 'amount', 'held', 'created_at'] as const
const laterTexts = { state: 'open', decision: '', remark: '' } as const
const laterNumbers = { tries: 1, charged: 0, resolved_by: 0, resolved_at: 0 } as const

/** Ends of reservations that the store refused: each keeps its reservation until somebody retries or resolves it. */
async function addSetAside(db: Kysely<unknown>): Promise<void> {
  const isServer = isPostgres(db)
  const counted = (column: ColumnDefinitionBuilder) => (isServer ? column.primaryKey() : column.primaryKey().autoIncrement())
  let table = db.schema
    .createTable('ledger_set_aside')
    .addColumn('id', isServer ? 'bigserial' : 'integer', counted)
    .addColumn('request_id', 'text', (column) => column.notNull().unique())
  for (const name of texts) table = table.addColumn(name, 'text', (column) => column.notNull())
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull())
  for (const [name, value] of Object.entries(laterTexts))
    table = table.addColumn(name, 'text', (column) => column.notNull().defaultTo(sql.lit(value)))
  for (const [name, value] of Object.entries(laterNumbers))
    table = table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(sql.lit(value)))
  await table.execute()
  await sql`CREATE INDEX ledger_set_aside_open ON ledger_set_aside (id) WHERE state = 'open'`.execute(db)
}

export const ledgerSetAside: Migration = { up: addSetAside }
