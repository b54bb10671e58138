import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { page, queryNumber, says, search, searchText } from './parts.ts'

/** Log types (specification, section 3). 0 in a filter means all. */
export const logType = { all: 0, topUp: 1, consume: 2, admin: 3, system: 4 } as const

/** What a row of type 4 tells of, where it has a name; empty in all others. */
export const logEvents = ['', 'channel_test'] as const
export type LogEvent = (typeof logEvents)[number]

export const logRow = z.object({
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  type: z.int(),
  /** In the language of the reader, where the row has a `code`. */
  content: z.string(),
  /** Name and parameters of the text in `content`; empty where it was written out. */
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Who did it; 0 = nobody, or a row that tells of no deed. */
  actor_id: z.int(),
  /** `channel_test`: somebody had a channel tested, or the clock did. */
  event: z.enum(logEvents),
  username: z.string(),
  token_name: z.string(),
  /** The model that was asked for, and billed. */
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
  /** Milliseconds from the request to its end. */
  elapsed_time: z.int(),
  /** Milliseconds to the first byte of the answer; 0 = none came. */
  first_byte_time: z.int(),
  is_stream: z.boolean(),
  /** Channels that were tried. */
  attempts: z.int(),
  /** complete, client_gone, upstream_cut, out_of_quota, timed_out, too_long, shut_down, failed, crashed: how the answer ended; empty for rows that are no request. */
  end_reason: z.string(),
  /** The token counts are ours, because the vendor gave none. */
  estimated: z.boolean(),
  /** The vendor gave counts that make no sense, and ours stand in their place. */
  usage_suspect: z.boolean(),
  /** What was charged, class by class: how many of which unit, and the quota of one. Empty where nothing was, and in older rows. */
  charges: z.array(z.object({ unit: z.string(), count: z.int(), price: z.number() })),
})
export type LogRow = z.output<typeof logRow>

/** An attempt that brought no answer, or broke off. */
export const failedAttempt = z.object({
  channel: z.int(),
  name: z.string(),
  /** Where the request went. */
  address: z.string(),
  /** HTTP status of the answer; 0 = there was none. */
  status: z.int(),
  /** What it was taken for, as `unavailable` or `upstream_timeout`. */
  kind: z.string(),
  /** The vendor's words, or what was seen on the way to it. */
  message: z.string(),
})

/** What administrators see beside it. */
export const adminLogRow = z.extend(logRow, { failed_attempts: z.array(failedAttempt) })
export type AdminLogRow = z.output<typeof adminLogRow>

const ownFilters = {
  type: queryNumber,
  token_name: searchText,
  model_name: searchText,
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
}
const allFilters = { ...ownFilters, username: searchText, channel: queryNumber }

/** Sums over consume rows (type 2) that match the filters. */
const logStat = z.object({
  quota: z.int(),
  /** Prompt plus completion. */
  token: z.int(),
  /** Requests of the last minute, whatever the times of the filters. */
  rpm: z.int(),
  /** LLM tokens of the last minute. */
  tpm: z.int(),
})

/** What a series can be split by; empty = not at all. */
export const seriesGroups = ['', 'model', 'token', 'channel', 'user'] as const
const ownSeriesGroups = ['', 'model', 'token'] as const

/** The lines of a chart that are told apart; what remains is one line together. */
export const seriesLinesMax = 20

/** The longest span that a series covers, in buckets: a month of hours, or a year of days. */
export const seriesBucketsMax = { hour: 31 * 24, day: 366 } as const

/** Minutes east of UTC, where days begin at the reader's midnight. */
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

/** An IANA time zone, as `Europe/Berlin`; empty = `utc_offset` says where days begin. */
const zone = z.pipe(searchText, z.string().check(z.refine((name) => name === '' || isZone(name), says('zone_unknown'))))

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const seriesSpan = {
  /** Missing: as far before the end as a series goes by default. */
  start_timestamp: queryNumber,
  /** Missing: now. */
  end_timestamp: queryNumber,
  bucket: z._default(z.catch(z.enum(['hour', 'day']), 'hour'), 'hour'),
  /** Where days begin, with its changes between summer and winter. */
  zone,
  utc_offset: utcOffset,
  token_name: searchText,
  model_name: searchText,
}

/** One point of one line. Points without a request are left out. */
export const seriesPoint = z.object({
  /** When the bucket begins. */
  time: z.int(),
  /** Of the user (also of a token: its owner) or the channel; 0 where names tell the lines apart. */
  id: z.int(),
  /** Name of the model, token, user or channel; empty where there is none, or no more. */
  name: z.string(),
  /** Everything that no line of its own shows. */
  is_other: z.boolean(),
  requests: z.int(),
  /** Requests that did not end well, through no fault of the client. */
  failures: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds that all of the requests took together. */
  elapsed_time: z.int(),
})
export type SeriesPoint = z.output<typeof seriesPoint>

export const log = {
  list: endpoint({ method: 'GET', path: '/api/log/', access: 'admin', input: z.extend(page, allFilters), data: z.array(adminLogRow) }),
  /** The channel, its name of the model and the number of attempts are empty for ordinary users. */
  listSelf: endpoint({ method: 'GET', path: '/api/log/self/', access: 'user', input: z.extend(page, ownFilters), data: z.array(logRow) }),
  search: endpoint({ method: 'GET', path: '/api/log/search', access: 'admin', input: search, data: z.array(adminLogRow) }),
  searchSelf: endpoint({ method: 'GET', path: '/api/log/self/search', access: 'user', input: search, data: z.array(logRow) }),
  stat: endpoint({ method: 'GET', path: '/api/log/stat', access: 'admin', input: z.object(allFilters), data: logStat }),
  statSelf: endpoint({ method: 'GET', path: '/api/log/self/stat', access: 'user', input: z.object(ownFilters), data: logStat }),
  /** Usage over time, busiest lines first within a bucket. Also of times whose log rows have been cleaned up. */
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
    data: z.array(seriesPoint),
  }),
  seriesSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/series',
    access: 'user',
    input: z.object({ ...seriesSpan, group: z._default(z.catch(z.enum(ownSeriesGroups), ''), '') }),
    data: z.array(seriesPoint),
  }),
  /** Deletes the rows before a time. Balances are explained by the ledger, which nothing deletes; the answer is how many rows went. */
  remove: endpoint({
    method: 'DELETE',
    path: '/api/log/',
    access: 'admin',
    input: z.object({ target_timestamp: z.pipe(queryNumber, z.int().check(z.gte(1, says('target_timestamp_required')))) }),
    data: z.int(),
  }),
}
