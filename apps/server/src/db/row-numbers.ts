import { sql } from 'kysely'
import type { Db } from './connect.ts'
import { isPostgres } from './is-postgres.ts'

// The highest id that a table has ever assigned. It is kept after the row is deleted, because logs still refer to deleted ids.

/** 0 = none yet, or the table continues from its existing rows. */
export async function readRowNumber(db: Db, table: string): Promise<number> {
  const query = isPostgres(db)
    ? sql<{ last: number | null }>`SELECT pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) AS last`
    : sql<{ last: number | null }>`SELECT seq AS last FROM sqlite_sequence WHERE name = ${table}`
  const { rows } = await query.execute(db)
  return rows[0]?.last ?? 0
}

/** Makes new ids continue after this number, and never below an existing row. */
export async function writeRowNumber(db: Db, table: string, number: number): Promise<void> {
  if (isPostgres(db)) {
    const last = sql`greatest(${number}::bigint, coalesce(max(id), 0))`
    await sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), greatest(${last}, 1), ${last} > 0) FROM ${sql.table(table)}`.execute(db)
    return
  }
  await sql`UPDATE sqlite_sequence SET seq = max(seq, ${number}) WHERE name = ${table}`.execute(db)
  await sql`INSERT INTO sqlite_sequence (name, seq) SELECT name, ${number} FROM sqlite_master
    WHERE name = ${table} AND sql LIKE '%autoincrement%' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ${table})`.execute(db)
}
