import type { Generated } from 'kysely'
import type { LedgerTables } from './ledger-tables.ts'
import type { LeaseTable, NodeTable } from './node-tables.ts'
import type { NotificationTables } from './notification-tables.ts'
import type {
  AccessTokenTable,
  InstallationMarkTable,
  PasskeyTable,
  RecoveryCodeTable,
  SecondFactorTable,
  SessionTable,
  SetupLinkTable,
} from './security-tables.ts'
import type { TaskTables } from './task-table.ts'
import type { CountColumn, TimeColumn } from './usage-columns.ts'

// Types of the rows as both engines return them. Booleans are 0 or 1; times are seconds since the epoch;
// amounts are whole quota units below 2^53.

export interface UserTable {
  id: Generated<number>
  username: string
  display_name: string
  password_hash: string
  /** 1 while the account still has the built-in first password. */
  default_password: Generated<number>
  /** Lower case. It, the ids and the invite code are unique unless empty. */
  email: Generated<string>
  github_id: Generated<string>
  wechat_id: Generated<string>
  lark_id: Generated<string>
  google_id: Generated<string>
  /** Issuer and subject, with a space between them. */
  oidc_id: Generated<string>
  /** Comma-separated. */
  groups: Generated<string>
  /** Balance. Changed only in `ledger/`. */
  quota: Generated<number>
  used_quota: Generated<number>
  /** What nodes may spend of it without asking, and what running tasks reserve. Not used on SQLite. */
  leased: Generated<number>
  request_count: Generated<number>
  role: number
  status: number
  /** HMAC of the system access token; null = none. */
  access_token_lookup: string | null
  /** When it was made; 0 = unknown, or there is none. */
  access_token_created_time: Generated<number>
  /** Its last use, to within five minutes; 0 = none that is known. */
  access_token_used_time: Generated<number>
  aff_code: Generated<string>
  inviter_id: Generated<number>
  created_time: number
}

/** A code, link or state that was issued and not yet redeemed. */
export interface CodeTable {
  /** HMAC of purpose and address. */
  key_hash: string
  /** HMAC of the code itself. */
  secret_hash: string
  /** The account it was issued to; 0 = none. */
  user_id: number
  /** Data that its purpose needs when it is redeemed. */
  detail: string
  tries_left: number
  expires_at: number
}

/** How often something happened in a time window. */
export interface CounterTable {
  key_hash: string
  count: number
  ends_at: number
}

export interface TokenTable {
  id: Generated<number>
  user_id: number
  /** HMAC of the key. */
  key_lookup: string
  key_sealed: string
  name: string
  status: number
  created_time: number
  accessed_time: number
  expired_time: number
  /** What the token may still spend. Changed only in `ledger/`. */
  remain_quota: number
  unlimited_quota: number
  used_quota: Generated<number>
  /** As of an account. */
  leased: Generated<number>
  models: string
  subnet: string
  /** Limits: 0 = none. */
  requests_per_minute: Generated<number>
  tokens_per_minute: Generated<number>
  requests_at_once: Generated<number>
  quota_per_day: Generated<number>
  quota_per_month: Generated<number>
  /** 1: the token sees only tasks and responses that it created itself. */
  own_work_only: Generated<number>
  /** The last UTC day (since the epoch) on which the limits were checked, and the token's total spending when that day began. */
  day_number: Generated<number>
  day_base: Generated<number>
  /** The last month in which the limits were checked (year * 12 + month, from 0), and the token's total spending when it began. */
  month_number: Generated<number>
  month_base: Generated<number>
  /** JSON: ids of the form submissions that changed `remain_quota` last, and each amount. Changed only in `ledger/`. */
  quota_forms: Generated<string>
}

export interface ChannelTable {
  id: Generated<number>
  type: number
  name: string
  key_sealed: string
  status: number
  weight: number
  priority: number
  created_time: number
  test_time: Generated<number>
  response_time: Generated<number>
  base_url: string
  other: string
  balance: Generated<number>
  balance_updated_time: Generated<number>
  models: string
  groups: string
  /** Of channels that belong together; empty = none. */
  tag: Generated<string>
  model_mapping: string
  config_sealed: string
  /** JSON; empty = nothing is set. */
  settings_sealed: Generated<string>
}

