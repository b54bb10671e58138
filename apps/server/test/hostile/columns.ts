import { countColumns, timeColumns } from '../../src/db/usage-columns.ts'

// Where the value of every column of the database comes from. A new column must be added here: what a vendor may decide has bounds, and a
// scenario in which a vendor sends values of every type in its place.

/** What a value must be that a vendor has decided. */
export type Bounds =
  | { readonly is: 'whole'; readonly most: number }
  | { readonly is: 'number'; readonly most: number }
  | { readonly is: 'text'; readonly charsMax: number }
  /** Its length is limited where it is made. */
  | { readonly is: 'sealed'; readonly charsMax: number }
  | { readonly is: 'one of'; readonly values: readonly string[] }

export const scenarios = [
  'chats',
  'responses',
  'videos',
  'songs',
  'pictures',
  'batches',
  'characters',
  'copies',
  'balances',
  'tests',
  'refusals',
] as const
export type Scenario = (typeof scenarios)[number]

export interface VendorColumn {
  readonly bounds: Bounds
  /** The scenario that fills it. */
  readonly by: Scenario
}

export interface TableSources {
  /** Made by the server: ids, states, times of its own clock, counts of its own, HMACs. */
  readonly server: readonly string[]
  /** Entered by people or sent by clients, and checked by the contract. */
  readonly people: readonly string[]
  readonly vendors: Readonly<Record<string, VendorColumn>>
}

const namesIn = (list: string): readonly string[] => list.split(' ').filter((name) => name !== '')
const table = (server: string, people = '', vendors: TableSources['vendors'] = {}): TableSources => ({
  server: namesIn(server),
  people: namesIn(people),
  vendors,
})

const maxQuota = Number.MAX_SAFE_INTEGER
const whole = (by: Scenario, most = maxQuota): VendorColumn => ({ bounds: { is: 'whole', most }, by })
const text = (by: Scenario, charsMax: number): VendorColumn => ({ bounds: { is: 'text', charsMax }, by })
const sealed = (by: Scenario, charsMax: number): VendorColumn => ({ bounds: { is: 'sealed', charsMax }, by })

/** Most tokens of one response or one batch of two. */
const tokensMax = 2_000_000_000
/** Times until the end of the year 9999. */
const secondsMax = 253_402_300_799

/** Sums of a vendor's counts. */
const sums = (names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => /quota|tokens|cost/.test(name)).map((name) => [name, whole('chats')]))
const ownSums = (names: readonly string[]): string => names.filter((name) => !/quota|tokens|cost/.test(name)).join(' ')

