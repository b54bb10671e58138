/** Tables that grow with accounts, requests or time. */
export const growingTables: readonly string[] = [
  ...['users', 'sessions', 'codes', 'counters', 'tokens', 'redemptions', 'ledger', 'logs', 'imported', 'usage_hours', 'usage_sums'],
  ...[
    'usage_accounts',
    'usage_account_spans',
    'usage_pairs',
    'usage_times',
    'kept_answers',
    'tasks',
    'task_contents',
    'task_files',
    'task_order_keys',
    'task_characters',
  ],
  ...['changes', 'notification_rules', 'notification_deliveries'],
]

interface AllowedQuery {
  readonly query: RegExp
  readonly why: string
}

const page = 'One page in the order of its index: it ends after some rows. It runs beside the server.'
const search = 'A part of a text is found by reading every row. It runs beside the server, with a limit of time.'
const filter = 'A filter reads rows until the page is full: all of them if few match. It runs beside the server, with a limit of time.'
const byBalance = 'An index on what every request changes would cost every request. It runs beside the server: 60 ms with 100,000 accounts.'
const migration = 'A migration, once.'
const newKey = 'Everything that is sealed gets a new key, while no server runs.'
const verification = 'Verification reads everything, and is a command of its own.'

/** Queries that may read a whole table, each with its reason. */
export const mayScan: readonly AllowedQuery[] = [
  {
    query:
      /^INSERT INTO (?:usage_\w+ SELECT|ledger_accounts) |^UPDATE logs SET type = 4|^UPDATE (?:holds AS h|users AS u|tokens AS t) SET leased/,
    why: migration,
  },
  { query: /^UPDATE task_files SET user_id = /, why: migration },
  { query: /^select count\(\*\) as "rows"/, why: 'Compares a whole table with its copy, when an installation moves to another engine.' },
  { query: /^select "id" from "users" limit \?$/, why: 'Reads one row.' },
  { query: /from "users" where "status" <> \? order by "users"\."id" desc/, why: page },
  {
    query: /from "users" .*where "users"\."inviter_id" = \?/,
    why: 'Accounts of one inviter, without an index that every account would pay for. It runs beside the server, and calls are limited.',
  },
  { query: /from "redemptions" order by "redemptions"\."id" desc/, why: page },
  {
    query:
      /from "users" where "status" <> \? (?:and \(.*\) (?:and "id" <> \? )?)?order by "users"\."(?:quota|used_quota|request_count)" desc/,
    why: byBalance,
  },
  { query: /from "users" where "status" <> \? and (?:"role"|"status"|replace).* order by "users"\."id" desc/, why: filter },
  { query: /from "redemptions" where "status" = .* order by "redemptions"\."id" desc/, why: filter },
  { query: /from "users" where .* LIKE /, why: search },
  { query: /from "redemptions" where .* LIKE /, why: search },
  {
    query: /from \(select \* from "logs" .* limit \?\) as "logs"/,
    why: 'The newest 20,000 rows, found by an index. It runs in another process.',
  },
  { query: /^select "id" from "(logs|ledger)" order by "id" desc limit \?$/, why: 'Reads one row.' },
  {
    query: /^SELECT 'user' AS what|^SELECT 'missing user' AS what|^SELECT COUNT\(\*\) AS entries|^SELECT l\.ref AS ref/,
    why: verification,
  },
  { query: /^SELECT CAST\(COALESCE\(SUM\("(?:quota|amount)" \/ 1000000\)|^SELECT name, CAST\(SUM\(stored\)/, why: verification },
  {
    query:
      /^delete from "kept_answers" where "id" like|^select "id", "url_sealed", "secret_sealed" from|^select "id", "username", "access_token_lookup" from|^select "task_id", "place" from|^select "user_id", "id", "item_sealed" from/,
    why: newKey,
  },
  { query: /^select "holds"\."request_id" from "holds" inner join "ledger"/, why: verification },
  { query: /^select count\(\*\) as "count" from "users" where "quota" < \?/, why: verification },
  {
    query:
      /^SELECT [\w, ]+ FROM \( SELECT [\w, ]+, requests, quota, prompt_tokens \+ completion_tokens AS tokens, cost - costed_quota AS loss, served, unserved FROM usage_/,
    why: verification,
  },
  { query: /^SELECT t\.public_id AS id, 'runs without a reservation'/, why: verification },
  { query: /from "tasks" .*\."channel_id" order by "tasks"\."created_at" desc, "tasks"\."id" desc limit \?/, why: page },
  { query: /FROM \(SELECT type, created_at, estimated FROM logs ORDER BY id DESC LIMIT \?\)/, why: 'The newest 5,000 rows.' },
]

/** Queries that may sort rows of a growing table, each with its reason. */
export const maySort: readonly AllowedQuery[] = [
  {
    query: /^select .* as "line_id", .* from "logs" where "type" = \? and "created_at" >= \? and "created_at" < \? and "id" <= \? and /,
    why: 'The part of an hour in which a day begins, where days begin within hours: less than an hour of the log.',
  },
  { query: /from "sessions" where "user_id" = \? and .* order by "seen_at" desc/, why: 'The sessions of one account, which are few.' },
  { query: /from "tasks" .*"tasks"\."id" in \(/, why: 'The rows of one page, named by their ids.' },
  { query: /^INSERT INTO (?:usage_\w+ SELECT|ledger_accounts) |^UPDATE (?:users AS u|tokens AS t) SET leased/, why: migration },
  { query: /^INSERT INTO stored_bytes .* FROM task_files /, why: migration },
  {
    query: /^WITH RECURSIVE used \(model, kind\) /,
    why: 'A page for each model that the account has used, of which each comes from an index in its order.',
  },
  {
    query: /^SELECT (?:'user' AS what|'missing user' AS what|hour, SUM|l\.ref AS ref|name, CAST\(SUM\(stored\))/,
    why: verification,
  },
  {
    query:
      /^SELECT (?:r\.id AS id, CAST\(r\.quota|name, CAST\(SUM\(balance\))|^select "kind", .* from "ledger" where "id" > \? and "id" <= \? group by/,
    why: 'Entries of the ledger since the last check: some thousand at a time.',
  },
  {
    query:
      /^SELECT [\w, ]+ FROM \( SELECT [\w, ]+, requests, quota, prompt_tokens \+ completion_tokens AS tokens, cost - costed_quota AS loss, served, unserved FROM usage_/,
    why: verification,
  },
  {
    query: /^INSERT INTO (?:usage_\w+ \(|log_hours ).* FROM (?:logs .*id > \? AND (?:logs\.)?id <= \?|log_hours )/,
    why: 'The rows of the log that one step adds up: at most 2,000.',
  },
  { query: /from "usage_\w+"/, why: 'Sums are grouped by the lines of a chart. It runs in another process.' },
  { query: /^select .* from "users" where \("username" = \? or \("email" = \?/, why: 'At most two rows.' },
  {
    query: /^select .* from "logs" where end_reason NOT IN .* and user_id in \(/,
    why: 'The requests that failed of the few accounts that had one name, one after the other.',
  },
  { query: /^select "notification_rules"\."id", max\("subject"\)/, why: 'The rules of one kind, which root makes.' },
  { query: /^select .* from "grants_due" inner join/, why: 'Grants wait only for moments, so there are few.' },
  {
    query: /^select .* from "tokens" where "user_id" = \? .*order by "tokens"\."(?:used_quota|unlimited_quota)"/,
    why: 'The tokens of one account.',
  },
  {
    query:
      /from "users" where "status" <> \? (?:and \(.*\) (?:and "id" <> \? )?)?order by "users"\."(?:quota|used_quota|request_count)" desc/,
    why: byBalance,
  },
]
