import { type ColumnDefinitionBuilder, type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Db = Kysely<unknown>

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** A row id of SQLite must be declared INTEGER; PostgreSQL's is a bigserial. */
const idType = (db: Db) => (isPostgres(db) ? sql`bigserial` : sql`integer`)

/** Row ids that are never reused after a delete, because log rows still refer to them. */
const lastingKey = (db: Db) => (column: ColumnDefinitionBuilder) =>
  isPostgres(db) ? column.primaryKey() : column.primaryKey().autoIncrement()

const emptyText = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo('')
const required = (column: ColumnDefinitionBuilder) => column.notNull()
const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0)

async function createUsers(db: Db): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', idType(db), lastingKey(db))
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('display_name', 'text', required)
    .addColumn('password_hash', 'text', required)
    .addColumn('default_password', 'integer', zero)
    .addColumn('email', 'text', emptyText)
    .addColumn('github_id', 'text', emptyText)
    .addColumn('wechat_id', 'text', emptyText)
    .addColumn('lark_id', 'text', emptyText)
    .addColumn('groups', 'text', (column) => column.notNull().defaultTo('default'))
    .addColumn('quota', 'bigint', zero)
    .addColumn('used_quota', 'bigint', zero)
    .addColumn('request_count', 'bigint', zero)
    .addColumn('role', 'integer', required)
    .addColumn('status', 'integer', required)
    .addColumn('access_token_lookup', 'text', (column) => column.unique())
    .addColumn('aff_code', 'text', emptyText)
    .addColumn('inviter_id', 'bigint', zero)
    .addColumn('created_time', 'bigint', required)
    .execute()
  await db.schema
    .createTable('sessions')
    .addColumn('id_hash', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', required)
    .addColumn('seen_at', 'bigint', required)
    .addColumn('user_agent', 'text', required)
    .addColumn('address', 'text', required)
    .execute()
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
}

async function createTokens(db: Db): Promise<void> {
  await db.schema
    .createTable('tokens')
    .addColumn('id', idType(db), lastingKey(db))
    .addColumn('user_id', 'bigint', required)
    .addColumn('key_lookup', 'text', (column) => column.notNull().unique())
    .addColumn('key_sealed', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('status', 'integer', required)
    .addColumn('created_time', 'bigint', required)
    .addColumn('accessed_time', 'bigint', required)
    .addColumn('expired_time', 'bigint', required)
    .addColumn('remain_quota', 'bigint', required)
    .addColumn('unlimited_quota', 'integer', required)
    .addColumn('used_quota', 'bigint', zero)
    .addColumn('models', 'text', required)
    .addColumn('subnet', 'text', required)
    .execute()
  await db.schema.createIndex('tokens_user').on('tokens').columns(['user_id', 'id']).execute()
}

async function createChannels(db: Db): Promise<void> {
  await db.schema
    .createTable('channels')
    .addColumn('id', idType(db), lastingKey(db))
    .addColumn('type', 'integer', required)
    .addColumn('name', 'text', required)
    .addColumn('key_sealed', 'text', required)
    .addColumn('status', 'integer', required)
    .addColumn('weight', 'integer', required)
    .addColumn('priority', 'bigint', required)
    .addColumn('created_time', 'bigint', required)
    .addColumn('test_time', 'bigint', zero)
    .addColumn('response_time', 'bigint', zero)
    .addColumn('base_url', 'text', required)
    .addColumn('other', 'text', required)
    .addColumn('balance', 'double precision', zero)
    .addColumn('balance_updated_time', 'bigint', zero)
    .addColumn('models', 'text', required)
    .addColumn('groups', 'text', required)
    .addColumn('used_quota', 'bigint', zero)
    .addColumn('model_mapping', 'text', required)
    .addColumn('config_sealed', 'text', required)
    .execute()
  await db.schema
    .createTable('options')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', required)
    .execute()
}

async function createLedger(db: Db): Promise<void> {
  await db.schema
    .createTable('holds')
    .addColumn('request_id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', required)
    .addColumn('token_id', 'bigint', required)
    .addColumn('amount', 'bigint', required)
    .addColumn('model_name', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .$call((table) => (isPostgres(db) ? table : table.modifyEnd(sql`without rowid`)))
    .execute()
  await db.schema
    .createTable('ledger')
    .addColumn('id', idType(db), (column) => column.primaryKey())
    .addColumn('kind', 'text', required)
    .addColumn('ref', 'text', required)
    .addColumn('user_id', 'bigint', required)
    .addColumn('token_id', 'bigint', zero)
    .addColumn('channel_id', 'bigint', zero)
    .addColumn('account', 'text', required)
    .addColumn('amount', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await db.schema.createIndex('ledger_once').on('ledger').columns(['ref', 'kind']).unique().execute()
}

async function createLogs(db: Db): Promise<void> {
  await db.schema
    .createTable('logs')
    .addColumn('id', idType(db), (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('type', 'integer', required)
    .addColumn('content', 'text', required)
    .addColumn('username', 'text', required)
    .addColumn('token_name', 'text', required)
    .addColumn('model_name', 'text', required)
    .addColumn('upstream_model', 'text', required)
    .addColumn('quota', 'bigint', required)
    .addColumn('prompt_tokens', 'bigint', required)
    .addColumn('completion_tokens', 'bigint', required)
    .addColumn('cached_tokens', 'bigint', required)
    .addColumn('channel_id', 'bigint', required)
    .addColumn('request_id', 'text', required)
    .addColumn('elapsed_ms', 'bigint', required)
    .addColumn('first_byte_ms', 'bigint', required)
    .addColumn('is_stream', 'integer', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('end_reason', 'text', required)
    .addColumn('estimated', 'integer', required)
    .execute()
  await db.schema.createIndex('logs_user').on('logs').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('logs_created').on('logs').column('created_at').execute()
}

export const start: Migration = {
  async up(db) {
    await createUsers(db)
    await createTokens(db)
    await createChannels(db)
    await createLedger(db)
    await createLogs(db)
  },
}