export const sources: Readonly<Record<string, TableSources>> = {
  kysely_migration: table('name timestamp'),
  kysely_migration_lock: table('id is_locked'),
  users: table(
    'id password_hash default_password access_token_lookup access_token_created_time access_token_used_time aff_code inviter_id created_time leased request_count status',
    'username display_name email github_id wechat_id lark_id google_id oidc_id groups role',
    { quota: { bounds: { is: 'number', most: maxQuota }, by: 'chats' }, used_quota: whole('chats') },
  ),
  setup_links: table('user_id secret_hash created_at'),
  installation_marks: table('name'),
  sessions: table('id_hash user_id created_at seen_at way', 'user_agent address'),
  tokens: table(
    'id user_id key_lookup key_sealed status created_time accessed_time day_number day_base month_number month_base quota_forms leased',
    'name expired_time unlimited_quota models subnet requests_per_minute tokens_per_minute requests_at_once quota_per_day quota_per_month own_work_only',
    { remain_quota: { bounds: { is: 'number', most: maxQuota }, by: 'chats' }, used_quota: whole('chats') },
  ),
  channels: table(
    'id key_sealed status created_time test_time response_time balance_updated_time config_sealed settings_sealed',
    'type name weight priority base_url other models groups model_mapping tag',
    { balance: { bounds: { is: 'number', most: 1e15 }, by: 'balances' } },
  ),
  options: table('set_by_role pending_by', 'key value pending'),
  holds: table(
    'request_id user_id token_id amount model_name created_at delivered_quota channel_id prompt_tokens completion_tokens task_id epoch leased token_leased',
  ),
  ledger: table('id kind ref user_id token_id channel_id account created_at', '', {
    amount: { bounds: { is: 'number', most: maxQuota }, by: 'chats' },
  }),
  logs: table(
    'id user_id created_at type channel_id request_id elapsed_ms first_byte_ms is_stream attempts end_reason estimated usage_suspect served',
    'username token_name model_name upstream_model',
    {
      content: text('tests', 4_000),
      detail: text('chats', 100_000),
      quota: whole('chats'),
      cost: whole('chats'),
      prompt_tokens: whole('chats', tokensMax),
      completion_tokens: whole('chats', tokensMax),
      cached_tokens: whole('chats', tokensMax),
    },
  ),
  grants_due: table('ref user_id amount content created_at'),
  codes: table('key_hash secret_hash user_id detail tries_left expires_at'),
  counters: table('key_hash count ends_at'),
  redemptions: table('id user_id key_lookup key_sealed status created_time redeemed_time used_user_id', 'name quota expired_time'),
  channel_tests: table('id channel_id created_time model passed elapsed_ms', '', { message: text('tests', 500) }),
  usage_hours: table(`hour user_id channel_id ${ownSums(countColumns)}`, 'username token_name model_name', sums(countColumns)),
  log_marks: table('name value'),
  imported: table('source kind source_id target_id used_quota'),
  kept_answers: table('user_id token_id channel_id key_lookup created_at', 'model', {
    id: text('responses', 256),
    item_sealed: sealed('responses', 2 * 1024 * 1024),
    bytes: whole('responses', 2 * 1024 * 1024),
    tokens: whole('responses', tokensMax),
  }),
  stored_bytes: table('kind user_id', '', { bytes: whole('responses') }),
  channel_usage: table('channel_id', '', { used_quota: whole('chats') }),
  ledger_accounts: table('name', '', { balance: { bounds: { is: 'number', most: maxQuota }, by: 'chats' } }),
  // The ledger writes it in whole numbers and printable characters, whatever the operation has.
  ledger_set_aside: table(
    'id request_id user_id token_id kind amount held task_id operation error_code error_message tries created_at state decision charged resolved_by resolved_at',
    'remark',
  ),
  master_key: table('fingerprint', 'derivation'),
  usage_sums: table(`scope name hour ${ownSums(countColumns)}`, '', sums(countColumns)),
  usage_accounts: table(`user_id hour ${ownSums(countColumns)}`, 'token_name', sums(countColumns)),
  usage_account_spans: table(`hours start user_id ${ownSums(countColumns)}`, 'token_name', sums(countColumns)),
  usage_pairs: table(`scope one other hour ${ownSums(countColumns)}`, '', sums(countColumns)),
  usage_names: table('user_id', 'username'),
  usage_times: table(`scope name hour ${timeColumns.join(' ')}`),
  usage_errors: table('scope name hour requests', '', { code: text('videos', 200) }),
  tasks: table(
    'id public_id user_id token_id request_id group_name stage epoch channel_id channel_type idempotency_key held polls misses next_poll_ms give_up_at created_at ended_at',
    'kind action model upstream_model order_sealed',
    {
      state: { bounds: { is: 'one of', values: ['queued', 'in_progress', 'completed', 'failed', 'cancelled', 'expired'] }, by: 'videos' },
      progress: whole('videos', 100),
      vendor_id: text('videos', 512),
      upstream_sealed: sealed('videos', 4 * 1024 * 1024),
      result_sealed: sealed('videos', 4 * 1024 * 1024),
      error_code: text('videos', 100),
      error_message: text('videos', 2_000),
      price: text('pictures', 20_000),
      charged: whole('pictures'),
      expires_at: whole('videos', secondsMax),
    },
  ),
  task_contents: table('task_id place', '', { content_sealed: sealed('songs', 4 * 1024 * 1024) }),
  task_files: table('id task_id user_id place state tries next_try_ms kept_at kept_until', '', {
    content_type: text('copies', 120),
    bytes: whole('copies', 100_000),
  }),
  task_order_keys: table('user_id order_hash task_id created_at', 'client_key'),
  second_factors: table('user_id is_on app_sealed app_confirmed app_step'),
  recovery_codes: table('user_id code_lookup'),
  passkeys: table('id user_id counter created_time used_time', 'credential_id public_key host name transports'),
  access_tokens: table('id user_id lookup created_time used_time', 'name scopes expired_time'),
  task_characters: table('id public_id user_id token_id channel_id created_at', 'name model', { vendor_id: text('characters', 512) }),
  changes: table('id noun target actor_id changed_by created_at', 'before after hidden'),
  notification_rules: table(
    'id user_id created_time',
    'name kind scope threshold hours target url_sealed secret_sealed is_on model_name channel_id',
  ),
  notification_breaches: table('rule_id subject'),
  notification_deliveries: table(
    'id delivery_id user_id rule_id target is_test state attempts next_ms address error created_time ended_time',
    'rule_name',
    {
      notice: text('refusals', 4_000),
    },
  ),
}

const ofOneEngine: ReadonlySet<string> = new Set(
  namesIn('sqlite_sequence config_changes job_owners leases logs_before logs_other nodes rate_limits throttles token_minutes token_places'),
)

/** Whether only one engine has a table: it holds what nodes share with each other, or is a part of the log. */
export const isOfOneEngine = (name: string): boolean => ofOneEngine.has(name) || /^logs_\d+$/.test(name)
