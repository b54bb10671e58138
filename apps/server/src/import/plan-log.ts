import { logType } from '@sluice/contract'
import { importedRequest, type LogEntry, plainLog } from '../ledger/log-entry.ts'
import { bool, decimal, type RowOf, text, time, whole } from './cells.ts'
import { type Dialect, logTypes } from './dialects.ts'
import { type Plan, refuse, take } from './plan.ts'

export const logColumns = {
  id: whole(),
  user_id: whole(),
  created_at: time(),
  type: whole(),
  content: text,
  username: text,
  token_name: text,
  model_name: text,
  quota: whole(),
  prompt_tokens: whole(),
  completion_tokens: whole(),
  cached_tokens: whole(),
  channel_id: whole(),
  /** Milliseconds. */
  elapsed_time: decimal,
  /** Seconds; two products have different columns for it. */
  use_time: decimal,
  duration: decimal,
  /** Seconds. */
  first_word_latency: decimal,
  is_stream: bool,
} as const
export type SourceLog = RowOf<typeof logColumns>

interface LogPlace {
  readonly dialect: Dialect
  /** Name of the source, part of the request id of each row. */
  readonly source: string
  /** Ids of the source -> ids here. Rows that were not imported are 0: the log row keeps their names. */
  readonly users: ReadonlyMap<number, number>
  readonly channels: ReadonlyMap<number, number>
}

/** Plans a row of the usage log, with the ids of its account and channel here. */
export function planLog(log: SourceLog, { dialect, source, users, channels }: LogPlace): Plan<LogEntry> {
  const meaning = logTypes[dialect][log.type]
  if (meaning === undefined) return refuse(`unknown log type ${log.type}`)
  const isFailed = meaning === 'failed'
  const type = isFailed ? logType.consume : meaning === 'refund' || meaning === 'test' ? logType.system : logType[meaning]
  return take(
    plainLog({
      userId: users.get(log.user_id) ?? 0,
      createdAt: log.created_at,
      type,
      content: log.content,
      username: log.username,
      tokenName: log.token_name,
      modelName: log.model_name,
      upstreamModel: log.model_name,
      quota: isFailed ? 0 : log.quota,
      promptTokens: log.prompt_tokens,
      completionTokens: log.completion_tokens,
      cachedTokens: log.cached_tokens,
      channelId: channels.get(log.channel_id) ?? 0,
      requestId: `${importedRequest}${source}:${log.id}`,
      elapsedMs: Math.max(0, Math.round(log.elapsed_time || (log.use_time || log.duration) * 1000)),
      firstByteMs: Math.max(0, Math.round(log.first_word_latency * 1000)),
      isStream: log.is_stream,
      endReason: isFailed ? 'failed' : '',
      detail: meaning === 'test' ? JSON.stringify({ event: 'channel_test' }) : '',
    }),
  )
}
