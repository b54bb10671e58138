import type { Generated } from 'kysely'

// Types of the rows as both engines return them. Booleans are 0 or 1; times are seconds since the epoch;
// amounts are whole quota units below 2^53.

export interface UserTable {
  id: Generated<number>
  username: string
  display_name: string
  password_hash: string
  /** 1 while the account still has the built-in first password. */
  default_password: Generated<number>
  /** In small letters. It, the ids and the invite code are unique unless empty. */
  email: Generated<string>
  github_id: Generated<string>
  wechat_id: Generated<string>
  lark_id: Generated<string>
  /** Comma list. */
  groups: Generated<string>
  /** Balance. Changed only in `ledger/`. */
  quota: Generated<number>
  used_quota: Generated<number>
  request_count: Generated<number>
  role: number
  status: number
  /** HMAC of the system access token; null = none. */
  access_token_lookup: string | null
  aff_code: Generated<string>
  inviter_id: Generated<number>
  created_time: number
}

export interface SessionTable {
  /** SHA-256 of the cookie. */
  id_hash: string
  user_id: number
  created_at: number
  seen_at: number
  user_agent: string
  address: string
}

/** A code, link or state that was given out and waits to come back. */
export interface CodeTable {
  /** HMAC of what it is for: purpose and address. */
  key_hash: string
  /** HMAC of the code itself. */
  secret_hash: string
  /** The account it was given to; 0 = none. */
  user_id: number
  /** What its purpose needs to know again. */
  detail: string
  tries_left: number
  expires_at: number
}

/** How often something was done in a window of time. */
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
  models: string
  subnet: string
  /** Limits: 0 = none. */
  requests_per_minute: Generated<number>
  tokens_per_minute: Generated<number>
  requests_at_once: Generated<number>
  quota_per_day: Generated<number>
  quota_per_month: Generated<number>
  /** The last day (of UTC, since the epoch) that the token's limits were asked for, and what it had spent in all when that began. */
  day_number: Generated<number>
  day_base: Generated<number>
  /** The same for the month: twelve times the year and the month, counted from 0. */
  month_number: Generated<number>
  month_base: Generated<number>
  /** JSON: the forms that changed `remain_quota` last, and by how much each. Changed only in `ledger/`. */
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
  model_mapping: string
  config_sealed: string
  /** JSON; empty: nothing is set. */
  settings_sealed: Generated<string>
}

/** What a channel has served: a row for each, made and removed with it. Changed only in `ledger/`. */
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
  /** Why it failed; empty where it passed. */
  message: string
}

export interface RedemptionTable {
  id: Generated<number>
  /** Who made it. */
  user_id: number
  /** HMAC of the code. */
  key_lookup: string
  key_sealed: string
  status: number
  name: string
  quota: number
  created_time: number
  redeemed_time: Generated<number>
  /** Who redeemed it; 0 = nobody here. */
  used_user_id: Generated<number>
}

export interface OptionTable {
  key: string
  value: string
  /** Role of the account that set it last. */
  set_by_role: Generated<number>
}

/** The master key that the store is sealed with: one row. */
export interface MasterKeyTable {
  /** A keyed hash that names the key. */
  fingerprint: string
}

export interface HoldTable {
  request_id: string
  user_id: number
  token_id: number
  amount: number
  model_name: string
  created_at: number
  /** What a running answer has cost so far, as last noted. */
  delivered_quota: Generated<number>
  channel_id: Generated<number>
  prompt_tokens: Generated<number>
  completion_tokens: Generated<number>
}

/** The other side of every entry: what came from it and went to it. Changed only in `ledger/`. */
export interface LedgerAccountTable {
  /** As entries name it, such as `sys:consume`. */
  name: string
  balance: number
}

