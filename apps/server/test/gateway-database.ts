import { Database } from 'bun:sqlite'
import { SQL } from 'bun'

/** Values of a row by its columns; columns that are not named get the defaults of the schema. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** Products whose databases the import reads. */
export type Product = 'one-api-0.6.8' | 'one-api' | 'new-api' | 'ezlinkai'

/** Products whose databases look similar and that the import refuses. */
export type OtherProduct = 'one-hub' | 'done-hub'

const users = `id integer PRIMARY KEY AUTOINCREMENT, username text UNIQUE, password text NOT NULL, display_name text,
  role int DEFAULT 1, status int DEFAULT 1, email text, github_id text, wechat_id text, access_token char(32) UNIQUE,
  quota bigint DEFAULT 0, used_quota bigint DEFAULT 0, request_count int DEFAULT 0, "group" varchar(32) DEFAULT 'default',
  aff_code varchar(32) UNIQUE, inviter_id int`
const tokens = `id integer PRIMARY KEY AUTOINCREMENT, user_id integer, "key" char(48) UNIQUE, status integer DEFAULT 1, name text,
  created_time bigint, accessed_time bigint, expired_time bigint DEFAULT -1, remain_quota bigint DEFAULT 0,
  unlimited_quota numeric DEFAULT false, used_quota bigint DEFAULT 0`
const channels = `id integer PRIMARY KEY AUTOINCREMENT, type integer DEFAULT 0, "key" text, status integer DEFAULT 1, name text,
  weight integer DEFAULT 0, created_time bigint, test_time bigint, response_time integer, base_url text DEFAULT '', other text,
  balance real, balance_updated_time bigint, models text, "group" varchar(32) DEFAULT 'default', used_quota bigint DEFAULT 0,
  model_mapping varchar(1024) DEFAULT '', priority bigint DEFAULT 0`
const redemptions = `id integer PRIMARY KEY AUTOINCREMENT, user_id integer, "key" char(32) UNIQUE, status integer DEFAULT 1, name text,
  quota bigint DEFAULT 100, created_time bigint, redeemed_time bigint`
const logs = `id integer PRIMARY KEY AUTOINCREMENT, user_id integer, created_at bigint, type integer, content text,
  username text DEFAULT '', token_name text DEFAULT '', model_name text DEFAULT '', quota integer DEFAULT 0,
  prompt_tokens integer DEFAULT 0, completion_tokens integer DEFAULT 0, channel_id integer`

/** Columns that a product's tables have in addition to those of all. */
const oneHub = {
  users: `telegram_id bigint DEFAULT 0, lark_id text, oidc_id text, aff_count integer DEFAULT 0, aff_quota integer DEFAULT 0,
    aff_history integer DEFAULT 0, created_time bigint, last_login_time bigint, deleted_at datetime`,
  tokens: `"group" text DEFAULT '', backup_group text DEFAULT '', deleted_at datetime, setting json`,
  channels: `proxy varchar(255) DEFAULT '', test_model varchar(50) DEFAULT '', only_chat numeric DEFAULT false, tag varchar(32) DEFAULT '',
    plugin json, pre_cost integer DEFAULT 1, model_headers varchar(1024), custom_parameter varchar(1024), deleted_at datetime`,
  logs: 'request_time integer, is_stream numeric, metadata json',
} as const

const additions: Readonly<Record<Product | OtherProduct, Readonly<Record<string, string>>>> = {
  'one-hub': oneHub,
  'done-hub': { ...oneHub, channels: `${oneHub.channels}, compatible_response numeric` },
  'one-api-0.6.8': { users: 'lark_id text', tokens: "models text DEFAULT '', subnet text DEFAULT ''", channels: 'config text' },
  'one-api': {
    users: 'lark_id text, oidc_id text',
    tokens: "models text, subnet text DEFAULT ''",
    channels: 'config text, system_prompt text',
    logs: "request_id text DEFAULT '', elapsed_time bigint DEFAULT 0, is_stream numeric DEFAULT false",
  },
  'new-api': {
    users: `oidc_id text, telegram_id text, linux_do_id text, setting text, aff_count integer DEFAULT 0, aff_quota integer DEFAULT 0,
      aff_history integer DEFAULT 0, deleted_at datetime`,
    tokens: `model_limits_enabled numeric, model_limits text, allow_ips text DEFAULT '', "group" text DEFAULT '',
      cross_group_retry numeric, deleted_at datetime`,
    channels: `auto_ban integer DEFAULT 1, tag text, setting text, settings text, other_info text, remark text, param_override text,
      header_override text, status_code_mapping text, openai_organization text, test_model text, channel_info json`,
    redemptions: 'used_user_id integer, deleted_at datetime, expired_time bigint',
    logs: `use_time integer DEFAULT 0, is_stream numeric, token_id integer DEFAULT 0, "group" text, other text`,
  },
  ezlinkai: {
    users: 'google_id text, channel_ratios text',
    channels: 'config text, multi_key_info json, header_override text',
    logs: 'request_id text, cached_tokens integer, duration real, first_word_latency real, is_stream numeric, other text',
  },
}

