import { sql } from 'kysely'
import type { Db } from '../src/db/connect.ts'
import { isPostgres } from '../src/db/is-postgres.ts'
import { damagedSeal } from './damaged-seal.ts'

/** A column of the database, as the database itself describes it. */
export interface DamagedColumn {
  readonly table: string
  readonly column: string
  /** Whether it holds numbers. */
  readonly isNumber: boolean
  /** Whether it is a part of the primary key. */
  readonly isKey: boolean
}

/** A value of a column. */
export type DamageValue = string | number | bigint | null
type Row = Readonly<Record<string, DamageValue>>

/** Every column of every table, by its table. */
export async function columnsOf(db: Db): Promise<ReadonlyMap<string, readonly DamagedColumn[]>> {
  const query = isPostgres(db)
    ? sql<{ table: string; column: string; type: string; place: number }>`
        SELECT c.table_name AS table, c.column_name AS column, c.data_type AS type,
          CASE WHEN k.column_name IS NULL THEN 0 ELSE 1 END AS place
        FROM information_schema.columns c
        LEFT JOIN (SELECT k.table_name, k.column_name FROM information_schema.key_column_usage k
          JOIN information_schema.table_constraints t USING (table_schema, constraint_name)
          WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_schema = current_schema()) k
          ON k.table_name = c.table_name AND k.column_name = c.column_name
        WHERE c.table_schema = current_schema()`
    : sql<{ table: string; column: string; type: string; place: number }>`
        SELECT tables.name AS "table", columns.name AS "column", columns.type AS type, columns.pk AS place
        FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`
  const tables = new Map<string, DamagedColumn[]>()
  for (const { table, column, type, place } of (await query.execute(db)).rows) {
    const columns = tables.get(table) ?? []
    columns.push({ table, column, isNumber: /int|real|numeric|double/i.test(type), isKey: place > 0 })
    tables.set(table, columns)
  }
  return tables
}

const texts: readonly DamageValue[] = ['{"a":', '[1,{"b":null}]', '"text"', '{"a":{}}', 'a\0b', damagedSeal, '-1', '', 'x'.repeat(70_000)]
const numbers: readonly DamageValue[] = [-1, 0, 7, 1.5, Number.MAX_SAFE_INTEGER, 9_223_372_036_854_775_807n, 'text', '']

/** The engine gives out ids above the largest one, so a row with a much larger one would leave none. */
const keys: readonly DamageValue[] = [-1, 0, 'text']

/** What a damaged store may hold in a column. The engine refuses some of it. */
export const damagesOf = ({ isNumber, isKey }: DamagedColumn): readonly DamageValue[] => (!isNumber ? texts : isKey ? keys : numbers)

/** A row whose columns are damaged one after another. */
export interface Victim {
  readonly row: Row
  /** @returns whether the engine takes the value */
  damage(column: DamagedColumn, value: DamageValue): Promise<boolean>
  /** Puts the row back as it was, also after it was deleted. */
  restore(): Promise<void>
}

/** The row of a table that was added last. A table without rows gets one. */
export async function victimOf(db: Db, table: string, columns: readonly DamagedColumn[]): Promise<Victim> {
  const keys = columns.filter(({ isKey }) => isKey)
  const named = (keys.length === 0 ? columns : keys).map(({ column }) => column)
  const row = (await lastRow(db, table, named)) ?? (await addRow(db, table, { columns, named }))
  let present: Row = row
  const isThat = () =>
    sql.join(
      named.map((column) => sql`${sql.ref(column)} ${isPostgres(db) ? sql`IS NOT DISTINCT FROM` : sql`IS`} ${present[column]}`),
      sql` AND `,
    )
  return {
    row,
    async damage({ column }, value) {
      if (isPostgres(db) && typeof value === 'string' && value.includes('\0')) return false
      const set = sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${value} WHERE ${isThat()}`
      const done = await set.execute(db).then(
        () => true,
        () => false,
      )
      if (done) present = { ...present, [column]: value }
      return done
    },
    async restore() {
      await sql`DELETE FROM ${sql.table(table)} WHERE ${isThat()}`.execute(db)
      present = row
      await sql`DELETE FROM ${sql.table(table)} WHERE ${isThat()}`.execute(db)
      await insert(db, table, row)
    },
  }
}

async function lastRow(db: Db, table: string, named: readonly string[]): Promise<Row | undefined> {
  const order = sql.join(named.map((column) => sql`${sql.ref(column)} DESC`))
  return (await sql<Row>`SELECT * FROM ${sql.table(table)} ORDER BY ${order} LIMIT 1`.execute(db)).rows[0]
}

interface NewRow {
  readonly columns: readonly DamagedColumn[]
  readonly named: readonly string[]
}

async function addRow(db: Db, table: string, { columns, named }: NewRow): Promise<Row> {
  await insert(db, table, Object.fromEntries(columns.map(({ column, isNumber }) => [column, isNumber ? 1 : 'added'])))
  // PostgreSQL does not count ids that it did not give: the next row would get this one's.
  if (isPostgres(db)) for (const column of named) await sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), 1)`.execute(db)
  const row = await lastRow(db, table, named)
  if (row === undefined) throw new Error(`no row could be added to ${table}`)
  return row
}

async function insert(db: Db, table: string, row: Row): Promise<void> {
  const names = sql.join(Object.keys(row).map((name) => sql.ref(name)))
  // Ids are given by the database, unless they are written so.
  const own = isPostgres(db) ? sql`OVERRIDING SYSTEM VALUE` : sql``
  await sql`INSERT INTO ${sql.table(table)} (${names}) ${own} VALUES (${sql.join(Object.values(row))})`.execute(db)
}
