/** Tables whose rows are as many as accounts, requests or years. */
export const growingTables: readonly string[] = [
  ...['users', 'sessions', 'codes', 'counters', 'tokens', 'redemptions', 'ledger', 'logs', 'imported', 'usage_hours', 'usage_sums'],
  'kept_answers',
]

interface AllowedScan {
  readonly query: RegExp
  readonly why: string
}

const page = 'One page in the order of its index: it ends after some rows. It runs beside the server.'
const search = 'A part of a text is found by reading every row. It runs beside the server, with a limit of time.'
const verification = 'Verification reads everything, and is a command of its own.'

/** Queries that may read a whole table, each with its reason. */
export const mayScan: readonly AllowedScan[] = [
  { query: /^INSERT INTO usage_sums SELECT|^UPDATE logs SET type = 4/, why: 'A migration, once.' },
  { query: /^select "id" from "users" limit \?$/, why: 'Reads one row.' },
  { query: /from "logs" where 1 = 1 (?:and "type" = \? )?order by "logs"\."created_at" desc/, why: page },
  { query: /from "users" where "status" <> \? order by "users"\."id" desc/, why: page },
  { query: /from "redemptions" order by "redemptions"\."id" desc/, why: page },
  {
    query: /from "users" where "status" <> \? (?:and \(.*\) < \(.*\) )?order by "users"\."(?:quota|used_quota|request_count)" desc/,
    why: 'An index on what every request changes would cost every request. It runs beside the server: 60 ms with 100,000 accounts.',
  },
  { query: /from "users" where .* LIKE /, why: search },
  { query: /from "redemptions" where .* LIKE /, why: search },
  {
    query: /from \(select \* from "logs" .* limit \?\) as "logs"/,
    why: 'The newest 20,000 rows, found by an index. It runs beside the server.',
  },
  { query: /^select "id" from "logs" order by "id" desc limit \?$/, why: 'Reads one row.' },
  {
    query: /^SELECT 'user' AS what|^SELECT 'missing user' AS what|^SELECT COUNT\(\*\) AS entries|^SELECT l\.ref AS ref/,
    why: verification,
  },
  {
    query: /^select "holds"\."request_id" from "holds" inner join "ledger"|^select count\(\*\) as "count" from "users"/,
    why: verification,
  },
  { query: /^SELECT scope, name, hour FROM|^SELECT hour, SUM\(requests\)|^SELECT COUNT\(\*\) AS count FROM/, why: verification },
  { query: /FROM \(SELECT type, created_at, estimated FROM logs ORDER BY id DESC LIMIT \?\)/, why: 'The newest 5,000 rows.' },
]