const tables = { users, tokens, channels, redemptions, logs } as const

/** Tables that only this product has. */
const furtherTables: Partial<Record<Product | OtherProduct, readonly string[]>> = {
  'new-api': ['top_ups (id integer, user_id integer, amount bigint)', 'quota_data (id integer, user_id integer, quota bigint)'],
  'one-hub': [
    'user_groups (id integer, symbol varchar(50), name varchar(50), ratio real, api_rate integer, "public" numeric)',
    'prices (model varchar(100), type varchar(10), channel_type integer, input real, output real, locked numeric)',
    'telegram_menus (id integer, command text)',
  ],
  'done-hub': ['user_groups (id integer, symbol varchar(50), name varchar(50), ratio real)', 'prices (model varchar(100), input real)'],
}

type Rows = Readonly<Record<string, readonly Row[]>>

/** The statements that create the tables of a product. */
function statementsOf(product: Product | OtherProduct): readonly string[] {
  const statements = Object.entries(tables).map(([table, columns]) => {
    const more = additions[product][table]
    return `CREATE TABLE ${table} (${columns}${more === undefined ? '' : `, ${more}`})`
  })
  return [
    ...statements,
    ...(furtherTables[product] ?? []).map((table) => `CREATE TABLE ${table}`),
    'CREATE TABLE options ("key" text PRIMARY KEY, value text)',
    'CREATE TABLE abilities ("group" varchar(32), model text, channel_id integer, enabled numeric, priority bigint DEFAULT 0)',
  ]
}

/** Creates the database of another gateway, with the tables of its product. */
export function makeGatewayDatabase(path: string, product: Product | OtherProduct, rows: Rows): void {
  const file = new Database(path, { create: true })
  for (const statement of statementsOf(product)) file.run(statement)
  file.close()
  addRows(path, rows)
}

/** Column types that the products' library uses on servers instead of SQLite's. */
const serverTypes: Readonly<Record<'postgres' | 'mysql', ReadonlyArray<readonly [RegExp, string]>>> = {
  postgres: [
    [/\binteger PRIMARY KEY AUTOINCREMENT/g, 'bigserial PRIMARY KEY'],
    [/\b(?:integer|int)\b/g, 'bigint'],
    [/\bnumeric\b/g, 'boolean'],
    [/\breal\b/g, 'decimal'],
    [/\bdatetime\b/g, 'timestamptz'],
  ],
  mysql: [
    [/"/g, '`'],
    [/\binteger PRIMARY KEY AUTOINCREMENT/g, 'bigint AUTO_INCREMENT PRIMARY KEY'],
    [/\b(?:integer|int)\b/g, 'bigint'],
    [/\bnumeric\b/g, 'boolean'],
    [/\breal\b/g, 'double'],
    [/\bdatetime\b/g, 'datetime(3)'],
    [/\btext (?=UNIQUE|PRIMARY KEY|DEFAULT)/g, 'varchar(191) '],
    [/\btext\b/g, 'longtext'],
  ],
}

/** Creates the database of another gateway on a MySQL or PostgreSQL server. */
export async function makeServerGateway(address: string, product: Product | OtherProduct, rows: Rows): Promise<void> {
  const engine = address.startsWith('mysql') ? 'mysql' : 'postgres'
  const quote = engine === 'mysql' ? '`' : '"'
  const server = new SQL(address, { max: 1 })
  // Takes a backslash in a text literally, as the other engines do.
  if (engine === 'mysql') await server.unsafe("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')")
  for (const statement of statementsOf(product)) {
    await server.unsafe(serverTypes[engine].reduce((text, [from, to]) => text.replaceAll(from, to), statement))
  }
  for (const [table, list] of Object.entries(rows)) {
    for (const row of list) {
      const columns = Object.keys(row).map((name) => quote + name + quote)
      await server.unsafe(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`)
    }
  }
  await server.close()
}

const literal = (value: Row[string]): string => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value))

/** Adds empty tables to it. */
export function addTables(path: string, definitions: readonly string[]): void {
  const file = new Database(path)
  for (const definition of definitions) file.run(`CREATE TABLE ${definition}`)
  file.close()
}

/** Adds rows to it. */
export function addRows(path: string, rows: Rows): void {
  const file = new Database(path)
  file.transaction(() => {
    for (const [table, list] of Object.entries(rows)) {
      for (const row of list) {
        const names = Object.keys(row)
        const marks = names.map(() => '?').join(', ')
        file.query(`INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${marks})`).run(...Object.values(row))
      }
    }
  })()
  file.close()
}
