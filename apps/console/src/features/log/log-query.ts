import { type LogFilters, ranges } from './log-search.ts'

/** Added to now, so that a slow clock does not hide the newest rows (specification, section 9). */
const endAheadSeconds = 3_600

/** The query for the server. Without times: from the first row to an hour from now. */
export function toOwnQuery({ type, token, model, request, outcome, error, duration, start, end, range }: LogFilters, nowSeconds: number) {
  return {
    type: type ?? 0,
    token_name: token ?? '',
    model_name: model ?? '',
    request_id: request ?? '',
    ...(outcome !== undefined && { outcome }),
    ...(error !== undefined && { error_code: error }),
    ...(duration !== undefined && { duration }),
    start_timestamp: range === undefined ? (start ?? 0) : nowSeconds - ranges[range],
    end_timestamp: end ?? nowSeconds + endAheadSeconds,
  }
}

/** The query of an administrator, which can also filter by user and channel. */
export function toFullQuery(filters: LogFilters, nowSeconds: number) {
  return { ...toOwnQuery(filters, nowSeconds), username: filters.user ?? '', channel: filters.channel ?? 0 }
}
