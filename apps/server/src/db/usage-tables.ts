import { sql } from 'kysely'
import type { Schema } from './schema.ts'

// What the log of consumption is added up into, as a table: the roll-up adds to each of these, and charts and totals read whichever tells
// them with the fewest rows.

export const hourSeconds = 3_600

/** Lengths of the spans of `usage_account_spans`; each begins where the hours since 1970 are a multiple of its length. */
export const spanHours = [24, 96] as const

/** What every row of sums counts, in the order of its columns, and what that is of rows of the log. */
export const countColumns = ['requests', 'failures', 'quota', 'prompt_tokens', 'completion_tokens', 'elapsed_ms'] as const
export type CountColumn = (typeof countColumns)[number]

export type UsageTableName = 'usage_hours' | 'usage_sums' | 'usage_accounts' | 'usage_account_spans' | 'usage_pairs'

interface UsageTable {
  readonly name: UsageTableName & keyof Schema
  /** The columns that name a row of sums, and what each of them is of a row of the log. */
  readonly keys: ReadonlyArray<readonly [column: string, value: string]>
  /** Where a row of the log counts several times: what tells these apart, by its column and values. */
  readonly parts?: { readonly column: string; readonly values: ReadonlyArray<string | number> }
}

const hour = `created_at - created_at % ${hourSeconds}`
const channel = 'CAST(channel_id AS TEXT)'
const user = 'CAST(user_id AS TEXT)'

/** SQL text: nothing of it comes from outside. */
export const usageTables: readonly UsageTable[] = [
  {
    name: 'usage_hours',
    keys: [['hour', hour], ...['user_id', 'username', 'token_name', 'model_name', 'channel_id'].map((column) => [column, column] as const)],
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
]

/** How an answer ends that the client did not get whole, though it stayed. */
const failedEnds = ['failed', 'upstream_cut', 'timed_out', 'too_long', 'crashed']

const countValues: Readonly<Record<CountColumn, string>> = {
  requests: 'COUNT(*)',
  failures: `SUM(CASE WHEN end_reason IN (${failedEnds.map((end) => `'${end}'`).join(', ')}) THEN 1 ELSE 0 END)`,
  quota: 'SUM(quota)',
  prompt_tokens: 'SUM(prompt_tokens)',
  completion_tokens: 'SUM(completion_tokens)',
  elapsed_ms: 'SUM(elapsed_ms)',
}

function partsSql({ column, values }: NonNullable<UsageTable['parts']>): string {
  const [first, ...rest] = values.map((value) => (typeof value === 'number' ? `CAST(${value} AS BIGINT)` : `CAST('${value}' AS TEXT)`))
  return `CROSS JOIN (SELECT ${first} AS ${column} ${rest.map((value) => `UNION ALL SELECT ${value}`).join(' ')}) AS parts`
}

/** Adds the rows of the log after an id and up to another to the rows of sums where they belong. */
export function addLogRows({ name, keys, parts }: UsageTable, after: number, upTo: number) {
  const columns = keys.map(([column]) => column).join(', ')
  const added = countColumns.map((count) => `${count} = ${name}.${count} + excluded.${count}`).join(', ')
  const head = `INSERT INTO ${name} (${columns}, ${countColumns.join(', ')})
    SELECT ${keys.map(([, value]) => value).join(', ')}, ${countColumns.map((count) => countValues[count]).join(', ')}
    FROM logs ${parts === undefined ? '' : partsSql(parts)}`
  const tail = `GROUP BY ${keys.map((_, index) => index + 1).join(', ')} ON CONFLICT (${columns}) DO UPDATE SET ${added}`
  return sql`${sql.raw(head)} WHERE logs.type = 2 AND logs.id > ${after} AND logs.id <= ${upTo} ${sql.raw(tail)}`
}

/** Keeps the names of the accounts in the same rows of the log. */
export const addNames = (after: number, upTo: number) =>
  sql`INSERT INTO usage_names (username, user_id) SELECT DISTINCT username, user_id FROM logs
    WHERE type = 2 AND id > ${after} AND id <= ${upTo} ON CONFLICT (username, user_id) DO NOTHING`

/** Rows of sums that are not what the hours of usage add up to; each row is the columns that name it. */
export function sumsThatDiffer({ name, keys, parts }: UsageTable) {
  const columns = keys.map(([column]) => column).join(', ')
  const counted = 'requests, quota, prompt_tokens + completion_tokens AS tokens'
  const taken = '-requests, -quota, -prompt_tokens - completion_tokens'
  return sql.raw<Readonly<Record<string, unknown>>>(`SELECT ${columns} FROM (
      SELECT ${columns}, ${counted} FROM ${name}
      UNION ALL SELECT ${keys.map(([, value]) => value).join(', ')}, ${taken}
        FROM (SELECT usage_hours.*, hour AS created_at FROM usage_hours) AS rows_of_log ${parts === undefined ? '' : partsSql(parts)}
    ) AS differences
    GROUP BY ${columns} HAVING SUM(requests) <> 0 OR SUM(quota) <> 0 OR SUM(tokens) <> 0`)
}
