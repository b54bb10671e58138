import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Belongs to an account and is deleted with its row. */
const ofUser = (column: ColumnDefinitionBuilder) => column.notNull().references('users.id').onDelete('cascade')

/** Two-factor authentication: the authenticator app of an account, and its recovery codes. */
async function createSecondFactors(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('second_factors')
    .addColumn('user_id', 'bigint', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('is_on', 'integer', (column) => column.notNull().defaultTo(sql.lit(0)))
    .addColumn('app_sealed', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('app_confirmed', 'integer', (column) => column.notNull().defaultTo(sql.lit(0)))
    .addColumn('app_step', 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
    .execute()
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'bigint', ofUser)
    .addColumn('code_lookup', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_lookup'])
    .execute()
  await db.schema
    .alterTable('sessions')
    .addColumn('way', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

export const secondFactors: Migration = { up: createSecondFactors }
