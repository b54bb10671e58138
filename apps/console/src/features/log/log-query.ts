import { type LogFilters, ranges } from './log-search.ts'

/** Beyond now, so that rows of this very moment are not lost to a clock that is a little behind (specification, section 9). */
const endAheadSeconds = 3_600

/** What is asked of the server. Without times: from the first row to an hour from now. */
export function toOwnQuery({ type, token, model, start, end, range }: LogFilters, nowSeconds: number) {
  return {
    type: type ?? 0,
    token_name: token ?? '',
    model_name: model ?? '',
    start_timestamp: range === undefined ? (start ?? 0) : nowSeconds - ranges[range],
    end_timestamp: end ?? nowSeconds + endAheadSeconds,
  }
}

/** The same, and what only administrators may choose. */
export function toFullQuery(filters: LogFilters, nowSeconds: number) {
  return { ...toOwnQuery(filters, nowSeconds), username: filters.user ?? '', channel: filters.channel ?? 0 }
}
