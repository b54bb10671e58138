import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { page, queryNumber, searchText } from './parts.ts'

/** Log types (specification, section 3). 5 is a channel test. 0 in a filter means all. */
export const logType = { all: 0, topUp: 1, consume: 2, admin: 3, system: 4, test: 5 } as const

export const logRow = z.object({
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  type: z.int(),
  content: z.string(),
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
  /** complete, client_gone, upstream_cut, failed, crashed: how the answer ended; empty for rows that are no request. */
  end_reason: z.string(),
  /** The token counts are ours, because the vendor gave none. */
  estimated: z.boolean(),
})
export type LogRow = z.output<typeof logRow>

const ownFilters = {
  type: queryNumber,
  token_name: searchText,
  model_name: searchText,
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
}
const allFilters = { ...ownFilters, username: searchText, channel: queryNumber }

/** Sums over consume rows (type 2) that match the filters. */
export const logStat = z.object({
  quota: z.int(),
  /** Prompt plus completion. */
  token: z.int(),
})

export const log = {
  list: endpoint({ method: 'GET', path: '/api/log/', access: 'admin', input: z.extend(page, allFilters), data: z.array(logRow) }),
  listSelf: endpoint({ method: 'GET', path: '/api/log/self/', access: 'user', input: z.extend(page, ownFilters), data: z.array(logRow) }),
  stat: endpoint({ method: 'GET', path: '/api/log/stat', access: 'admin', input: z.object(allFilters), data: logStat }),
  statSelf: endpoint({ method: 'GET', path: '/api/log/self/stat', access: 'user', input: z.object(ownFilters), data: logStat }),
}