/** Usage of a channel: one row each, created and deleted with the channel. Changed only in `ledger/`. */
export interface ChannelUsageTable {
  channel_id: number
  used_quota: Generated<number>
}

export interface ChannelTestTable {
  id: Generated<number>
  channel_id: number
  created_time: number
  model: string
  passed: number
  elapsed_ms: number
  /** Why it failed; empty if it passed. */
  message: string
}

export interface RedemptionTable {
  id: Generated<number>
  /** The account that created it. */
  user_id: number
  /** HMAC of the code. */
  key_lookup: string
  key_sealed: string
  status: number
  name: string
  quota: number
  created_time: number
  redeemed_time: Generated<number>
  /** -1 = never. */
  expired_time: Generated<number>
  /** The account that redeemed it; 0 = none in this store. */
  used_user_id: Generated<number>
}

export interface OptionTable {
  key: string
  value: string
  /** Role of the account that set it last. */
  set_by_role: Generated<number>
  /** A proposed value that root has not approved; `null` = none. */
  pending: Generated<string | null>
  /** The account that proposed it. */
  pending_by: Generated<number>
}

/** The master key that the store is sealed with: one row. */
export interface MasterKeyTable {
  /** A keyed hash that names the key. */
  fingerprint: string
  /** How the key is derived; empty = as in the first versions. */
  derivation: Generated<string>
}

export interface HoldTable {
  request_id: string
  user_id: number
  token_id: number
  amount: number
  model_name: string
  created_at: number
  /** Cost of a running response at its last progress mark. */
  delivered_quota: Generated<number>
  channel_id: Generated<number>
  prompt_tokens: Generated<number>
  completion_tokens: Generated<number>
  /** The task (`public_id`) that it belongs to; `set-aside`: its end is in `ledger_set_aside`; empty: a request, which a crash ends. */
  task_id: Generated<string>
  /** The start of the node that it belongs to; 0: a task's, one whose end was set aside, or one of SQLite. */
  epoch: Generated<number>
  /** What a task's reservation takes of its account and its token. A node's is in its leases. */
  leased: Generated<number>
  token_leased: Generated<number>
}

export interface LogTable {
  id: Generated<number>
  user_id: number
  created_at: number
  type: number
  content: string
  username: string
  token_name: string
  model_name: string
  upstream_model: string
  quota: number
  prompt_tokens: number
  completion_tokens: number
  cached_tokens: number
  channel_id: number
  request_id: string
  elapsed_ms: number
  first_byte_ms: number
  is_stream: number
  attempts: number
  end_reason: string
  estimated: number
  usage_suspect: number
  /** What the vendor charges for it, in quota; null: not known, or no request. */
  cost: number | null
  /** 0: the server or a vendor failed; null: the client caused the end, no request, or a row older than this column. */
  served: number | null
  /** Every line item of the charge, as JSON; empty if there was none, and in rows older than this column. */
  detail: string
}

/** A row that was imported from another database. */
export interface ImportedTable {
  /** Name of the other database. */
  source: string
  /** user, token, channel, redemption; log = how far its log has been read. */
  kind: string
  source_id: number
  /** Id of the row here; of a log, the last id that was read. */
  target_id: number
  /** What it had spent in the other database, which our ledger has no entries of. */
  used_quota: Generated<number>
}

/** Quota due to a new account and its inviter: inserted with the account, deleted once the ledger has credited it. */
export interface GrantDueTable {
  /** The ledger's ref: makes retries credit it only once. */
  ref: string
  user_id: number
  amount: number
  content: string
  created_at: number
}

/** Consumption of an hour: the sums of the log's rows of type 2. */
export interface UsageHourTable extends Record<CountColumn, number> {
  /** Start of the hour. */
  hour: number
  user_id: number
  username: string
  token_name: string
  model_name: string
  channel_id: number
}

/** Consumption of an hour over all accounts. */
export interface UsageSumTable extends Record<CountColumn, number> {
  /** `all`, or what `name` is: model, channel, token. */
  scope: string
  /** Empty for `all`; of a channel, its id. */
  name: string
  hour: number
}

/** Consumption of an hour by an account's token. */
export interface UsageAccountTable extends Record<CountColumn, number> {
  user_id: number
  hour: number
  token_name: string
}

