import * as z from 'zod/mini'
import { exportParams, fileStream } from './csv.ts'
import { durationBands } from './duration-bands.ts'
import { endpoint } from './endpoint.ts'
import { byId, noInput, page, queryNumber, queryTime, says, search, searchText, zone } from './parts.ts'
import { rewriteKinds } from './rewrite-kinds.ts'
import { seriesLineCounts, seriesLines } from './series-lines.ts'

/** Log types (specification, section 3). 0 in a filter means all. */
export const logType = { all: 0, topUp: 1, consume: 2, admin: 3, system: 4 } as const

/** The event that a row of type 4 records; empty in all other rows. */
export const logEvents = ['', 'channel_test'] as const
export type LogEvent = (typeof logEvents)[number]

/** The protocols that clients speak; empty: the row is no request, or is older than this was stored. */
export const clientProtocols = ['', 'openai', 'anthropic', 'gemini'] as const

/** What the gateway changed in a request, beyond its translation, before a vendor got it. */
export const requestRewrite = z.object({
  kind: z.enum(rewriteKinds),
  /** In the words of the request: `logit_bias` was left out, `temperature: 1.7 -> 1` was changed. The client's text. */
  what: z.string(),
})

export const logRow = z.object({
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  type: z.int(),
  /** In the language of the reader if the row has a `code`. */
  content: z.string(),
  /** Code and parameters of the text in `content`; empty if the row stores plain text. */
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The account that did it; 0 = none, or the row is no audit event. */
  actor_id: z.int(),
  /** `channel_test`: a channel was tested, manually or on schedule. */
  event: z.enum(logEvents),
  username: z.string(),
  token_name: z.string(),
  /** The model of the request, whose price was charged. */
  model_name: z.string(),
  /** The model name that went upstream; the same unless the channel maps it. */
  upstream_model: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  /** Channel id; 0 = none. */
  channel: z.int(),
  request_id: z.string(),
  /** The id of the task that ended with this row; empty = the row is no end of a task. */
  task_id: z.string(),
  /** Milliseconds from the request to its end. */
  elapsed_time: z.int(),
  /** Milliseconds to the first byte of the response; 0 = there was none. */
  first_byte_time: z.int(),
  is_stream: z.boolean(),
  /** The protocol that the client spoke, and the kind of its request: chat, responses, messages, generate, embeddings and others. */
  protocol: z.enum(clientProtocols),
  kind: z.string(),
  /** Channels that were tried. */
  attempts: z.int(),
  /**
   * How the response ended: complete, client_gone, upstream_cut, out_of_quota, timed_out, too_long, shut_down, failed or crashed.
   * Empty for rows that are no request.
   */
  end_reason: z.string(),
  /** The server counted the tokens, because the vendor reported no usage. */
  estimated: z.boolean(),
  /** The vendor reported impossible counts, so the server's own were used. */
  usage_suspect: z.boolean(),
  /** Line items of the charge: how many of which unit, and the quota of one. Empty if nothing was charged, and in older rows. */
  charges: z.array(z.object({ unit: z.string(), count: z.int(), price: z.number() })),
  /** What was changed in the request of the last attempt; empty if nothing was, and in older rows. */
  rewrites: z.array(requestRewrite),
})
export type LogRow = z.output<typeof logRow>

/** An attempt that got no response, or whose response broke off. */
export const failedAttempt = z.object({
  channel: z.int(),
  name: z.string(),
  /** The address that the request was sent to. */
  address: z.string(),
  /** Milliseconds from the beginning of the request to that of the attempt, and how long it took; 0 in older rows. */
  start_time: z._default(z.int(), 0),
  elapsed_time: z._default(z.int(), 0),
  /** HTTP status of the response; 0 = there was none. */
  status: z.int(),
  /** Class of the failure, such as `unavailable` or `upstream_timeout`. */
  kind: z.string(),
  /** The vendor's error text, or the failure of the connection. */
  message: z.string(),
})

/** A row as administrators see it. */
export const adminLogRow = z.extend(logRow, {
  failed_attempts: z.array(failedAttempt),
  /** What the vendor charges for it, in quota, by the cost prices of its channel; null = that is not known. */
  cost: z.nullable(z.int()),
})
export type AdminLogRow = z.output<typeof adminLogRow>

/** Ends of responses that are not complete. */
export const brokenEnds = [
  'client_gone',
  'upstream_cut',
  'out_of_quota',
  'timed_out',
  'too_long',
  'shut_down',
  'failed',
  'crashed',
] as const
export type BrokenEnd = (typeof brokenEnds)[number]

/** Of these, the ends whose client stayed and did not get a whole response. */
export const failedEnds = ['failed', 'upstream_cut', 'timed_out', 'too_long', 'crashed'] as const satisfies readonly BrokenEnd[]

