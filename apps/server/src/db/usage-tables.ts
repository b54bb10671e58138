import { sql } from 'kysely'
import type { Schema } from './schema.ts'
import {
  bandEnds,
  brokenEnds,
  type CountColumn,
  countColumns,
  elapsedColumns,
  failedEnds,
  firstByteColumns,
  type TimeColumn,
  timeColumns,
} from './usage-columns.ts'

// The tables that hold sums of the log of consumption: the roll-up adds to each of them, and charts and totals read the one that needs
// the fewest rows.

export const hourSeconds = 3_600

/** Span lengths of `usage_account_spans`; each span starts at a multiple of its length in hours since 1970. */
export const spanHours = [24, 96, 384] as const

export type UsageTableName = 'usage_hours' | 'usage_sums' | 'usage_accounts' | 'usage_account_spans' | 'usage_pairs' | 'usage_times'

interface UsageTable {
  readonly name: UsageTableName & keyof Schema
  /** Key columns of a row of sums, and the SQL that reads each from a row of the log. */
  readonly keys: ReadonlyArray<readonly [column: string, value: string]>
  /** Set when a row of the log is counted several times: the column that distinguishes them, and its values. */
  readonly parts?: { readonly column: string; readonly values: ReadonlyArray<string | number> }
  /** Its counts, if they are not `countColumns`. The hours of usage do not have them, so they cannot be compared with those. */
  readonly counts?: readonly TimeColumn[]
}

/** What names a row of `usage_hours` beside its hour. */
const hourKeys = ['user_id', 'username', 'token_name', 'model_name', 'channel_id'] as const

const hour = `created_at - created_at % ${hourSeconds}`
const channel = 'CAST(channel_id AS TEXT)'
const user = 'CAST(user_id AS TEXT)'

/** Scopes whose errors and durations are counted, and their names. */
const timedScopes: NonNullable<UsageTable['parts']> = { column: 'scope', values: ['all', 'model', 'channel', 'user'] }
const nameOfScope = `CASE scope WHEN 'all' THEN '' WHEN 'model' THEN model_name WHEN 'channel' THEN ${channel} ELSE ${user} END`

/** Constant SQL text: none of it comes from input. */
export const usageTables: readonly UsageTable[] = [
  {
    name: 'usage_hours',
    keys: [['hour', hour], ...hourKeys.map((column) => [column, column] as const)],
  },
  {
    name: 'usage_sums',
    parts: { column: 'scope', values: ['all', 'model', 'channel', 'token'] },
    keys: [
      ['scope', 'scope'],
      ['hour', hour],
      ['name', `CASE scope WHEN 'all' THEN '' WHEN 'model' THEN model_name WHEN 'channel' THEN ${channel} ELSE token_name END`],
    ],
  },
  {
    name: 'usage_accounts',
    keys: [
      ['user_id', 'user_id'],
      ['hour', hour],
      ['token_name', 'token_name'],
    ],
  },
  {
    name: 'usage_account_spans',
    parts: { column: 'hours', values: spanHours },
    keys: [
      ['hours', 'hours'],
      ['start', `created_at - created_at % (hours * ${hourSeconds})`],
      ['user_id', 'user_id'],
      ['token_name', 'token_name'],
    ],
  },
  {
    name: 'usage_pairs',
    parts: { column: 'scope', values: ['token-model', 'token-channel', 'model-channel', 'user-model'] },
    keys: [
      ['scope', 'scope'],
      ['one', `CASE scope WHEN 'model-channel' THEN model_name WHEN 'user-model' THEN ${user} ELSE token_name END`],
      ['other', `CASE scope WHEN 'token-model' THEN model_name WHEN 'user-model' THEN model_name ELSE ${channel} END`],
      ['hour', hour],
    ],
  },
  {
    name: 'usage_times',
    counts: timeColumns,
    parts: timedScopes,
    keys: [
      ['scope', 'scope'],
      ['name', nameOfScope],
      ['hour', hour],
    ],
  },
]

