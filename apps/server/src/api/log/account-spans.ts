import type { Db } from '../../db/connect.ts'
import { hourSeconds, spanHours } from '../../db/usage-tables.ts'
import type { Span, UsageFilters } from './usage-rows.ts'

interface Piece extends Pick<Span, 'from' | 'to'> {
  /** Length of its spans in hours; 1 = hours. */
  readonly hours: number
}

/** Longest first. */
const lengths = [...spanHours].sort((one, other) => other - one)
const longest = Math.max(...spanHours) * hourSeconds

/**
 * Splits a span of whole hours: as much as possible into the longest stored spans, the two ends into shorter ones, and the rest into
 * hours. The last piece of a span that ends now goes on to the end of a longest stored span: there is nothing in it after now. There are
 * always two pieces of each length, some of them empty, so that every query has the same form.
 */
export function piecesOf({ from: start, to: end, endsNow = false }: Span): readonly Piece[] {
  const pieces: Piece[] = []
  let gaps: readonly Span[] = [{ from: start, to: endsNow ? Math.ceil(end / longest) * longest : end }]
  for (const hours of lengths) {
    const length = hours * hourSeconds
    const next: Span[] = []
    for (const gap of gaps) {
      const from = Math.ceil(gap.from / length) * length
      const to = Math.floor(gap.to / length) * length
      if (from < to) {
        pieces.push({ hours, from, to })
        next.push({ from: gap.from, to: from }, { from: to, to: gap.to })
      } else next.push(gap)
    }
    gaps = next.filter((gap) => gap.from < gap.to)
  }
  pieces.push(...gaps.map((gap) => ({ hours: 1, ...gap })))
  return [...lengths, 1].flatMap((hours) =>
    [0, 1].map((index) => pieces.filter((piece) => piece.hours === hours)[index] ?? { hours, ...nothing }),
  )
}

const nothing: Span = { from: 0, to: 0 }

interface SpansQuery {
  readonly filters: Pick<UsageFilters, 'token_name'>
  readonly span: Span
}

/** The quota used by each account and token. Reads no other columns: with millions of rows each column costs time. */
export function accountSpans(db: Db, { filters: { token_name }, span }: SpansQuery) {
  const [first, ...rest] = piecesOf(span).map((piece) => pieceRows(db, piece, token_name))
  if (first === undefined) throw new Error('a span has pieces')
  return rest.reduce((union, piece) => union.unionAll(piece), first)
}

const columns = ['user_id', 'token_name', 'quota', 'requests'] as const

function pieceRows(db: Db, { hours, from, to }: Piece, tokenName: string) {
  if (hours === 1)
    return db
      .selectFrom('usage_hours')
      .select([...columns])
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .$if(tokenName !== '', (query) => query.where('token_name', '=', tokenName))
  return db
    .selectFrom('usage_account_spans')
    .select([...columns])
    .where('hours', '=', hours)
    .where('start', '>=', from)
    .where('start', '<', to)
    .$if(tokenName !== '', (query) => query.where('token_name', '=', tokenName))
}
