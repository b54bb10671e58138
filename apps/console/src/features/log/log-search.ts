import { logType } from '@sluice/contract'
import { type ListSearch, readListSearch } from '../../lib/list-search.ts'

/** Ranges that always end now, in seconds. */
export const ranges = { '15m': 900, '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const
export type Range = keyof typeof ranges
export const rangeNames: readonly Range[] = ['15m', '1h', '24h', '7d', '30d']

/** The filters in the address. A filter that is not set is missing. */
export interface LogFilters {
  readonly type?: number
  readonly token?: string
  readonly model?: string
  /** For administrators only, like `channel`. */
  readonly user?: string
  readonly channel?: number
  /** Seconds since the epoch; not together with `range`. */
  readonly start?: number
  readonly end?: number
  readonly range?: Range
}

export type LogSearch = ListSearch & LogFilters

/** Without 0, which means all. */
const typeNumbers: readonly number[] = Object.values(logType).filter((number) => number !== logType.all)
/** The server's maximum for a text. */
const textMax = 64

/** Reads the log page's search parameters. */
export function readLogSearch(raw: Readonly<Record<string, unknown>>): LogSearch {
  return { ...readListSearch(raw), ...readLogFilters(raw) }
}

/** Reads an address, which a user may have typed; invalid members are left out. */
export function readLogFilters(raw: Readonly<Record<string, unknown>>): LogFilters {
  const chosen = whole(raw['type'])
  const range = rangeNames.find((name) => name === raw['range'])
  const texts = { token: text(raw['token']), model: text(raw['model']), user: text(raw['user']) }
  const numbers = { channel: whole(raw['channel']), ...(range === undefined && { start: whole(raw['start']), end: whole(raw['end']) }) }
  return {
    ...(typeNumbers.includes(chosen) && { type: chosen }),
    ...(range !== undefined && { range }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value > 0)),
  }
}

/** The router parses names that look like JSON values as such. */
function text(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim().slice(0, textMax) : ''
}

function whole(value: unknown): number {
  const number = Math.trunc(Number(text(value)))
  return Number.isSafeInteger(number) ? number : 0
}