interface FailedRows {
  readonly after: number
  readonly upTo: number
  /** What their texts begin with; the error code follows. */
  readonly prefix: string
}

/** Adds the failed requests of the log after an id and up to another to the sums by error code. */
export function addErrors({ after, upTo, prefix }: FailedRows) {
  const parts = sql.raw(partsSql(timedScopes))
  return sql`INSERT INTO usage_errors (scope, name, hour, code, requests)
    SELECT scope, ${sql.raw(nameOfScope)}, ${sql.raw(hour)}, substr(content, ${sql.lit(prefix.length + 1)}), COUNT(*) FROM logs ${parts}
    WHERE logs.type = 2 AND logs.end_reason = 'failed' AND logs.id > ${after} AND logs.id <= ${upTo} GROUP BY 1, 2, 3, 4
    ON CONFLICT (scope, name, hour, code) DO UPDATE SET requests = usage_errors.requests + excluded.requests`
}

const countValues: Readonly<Record<CountColumn, string>> = {
  requests: 'COUNT(*)',
  failures: `SUM(CASE WHEN end_reason IN (${failedEnds.map((end) => `'${end}'`).join(', ')}) THEN 1 ELSE 0 END)`,
  quota: 'SUM(quota)',
  prompt_tokens: 'SUM(prompt_tokens)',
  completion_tokens: 'SUM(completion_tokens)',
  elapsed_ms: 'SUM(elapsed_ms)',
  cost: 'COALESCE(SUM(cost), 0)',
  costed_quota: 'SUM(CASE WHEN cost IS NULL THEN 0 ELSE quota END)',
  served: 'SUM(CASE WHEN served = 1 THEN 1 ELSE 0 END)',
  unserved: 'SUM(CASE WHEN served = 0 THEN 1 ELSE 0 END)',
}

function partsSql({ column, values }: NonNullable<UsageTable['parts']>): string {
  const [first, ...rest] = values.map((value) => (typeof value === 'number' ? `CAST(${value} AS BIGINT)` : `CAST('${value}' AS TEXT)`))
  return `CROSS JOIN (SELECT ${first} AS ${column} ${rest.map((value) => `UNION ALL SELECT ${value}`).join(' ')}) AS parts`
}

type Count = CountColumn | TimeColumn

/** The SQL that counts rows of the log. */
const values: ReadonlyMap<Count, string> = new Map<Count, string>([
  ...countColumns.map((column) => [column, countValues[column]] as const),
  ...elapsedColumns.map((column, index) => [column, inBand('elapsed_ms', index)] as const),
  // 0 = nothing came.
  ...firstByteColumns.map((column, index) => [column, inBand('NULLIF(first_byte_ms, 0)', index)] as const),
  ...brokenEnds.map((end) => [`ended_${end}`, endedBy(end)] as const),
])

/** The count of a column over rows of the log. */
export const countOfLog = (column: Count) => sql.raw<number | string>(values.get(column) ?? '0')

function inBand(value: string, index: number): string {
  const [above, upTo] = [bandEnds[index - 1], bandEnds[index]]
  const ends = [...(above === undefined ? [] : [`${value} > ${above}`]), ...(upTo === undefined ? [] : [`${value} <= ${upTo}`])]
  return `SUM(CASE WHEN ${ends.join(' AND ')} THEN 1 ELSE 0 END)`
}

function endedBy(end: string): string {
  return `SUM(CASE WHEN end_reason = '${end}' THEN 1 ELSE 0 END)`
}