/** Consumption of an account's token in a span of several hours. */
export interface UsageAccountSpanTable extends Omit<UsageAccountTable, 'hour'> {
  /** Length of the span in hours. */
  hours: number
  /** Start of the span: a multiple of its length since 1970. */
  start: number
}

/** A name that an account has in the log. */
export interface UsageNameTable {
  username: string
  user_id: number
}

/** Consumption of an hour by a pair of account, token, model and channel. */
export interface UsagePairTable extends Omit<UsageSumTable, 'name'> {
  /** `scope` says what the two are, such as `token-model`. Accounts and channels are named by id. */
  one: string
  other: string
}

/** Failed requests of an hour by their error code; scopes and names as in `usage_times`. */
export interface UsageErrorTable {
  scope: 'all' | 'model' | 'channel' | 'user'
  name: string
  hour: number
  code: string
  requests: number
}

/** Durations and ends of the requests of an hour. */
export interface UsageTimeTable extends Record<TimeColumn, number> {
  /** `all`, or what `name` is: model, channel, user. */
  scope: string
  /** Empty for `all`; of a channel or an account, its id. */
  name: string
  hour: number
}

/** A stored response: which channel made it and for which account. */
export interface KeptResponseTable {
  user_id: number
  /** The vendor's id, or ours for a part that no vendor stores; for an encrypted text, its HMAC. */
  id: string
  token_id: number
  channel_id: number
  /** HMAC of the channel's key: another key may belong to another vendor account, which does not have the response. */
  key_lookup: string
  /** A part of a response that no vendor stores, sealed. */
  item_sealed: string | null
  /** LLM tokens of a response with its prompt, or of a part of one; `null`: its vendor did not report them. */
  tokens: number | null
  /** As the client named it; empty for rows of earlier versions. */
  model: Generated<string>
  /** Length of `item_sealed`, as `stored_bytes` counts it; 0 for rows of earlier versions. */
  bytes: Generated<number>
  created_at: number
}

/** What an account stores. Triggers change it in the transaction that stores or deletes. */
export interface StoredBytesTable {
  /** `responses`: the content of stored responses; `results`: copies of results of tasks. */
  kind: string
  user_id: number
  bytes: number
}

export interface LogMarkTable {
  /**
   * `rolled-up`: last log id that is in the hourly sums. `cleaned-until`: log rows before this time were deleted. `copied`: last log
   * id that has been copied elsewhere. `copying`: the last one of the batch that is being copied. A missing row = 0.
   */
  name: string
  value: number
}

/** A change of an option or a channel, with what is needed to undo it. */
export interface ChangeTable {
  id: Generated<number>
  /** `option` or `channel`. */
  noun: string
  /** The key of the option, or the id of the channel. */
  target: string
  actor_id: number
  /** The user name at that time. */
  changed_by: string
  created_at: number
  /** JSON objects of what differs; without secrets. */
  before: string
  after: string
  /** JSON list: names of secrets that changed. */
  hidden: string
}

export interface Schema extends LedgerTables, TaskTables, NotificationTables {
  users: UserTable
  grants_due: GrantDueTable
  sessions: SessionTable
  second_factors: SecondFactorTable
  recovery_codes: RecoveryCodeTable
  passkeys: PasskeyTable
  access_tokens: AccessTokenTable
  setup_links: SetupLinkTable
  installation_marks: InstallationMarkTable
  codes: CodeTable
  counters: CounterTable
  tokens: TokenTable
  channels: ChannelTable
  channel_usage: ChannelUsageTable
  channel_tests: ChannelTestTable
  redemptions: RedemptionTable
  options: OptionTable
  changes: ChangeTable
  master_key: MasterKeyTable
  holds: HoldTable
  logs: LogTable
  imported: ImportedTable
  usage_hours: UsageHourTable
  usage_sums: UsageSumTable
  usage_accounts: UsageAccountTable
  usage_account_spans: UsageAccountSpanTable
  usage_pairs: UsagePairTable
  usage_times: UsageTimeTable
  usage_errors: UsageErrorTable
  usage_names: UsageNameTable
  log_marks: LogMarkTable
  kept_answers: KeptResponseTable
  stored_bytes: StoredBytesTable
  nodes: NodeTable
  leases: LeaseTable
}
