import type { SendCall } from './call.ts'

// The HTTP interface of ClickHouse (https://clickhouse.com/docs/interfaces/http, read 2026-11-25).

/**
 * Columns of the table, as the log has them. A row that is stored twice in spite of everything becomes one when parts are merged, and in
 * queries with FINAL.
 */
const columns = {
  id: 'UInt64',
  user_id: 'UInt64',
  created_at: "DateTime('UTC')",
  type: 'UInt8',
  content: 'String',
  username: 'LowCardinality(String)',
  token_name: 'LowCardinality(String)',
  model_name: 'LowCardinality(String)',
  upstream_model: 'LowCardinality(String)',
  quota: 'Int64',
  prompt_tokens: 'Int64',
  completion_tokens: 'Int64',
  cached_tokens: 'Int64',
  channel_id: 'UInt64',
  request_id: 'String',
  elapsed_ms: 'Int64',
  first_byte_ms: 'Int64',
  is_stream: 'UInt8',
  attempts: 'UInt32',
  end_reason: 'LowCardinality(String)',
  estimated: 'UInt8',
  usage_suspect: 'UInt8',
  cost: 'Nullable(Int64)',
  served: 'Nullable(UInt8)',
  detail: 'String',
} as const

const table = 'sluice_logs'

/** Inserts whose content ClickHouse remembers, so that the same one again is not stored again. What is sent again is always the last one. */
const rememberedInserts = 10_000

const createTable = `CREATE TABLE IF NOT EXISTS ${table} (
${Object.entries(columns)
  .map(([name, type]) => `  ${name} ${type}`)
  .join(',\n')}
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(created_at) ORDER BY (user_id, created_at, request_id, id)
SETTINGS non_replicated_deduplication_window = ${rememberedInserts}`

/** The rows are stored before the response, so a success can be trusted; columns that a table of an earlier version lacks are left out. */
const insertSettings = { async_insert: '0', wait_end_of_query: '1', input_format_skip_unknown_fields: '1' } as const

/** A large insert may wait for the disk. */
const timeoutMs = 30_000

interface ClickHouse {
  /** Stores rows in the table, which it creates if there is none. @throws if it is not certain that they are stored */
  store(lines: string): Promise<void>
}

/** @param address with user, password and database; empty: there is none */
export function openClickHouse(address: string, sendCall: SendCall): ClickHouse | null {
  return address === '' ? null : createClickHouse(address, sendCall)
}

function createClickHouse(address: string, sendCall: SendCall): ClickHouse {
  const { origin, pathname, username, password } = new URL(address)
  const database = decodeURIComponent(pathname.slice(1)) || 'default'
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username) || 'default'}:${decodeURIComponent(password)}`).toString('base64')}`
  let isCreated = false

  async function send(query: string, body: string): Promise<void> {
    const parameters = new URLSearchParams({ database, query, ...insertSettings })
    const headers = { authorization, 'content-type': 'text/plain; charset=utf-8' }
    const { status, text } = await sendCall({ url: `${origin}/?${parameters}`, method: 'POST', headers, body, timeoutMs })
    if (status !== 200) throw new Error(`ClickHouse returned ${status}: ${text.slice(0, errorTextMax)}`)
  }

  return {
    async store(lines) {
      if (!isCreated) await send(createTable, '')
      // After a failure it is looked for again: it may have been removed.
      isCreated = false
      await send(`INSERT INTO ${table} FORMAT JSONEachRow`, lines)
      isCreated = true
    },
  }
}

/** As much as the name and the reason of an error need; the rest may be a row. */
const errorTextMax = 200
