import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** As in migration 051. */
const notedMax = 1_000

/**
 * The triggers of migration 051 name the schema of their table: a session that searches another one, such as an administrator's, notes its changes
 * where they belong, and a notification wakes the nodes of this installation only. In `public` the channel stays as servers of earlier
 * versions know it.
 */
async function replaceTriggers(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  const insert = (rows: string): string => `format('INSERT INTO %I.config_changes (what, row_id) ${rows}', TG_TABLE_SCHEMA)`
  const notify = `PERFORM pg_notify(CASE TG_TABLE_SCHEMA WHEN 'public' THEN 'config_changes'
      ELSE 'config_changes_' || hashtextextended(TG_TABLE_SCHEMA::text, 0) END, '')`
  const replace = (name: string, note: string) =>
    sql
      .raw(`CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${note}
    ${notify};
    RETURN NULL;
  END $$`)
      .execute(db)
  await replace('note_config_row', `EXECUTE ${insert('VALUES ($1, $2)')} USING TG_ARGV[0], NEW.id;`)
  await replace('note_config_statement', `EXECUTE ${insert('VALUES ($1, 0)')} USING TG_ARGV[0];`)
  await replace(
    'note_deleted_tokens',
    `IF (SELECT count(*) FROM gone) > ${notedMax} THEN
      EXECUTE ${insert("VALUES (''everything'', 0)")};
    ELSE
      EXECUTE ${insert("SELECT ''token'', id FROM gone")};
    END IF;`,
  )
}

export const changesBySchema: Migration = { up: replaceTriggers }