export interface LedgerTable {
  id: Generated<number>
  /** consume, grant, admin, redeem, top-up, expire, import */
  kind: string
  /** What the entry is for: the request id, the redemption id... One entry a kind and ref, ever. */
  ref: string
  user_id: number
  /** The token that spent and the channel that answered; 0 where the entry is no request. */
  token_id: Generated<number>
  channel_id: Generated<number>
  /** The counter-account that gives or takes the same amount. */
  account: string
  /** What the user's balance gains; negative for spending. */
  amount: number
  created_at: number
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
  /** Every class that was charged, as JSON; empty where nothing was, and in rows from before it was kept. */
  detail: string
}

/** A row of another database that was brought here. */
export interface ImportedTable {
  /** Which database: a name of its own. */
  source: string
  /** user, token, channel, redemption; log = how far its log was read. */
  kind: string
  source_id: number
  /** What it is here; of a log the last id that was read. */
  target_id: number
  /** What it had spent there: no entry of our ledger tells of it. */
  used_quota: Generated<number>
}

/** Quota that a new account and its inviter are to get, written with the account and struck out when the ledger has it. */
export interface GrantDueTable {
  /** The ledger's ref: once, however often it is tried. */
  ref: string
  user_id: number
  amount: number
  content: string
  created_at: number
}

/** Consumption of an hour: what the log's rows of type 2 add up to. */
export interface UsageHourTable {
  /** When it began. */
  hour: number
  user_id: number
  username: string
  token_name: string
  model_name: string
  channel_id: number
  requests: number
  /** Requests that did not end well, through no fault of the client. */
  failures: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
  elapsed_ms: number
}

/** Consumption of an hour over all accounts. */
export interface UsageSumTable {
  /** all; or model, channel, token: what `name` names. */
  scope: string
  /** Empty for all; of a channel its id. */
  name: string
  hour: number
  requests: number
  failures: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
  elapsed_ms: number
}

/** Consumption of an hour by an account's token. */
export interface UsageAccountTable {
  user_id: number
  hour: number
  token_name: string
  requests: number
  failures: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
  elapsed_ms: number
}

/** The same of longer spans. */
export interface UsageAccountSpanTable extends Omit<UsageAccountTable, 'hour'> {
  /** Length of the span in hours. */
  hours: number
  /** When it began: a multiple of its length since 1970. */
  start: number
}

/** A name under which an account stands in the log. */
export interface UsageNameTable {
  username: string
  user_id: number
}

/** Consumption of an hour by two of account, token, model and channel. */
export interface UsagePairTable extends Omit<UsageSumTable, 'name'> {
  /** `scope` says what these two name, as `token-model`. Of an account and of a channel it is the id. */
  one: string
  other: string
}

/** An answer that its vendor keeps, and that can be asked for again. */
export interface KeptAnswerTable {
  user_id: number
  /** The vendor's, or ours of a part that no vendor keeps; of an encrypted text its HMAC. */
  id: string
  token_id: number
  channel_id: number
  /** HMAC of the channel's key: behind another key is another account, which does not have it. */
  key_lookup: string
  /** A part of an answer that no vendor keeps, sealed. */
  item_sealed: string | null
  created_at: number
}

export interface LogMarkTable {
  /** `rolled-up`: the last log id that the hours hold. `cleaned-until`: the time before which log rows have been deleted. None = 0. */
  name: string
  value: number
}

export interface Schema {
  users: UserTable
  grants_due: GrantDueTable
  sessions: SessionTable
  codes: CodeTable
  counters: CounterTable
  tokens: TokenTable
  channels: ChannelTable
  channel_usage: ChannelUsageTable
  channel_tests: ChannelTestTable
  redemptions: RedemptionTable
  options: OptionTable
  master_key: MasterKeyTable
  holds: HoldTable
  ledger: LedgerTable
  ledger_accounts: LedgerAccountTable
  logs: LogTable
  imported: ImportedTable
  usage_hours: UsageHourTable
  usage_sums: UsageSumTable
  usage_accounts: UsageAccountTable
  usage_account_spans: UsageAccountSpanTable
  usage_pairs: UsagePairTable
  usage_names: UsageNameTable
  log_marks: LogMarkTable
  kept_answers: KeptAnswerTable
}
