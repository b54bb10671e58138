import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isPostgres } from '../is-postgres.ts'

type Run = (text: string) => Promise<unknown>

/** Columns that say which token and which model made something; empty or 0 for rows of earlier versions. */
async function addColumns(db: Kysely<unknown>): Promise<void> {
  const numbers = [
    ['tokens', 'own_work_only'],
    ['kept_answers', 'bytes'],
    ['task_files', 'user_id'],
    ['task_characters', 'token_id'],
  ] as const
  for (const [table, name] of numbers)
    await db.schema
      .alterTable(table)
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute()
  for (const table of ['kept_answers', 'task_characters'] as const)
    await db.schema
      .alterTable(table)
      .addColumn('model', 'text', (column) => column.notNull().defaultTo(sql.lit('')))
      .execute()
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('tasks_of_token').on('tasks').columns(['user_id', 'token_id', 'id']).execute()
  await db.schema.createIndex('tasks_of_user_by_model').on('tasks').columns(['user_id', 'model', 'kind', 'id']).execute()
  await db.schema.createIndex('task_files_of_user').on('task_files').columns(['user_id', 'state', 'kept_at']).execute()
  const hasContent = sql<boolean>`bytes > 0`
  await db.schema.createIndex('kept_answers_content').on('kept_answers').columns(['created_at']).where(hasContent).execute()
  await db.schema
    .createIndex('kept_answers_content_of_user')
    .on('kept_answers')
    .columns(['user_id', 'created_at'])
    .where(hasContent)
    .execute()
}

/**
 * What accounts store, in bytes. Triggers count it in the transaction of each change, so that it is right after a crash, and whoever deletes
 * rows.
 */
async function createStoredBytes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stored_bytes')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('stored_bytes_key', ['kind', 'user_id'])
    .execute()
  await sql`UPDATE task_files SET user_id = coalesce((SELECT t.user_id FROM tasks t WHERE t.public_id = task_files.task_id), 0)`.execute(db)
  await sql`INSERT INTO stored_bytes (kind, user_id, bytes)
    SELECT 'results', user_id, sum(bytes) FROM task_files WHERE state = 'kept' GROUP BY user_id`.execute(db)
}

/** What a row counts. */
const countOf = {
  kept_answers: (row: string) => `${row}.bytes`,
  task_files: (row: string) => `CASE WHEN ${row}.state = 'kept' THEN ${row}.bytes ELSE 0 END`,
} as const
const kindOf = { kept_answers: 'responses', task_files: 'results' } as const

const tables = ['kept_answers', 'task_files'] as const
type Counted = (typeof tables)[number]

/** Each kind of change: whose bytes change, and by how much. */
const changes = (table: Counted) =>
  [
    ['INSERT', 'NEW', countOf[table]('NEW')],
    ['UPDATE', 'NEW', `${countOf[table]('NEW')} - ${countOf[table]('OLD')}`],
    ['DELETE', 'OLD', `0 - ${countOf[table]('OLD')}`],
  ] as const

const adding = (table: Counted, owner: string, more: string): string =>
  `INSERT INTO stored_bytes (kind, user_id, bytes) VALUES ('${kindOf[table]}', ${owner}.user_id, ${more})
   ON CONFLICT (kind, user_id) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes;`

async function addTriggers(run: Run): Promise<void> {
  for (const table of tables)
    for (const [event, owner, more] of changes(table))
      await run(`CREATE TRIGGER ${table}_counted_${event.toLowerCase()} AFTER ${event} ON ${table} WHEN (${more}) <> 0
        BEGIN ${adding(table, owner, more)} END`)
}

async function addPostgresTriggers(run: Run): Promise<void> {
  for (const table of tables)
    for (const [event, owner, more] of changes(table)) {
      const name = `${table}_counted_${event.toLowerCase()}`
      await run(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          ${adding(table, owner, more)}
          RETURN NULL;
        END $$`)
      await run(`CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW WHEN ((${more}) <> 0) EXECUTE FUNCTION ${name}()`)
    }
  // Counters change with every stored response: updates stay on their page.
  await run('ALTER TABLE stored_bytes SET (fillfactor = 50)')
  // Nodes keep the setting of tokens in memory, as their other columns.
  await run(`CREATE TRIGGER tokens_own_work_changed AFTER UPDATE OF own_work_only ON tokens FOR EACH ROW
    WHEN (OLD.own_work_only IS DISTINCT FROM NEW.own_work_only) EXECUTE FUNCTION note_config_row('token')`)
}

async function up(db: Kysely<unknown>): Promise<void> {
  await addColumns(db)
  await createIndexes(db)
  await createStoredBytes(db)
  const run: Run = (text) => sql.raw(text).execute(db)
  await (isPostgres(db) ? addPostgresTriggers(run) : addTriggers(run))
}

export const ownWorkAndStoredBytes: Migration = { up }
