import { sql } from 'kysely'
import type { Store } from '../src/db/connect.ts'

/** Columns of log rows and reservations. */
const columnsOfLedger = { logs: 'content', holds: 'model_name' }

/** Makes the store refuse rows with this text in one of the columns, by table, until the returned function is called. */
export async function refuseText(
  { db, engine }: Store,
  text: string,
  columns: Readonly<Record<string, string>> = columnsOfLedger,
): Promise<() => Promise<void>> {
  for (const [table, column] of Object.entries(columns)) {
    if (engine === 'postgres')
      await sql`ALTER TABLE ${sql.table(table)} ADD CONSTRAINT refused CHECK (${sql.ref(column)} <> ${sql.lit(text)})`.execute(db)
    else
      await sql`CREATE TRIGGER ${sql.ref(`refuse_${table}`)} BEFORE INSERT ON ${sql.table(table)} WHEN NEW.${sql.ref(column)} = ${sql.lit(text)}
        BEGIN SELECT RAISE(ABORT, 'a value is refused'); END`.execute(db)
  }
  return async () => {
    for (const table of Object.keys(columns))
      await (engine === 'postgres'
        ? sql`ALTER TABLE ${sql.table(table)} DROP CONSTRAINT refused`
        : sql`DROP TRIGGER ${sql.ref(`refuse_${table}`)}`
      ).execute(db)
  }
}