/** Filters by how a request ended: one of `brokenEnds`, any of them (`broken`), or any of `failedEnds` (`failures`). Empty = no filter. */
export const outcomes = ['', ...brokenEnds, 'broken', 'failures'] as const
export type Outcome = (typeof outcomes)[number]

const ownFilters = {
  type: queryNumber,
  token_name: searchText,
  model_name: searchText,
  /** The id that the response to a request has in its `x-request-id` header. */
  request_id: searchText,
  /** How a request ended. */
  outcome: z._default(z.catch(z.enum(outcomes), ''), ''),
  /** The error code of a request that failed, such as `upstream_timeout`. */
  error_code: searchText,
  /** How long a request took. */
  duration: z._default(z.catch(z.enum(['', ...durationBands]), ''), ''),
  start_timestamp: queryTime,
  end_timestamp: queryTime,
}
const allFilters = { ...ownFilters, username: searchText, channel: queryNumber }

/** Most rows that one call of a watched log returns: the newest ones. */
export const tailRowsMax = 100

const tailParams = {
  /** `last` of the call before: only rows that were written since are returned. 0 = the newest rows. */
  since: queryNumber,
}

/** Sums over consume rows (type 2) that match the filters. */
const logStat = z.object({
  quota: z.int(),
  /** Prompt plus completion. */
  token: z.int(),
  /** Requests of the last minute, whatever times the filters name. */
  rpm: z.int(),
  /** LLM tokens of the last minute. */
  tpm: z.int(),
})

/** What a series can be split by; empty = one line for all. */
export const seriesGroups = ['', 'model', 'token', 'channel', 'user'] as const
const ownSeriesGroups = ['', 'model', 'token'] as const

/** Another number is the usual one. */
const lineCount = z._default(
  z.pipe(
    z.transform((value) => seriesLineCounts.find((count) => count === Number(value)) ?? seriesLines),
    z.union(seriesLineCounts.map((count) => z.literal(count))),
  ),
  seriesLines,
)

/** The longest span that a series covers, in buckets: a month of hours, or a year of days. */
export const seriesBucketsMax = { hour: 31 * 24, day: 366 } as const

/** Minutes east of UTC: days begin at the reader's midnight. */
const utcOffset = z._default(
  z.pipe(
    z.transform((value) => {
      const minutes = Math.trunc(Number(value))
      return Math.abs(minutes) <= 14 * 60 ? minutes : 0
    }),
    z.int(),
  ),
  0,
)

const bucketSpan = {
  /** Missing: the default length before the end. */
  start_timestamp: queryTime,
  /** Missing: now. */
  end_timestamp: queryTime,
  bucket: z._default(z.catch(z.enum(['hour', 'day']), 'hour'), 'hour'),
  /** The zone in which days begin, with its daylight saving time. */
  zone,
  utc_offset: utcOffset,
}
const seriesSpan = { ...bucketSpan, token_name: searchText, model_name: searchText, lines: lineCount }

/** One point of one line. Points without a request are left out. */
export const seriesPoint = z.object({
  /** When the bucket begins. */
  time: z.int(),
  /** Id of the user (for a token: its owner) or the channel; 0 if lines differ by name only. */
  id: z.int(),
  /** Name of the model, token, user or channel; empty if it has none or was deleted. */
  name: z.string(),
  /** The sum of everything without a line of its own. */
  is_other: z.boolean(),
  requests: z.int(),
  /** Requests whose client stayed and did not get a whole response, whoever caused that. */
  failures: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Sum of the durations of all requests, in milliseconds. */
  elapsed_time: z.int(),
})
export type SeriesPoint = z.output<typeof seriesPoint>

/** A point as administrators see it. */
export const adminSeriesPoint = z.extend(seriesPoint, {
  /** What the vendors charge, in quota, for the requests whose cost is known. */
  cost: z.int(),
  /** The quota of these requests: the margin is this less their cost. */
  costed_quota: z.int(),
})
export type AdminSeriesPoint = z.output<typeof adminSeriesPoint>

const bands = z.array(z.int())

/** How long requests took and how they ended, by bucket. Buckets without a request are left out. */
export const logTimes = z.object({
  /** When the bucket begins. */
  time: z.int(),
  /** Requests by duration, in the bands of `timeBandEnds`. */
  elapsed: bands,
  /** Requests by time to first byte, in the bands of `timeBandEnds`; only those that had one. */
  first_byte: bands,
  /** Requests whose response was not complete, by its end. */
  ends: z.record(z.enum(brokenEnds), z.int()),
  /** The requests of the end `failed`, by error code. Fewer than these where some were summed before codes were counted. */
  errors: z.record(z.string(), z.int()),
})
export type LogTimes = z.output<typeof logTimes>

