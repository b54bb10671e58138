import { Database } from 'bun:sqlite'

/** Values of a row by its columns; columns that are not named get the defaults of the schema. */
export type Row = Readonly<Record<string, string | number | null>>

/** Products whose databases the import reads. */
export type Product = 'one-api-0.6.8' | 'one-api' | 'new-api' | 'ezlinkai'

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

/** What a product's tables have beyond those of all. */
const additions: Readonly<Record<Product, Readonly<Record<string, string>>>> = {
  'one-api-0.6.8': { users: 'lark_id text', tokens: "models text DEFAULT '', subnet text DEFAULT ''", channels: 'config text' },
  'one-api': {
    users: 'lark_id text, oidc_id text',
    tokens: "models text, subnet text DEFAULT ''",
    channels: 'config text, system_prompt text',
    logs: "request_id text DEFAULT '', elapsed_time bigint DEFAULT 0, is_stream numeric DEFAULT false",
  },
  'new-api': {
    users: 'oidc_id text, telegram_id text, linux_do_id text, setting text, deleted_at datetime',
    tokens: `model_limits_enabled numeric, model_limits text, allow_ips text DEFAULT '', "group" text DEFAULT '', deleted_at datetime`,
    channels: 'auto_ban integer DEFAULT 1, tag text, setting text, param_override text, channel_info json',
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

/** Makes the database of another gateway, with the tables that its product makes. */
export function makeGatewayDatabase(path: string, product: Product, rows: Readonly<Record<string, readonly Row[]>>): void {
  const file = new Database(path, { create: true })
  for (const [table, columns] of Object.entries(tables)) {
    const more = additions[product][table]
    file.run(`CREATE TABLE ${table} (${columns}${more === undefined ? '' : `, ${more}`})`)
  }
  file.run('CREATE TABLE options ("key" text PRIMARY KEY, value text)')
  file.run('CREATE TABLE abilities ("group" varchar(32), model text, channel_id integer, enabled numeric, priority bigint DEFAULT 0)')
  file.close()
  addRows(path, rows)
}

/** Puts further rows into it. */
export function addRows(path: string, rows: Readonly<Record<string, readonly Row[]>>): void {
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