/** Adds rows, each of which says what it counts, to the rows of sums where they belong. */
function insertOf({ name, keys, parts, counts: own }: UsageTable, countOf: (count: Count) => string) {
  const counts: readonly Count[] = own ?? countColumns
  const columns = keys.map(([column]) => column).join(', ')
  const added = counts.map((count) => `${count} = ${name}.${count} + excluded.${count}`).join(', ')
  const head = `INSERT INTO ${name} (${columns}, ${counts.join(', ')})
    SELECT ${keys.map(([, value]) => value).join(', ')}, ${counts.map(countOf).join(', ')} FROM`
  const tail = `GROUP BY ${keys.map((_, index) => index + 1).join(', ')} ON CONFLICT (${columns}) DO UPDATE SET ${added}`
  return { head: sql.raw(head), parts: sql.raw(parts === undefined ? '' : partsSql(parts)), tail: sql.raw(tail) }
}

/** Adds the rows of the log after an id and up to another to the rows of sums where they belong. */
export function addLogRows(table: UsageTable, after: number, upTo: number) {
  const { head, parts, tail } = insertOf(table, (count) => values.get(count) ?? '')
  return sql`${head} logs ${parts} WHERE logs.type = 2 AND logs.id > ${after} AND logs.id <= ${upTo} ${tail}`
}

const hourColumns = ['created_at', ...hourKeys, ...values.keys()].join(', ')
const hourValues = [hour, ...hourKeys, ...values.values()].join(', ')
const hourGroups = ['hour', ...hourKeys].map((_, index) => index + 1).join(', ')
const fillHead = sql.raw(`INSERT INTO log_hours SELECT ${hourValues} FROM logs WHERE logs.type = 2`)
const fillTail = sql.raw(`GROUP BY ${hourGroups}`)

/**
 * The table of a connection, on SQLite, with rows of the log added up by everything that names a row in any of the tables: they become few
 * where few accounts ask for few models, and the log is read once for all tables. `created_at` is the beginning of their hour.
 */
export const logHoursTable = `CREATE TEMP TABLE IF NOT EXISTS log_hours (${hourColumns})`
export const makeLogHours = sql.raw(logHoursTable)
export const clearLogHours = sql.raw('DELETE FROM log_hours')

/** Sums the rows of the log after an ID and up to another. */
export const fillLogHours = (after: number, upTo: number) => sql`${fillHead} AND logs.id > ${after} AND logs.id <= ${upTo} ${fillTail}`

/** Adds the hourly sums in `log_hours` to the rows of a table of usage. */
export function addLogHours(table: UsageTable) {
  const { head, parts, tail } = insertOf(table, (count) => `SUM(${count})`)
  return sql`${head} log_hours ${parts} WHERE TRUE ${tail}`
}

/** Stores the account names of the same log rows. */
export const addNames = (after: number, upTo: number) =>
  sql`INSERT INTO usage_names (username, user_id) SELECT DISTINCT username, user_id FROM logs
    WHERE type = 2 AND id > ${after} AND id <= ${upTo} ON CONFLICT (username, user_id) DO NOTHING`

/** Keys of the rows of sums that differ from the total of the hours of usage. */
export function sumsThatDiffer({ name, keys, parts }: UsageTable) {
  const columns = keys.map(([column]) => column).join(', ')
  const counted = 'requests, quota, prompt_tokens + completion_tokens AS tokens, cost - costed_quota AS loss, served, unserved'
  const taken = '-requests, -quota, -prompt_tokens - completion_tokens, costed_quota - cost, -served, -unserved'
  return sql.raw<Readonly<Record<string, unknown>>>(`SELECT ${columns} FROM (
      SELECT ${columns}, ${counted} FROM ${name}
      UNION ALL SELECT ${keys.map(([, value]) => value).join(', ')}, ${taken}
        FROM (SELECT usage_hours.*, hour AS created_at FROM usage_hours) AS rows_of_log ${parts === undefined ? '' : partsSql(parts)}
    ) AS differences
    GROUP BY ${columns} HAVING SUM(requests) <> 0 OR SUM(quota) <> 0 OR SUM(tokens) <> 0 OR SUM(loss) <> 0
      OR SUM(served) <> 0 OR SUM(unserved) <> 0`)
}
