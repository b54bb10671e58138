import { sql } from 'kysely'
import type { Db } from '../src/db/connect.ts'
import { isPostgres } from '../src/db/is-postgres.ts'

export interface ColumnName {
  readonly table: string
  readonly column: string
}

/** Every column of the database, by its table. */
export async function readColumns(db: Db): Promise<readonly ColumnName[]> {
  const query = isPostgres(db)
    ? sql<ColumnName>`SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = current_schema()`
    : sql<ColumnName>`SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_master AS tables
        JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`
  return (await query.execute(db)).rows
}

/** The different values of a column. */
export async function readValues(db: Db, table: string, column: string): Promise<readonly unknown[]> {
  const { rows } = await sql<{ readonly value: unknown }>`SELECT DISTINCT ${sql.ref(column)} AS value FROM ${sql.table(table)}`.execute(db)
  return rows.map(({ value }) => value)
}