/** The span of `log.losses`: that of the dashboard when it opens, in seconds. */
export const lossSpanSeconds = 7 * 86_400

/** A channel that cost more than was charged, over the requests of the last `lossSpanSeconds` whose cost is known. Amounts in quota. */
export const channelLoss = z.object({
  channel: z.int(),
  /** What the vendor charges for them. */
  cost: z.int(),
  /** What was charged for them. */
  costed_quota: z.int(),
})
export type ChannelLoss = z.output<typeof channelLoss>

export const log = {
  list: endpoint({ method: 'GET', path: '/api/log/', access: 'admin', input: z.extend(page, allFilters), data: z.array(adminLogRow) }),
  /** Channel, upstream model and number of attempts are empty for ordinary users. */
  listSelf: endpoint({ method: 'GET', path: '/api/log/self/', access: 'user', input: z.extend(page, ownFilters), data: z.array(logRow) }),
  search: endpoint({ method: 'GET', path: '/api/log/search', access: 'admin', input: search, data: z.array(adminLogRow) }),
  searchSelf: endpoint({ method: 'GET', path: '/api/log/self/search', access: 'user', input: search, data: z.array(logRow) }),
  stat: endpoint({ method: 'GET', path: '/api/log/stat', access: 'admin', input: z.object(allFilters), data: logStat }),
  statSelf: endpoint({ method: 'GET', path: '/api/log/self/stat', access: 'user', input: z.object(ownFilters), data: logStat }),
  /** The matching rows that were written after another one: for a log that is watched. */
  tail: endpoint({
    method: 'GET',
    path: '/api/log/tail',
    access: 'admin',
    input: z.object({ ...allFilters, ...tailParams }),
    data: z.object({ rows: z.array(adminLogRow), last: z.int() }),
  }),
  tailSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/tail',
    access: 'user',
    input: z.object({ ...ownFilters, ...tailParams }),
    data: z.object({ rows: z.array(logRow), last: z.int() }),
  }),
  /** Usage over time, within a bucket the line with the most usage first. Includes times whose log rows were deleted. */
  series: endpoint({
    method: 'GET',
    path: '/api/log/series',
    access: 'admin',
    input: z.object({
      ...seriesSpan,
      group: z._default(z.catch(z.enum(seriesGroups), ''), ''),
      username: searchText,
      channel: queryNumber,
    }),
    data: z.array(adminSeriesPoint),
  }),
  seriesSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/series',
    access: 'user',
    input: z.object({ ...seriesSpan, group: z._default(z.catch(z.enum(ownSeriesGroups), ''), '') }),
    data: z.array(seriesPoint),
  }),
  /** The channels that lose money. */
  losses: endpoint({ method: 'GET', path: '/api/log/losses', access: 'admin', input: noInput, data: z.array(channelLoss) }),
  /**
   * Durations and ends of requests over time, of all or of one model, channel or account (by its name). Requests that were summed before these
   * were counted are left out.
   */
  times: endpoint({
    method: 'GET',
    path: '/api/log/times',
    access: 'admin',
    input: z.object({ ...bucketSpan, of: z._default(z.catch(z.enum(['', 'model', 'channel', 'user']), ''), ''), name: searchText }),
    data: z.array(logTimes),
  }),
  timesSelf: endpoint({ method: 'GET', path: '/api/log/self/times', access: 'user', input: z.object(bucketSpan), data: z.array(logTimes) }),
  /** All matching rows as a file, newest first. */
  export: endpoint({
    method: 'GET',
    path: '/api/log/export',
    access: 'admin',
    input: z.object({ ...allFilters, ...exportParams }),
    data: fileStream,
    fileRow: adminLogRow,
  }),
  exportSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/export',
    access: 'user',
    input: z.object({ ...ownFilters, ...exportParams }),
    data: fileStream,
    fileRow: logRow,
  }),
  /** One row. After the calls whose path has a word in the place of the id. */
  read: endpoint({ method: 'GET', path: '/api/log/:id', access: 'admin', input: byId, data: adminLogRow }),
  readSelf: endpoint({ method: 'GET', path: '/api/log/self/:id', access: 'user', input: byId, data: logRow }),
  /** Deletes the rows before a time. Ledger entries, which explain every balance, are never deleted. @returns how many rows were deleted */
  remove: endpoint({
    method: 'DELETE',
    path: '/api/log/',
    access: 'admin',
    input: z.object({ target_timestamp: z.pipe(queryTime, z.int().check(z.gte(1, says('target_timestamp_required')))) }),
    data: z.int(),
  }),
}
