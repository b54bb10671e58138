import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Most rows of one statement that are noted one by one; beyond it one row says that everything may be different. */
const notedMax = 1_000

/** Columns that nodes keep in memory. Those that the ledger changes are not among them, so that a charge notes nothing. */
const kept = {
  tokens: [
    ...['user_id', 'key_lookup', 'name', 'status', 'expired_time', 'models', 'subnet'],
    ...['requests_per_minute', 'tokens_per_minute', 'requests_at_once', 'quota_per_day', 'quota_per_month'],
  ],
  users: ['username', 'groups', 'status', 'role'],
  channels: [
    ...['type', 'name', 'key_sealed', 'status', 'weight', 'priority', 'base_url', 'other', 'config_sealed', 'models', 'groups'],
    ...['model_mapping', 'settings_sealed'],
  ],
} as const

const what = { tokens: 'token', users: 'user', channels: 'channels' } as const

/**
 * What other nodes must read again, written by triggers in the transaction of the change, whoever makes it. Only PostgreSQL has several
 * nodes. `transaction_id` shows which rows may still become visible: rows do not commit in the order of their ids.
 */
async function createConfigChanges(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`CREATE TABLE config_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction_id bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    what text NOT NULL,
    row_id bigint NOT NULL
  )`)
  await run('CREATE INDEX config_changes_by_transaction ON config_changes (transaction_id)')
  await run('CREATE INDEX config_changes_by_time ON config_changes (noted_at)')
  await run(`CREATE FUNCTION note_config_row() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO config_changes (what, row_id) VALUES (TG_ARGV[0], NEW.id);
    PERFORM pg_notify('config_changes', '');
    RETURN NULL;
  END $$`)
  await run(`CREATE FUNCTION note_config_statement() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO config_changes (what, row_id) VALUES (TG_ARGV[0], 0);
    PERFORM pg_notify('config_changes', '');
    RETURN NULL;
  END $$`)
  await run(`CREATE FUNCTION note_deleted_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT count(*) FROM gone) > ${notedMax} THEN
      INSERT INTO config_changes (what, row_id) VALUES ('everything', 0);
    ELSE
      INSERT INTO config_changes (what, row_id) SELECT 'token', id FROM gone;
    END IF;
    PERFORM pg_notify('config_changes', '');
    RETURN NULL;
  END $$`)
  for (const table of ['tokens', 'users', 'channels'] as const) {
    const list = (row: string) => kept[table].map((column) => `${row}.${column}`).join(', ')
    await run(`CREATE TRIGGER ${table}_changed AFTER UPDATE OF ${kept[table].join(', ')} ON ${table} FOR EACH ROW
      WHEN ((${list('OLD')}) IS DISTINCT FROM (${list('NEW')})) EXECUTE FUNCTION note_config_row('${what[table]}')`)
  }
  await run(`CREATE TRIGGER tokens_added AFTER INSERT ON tokens FOR EACH STATEMENT EXECUTE FUNCTION note_config_statement('new-tokens')`)
  await run(`CREATE TRIGGER tokens_deleted AFTER DELETE ON tokens REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_tokens()`)
  await run(`CREATE TRIGGER channels_added_or_deleted AFTER INSERT OR DELETE ON channels
    FOR EACH STATEMENT EXECUTE FUNCTION note_config_statement('channels')`)
  await run(`CREATE TRIGGER options_changed AFTER INSERT OR UPDATE OR DELETE ON options
    FOR EACH STATEMENT EXECUTE FUNCTION note_config_statement('options')`)
}

export const configChanges: Migration = { up: createConfigChanges }
