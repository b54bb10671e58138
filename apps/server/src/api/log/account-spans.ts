import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { hourSeconds, spanHours } from '../../db/usage-tables.ts'
import type { Span, UsageFilters } from './usage-rows.ts'

/** Stored spans of one length, from a time on and up to another. */
interface Piece extends Pick<Span, 'from' | 'to'> {
  /** Length of its spans in hours; 1 = hours. */
  readonly hours: number
  /** -1 = what it holds is taken away from the sum of the others. */
  readonly sign: 1 | -1
}

/** Shortest first. */
const lengths = [1, ...spanHours].sort((one, other) => one - other)

/** Pieces of each length, some of them empty, so that every query has the same form. */
const piecesEach = 2

/**
 * How many rows a span of each length has beside one of 16 days, where there are many accounts that send little: most accounts are in a
 * span of four days already.
 */
const weights: Readonly<Record<number, number>> = { 1: 0.05, 24: 0.7, 96: 1, 384: 1 }

/** One end of the wanted time, moved to a multiple of a longer span, and the pieces between. */
interface Edge {
  readonly at: number
  readonly pieces: readonly Piece[]
}

const costOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { from, to, hours }) => sum + ((to - from) / (hours * hourSeconds)) * (weights[hours] ?? 1), 0)

/** The ways to move an edge to a multiple of the next longer span: outwards, which takes away what lies between, and inwards. */
function movedEdges({ at, pieces }: Edge, { hours, next, side }: { hours: number; next: number; side: 'from' | 'to' }): readonly Edge[] {
  const length = next * hourSeconds
  const below = Math.floor(at / length) * length
  const above = Math.ceil(at / length) * length
  if (below === above) return [{ at, pieces }]
  const inwards = side === 'from' ? above : below
  return [below, above].map((to) => {
    const sign = to === inwards ? 1 : -1
    return { at: to, pieces: [...pieces, { hours, sign, from: Math.min(at, to), to: Math.max(at, to) }] }
  })
}

/**
 * Splits a time of whole hours into stored spans with the fewest rows. Long spans may reach beyond its ends; shorter ones take away what
 * is too much. There is nothing after the end of a time that ends now, so nothing is taken away there.
 */
export function piecesOf({ from, to, endsNow = false }: Span): readonly Piece[] {
  let starts: readonly Edge[] = [{ at: from, pieces: [] }]
  let ends: readonly Edge[] = [{ at: to, pieces: [] }]
  let best: readonly Piece[] = [{ hours: 1, sign: 1, from, to }]
  for (const [index, next] of lengths.slice(1).entries()) {
    const hours = lengths[index] ?? 1
    starts = starts.flatMap((edge) => movedEdges(edge, { hours, next, side: 'from' }))
    const length = next * hourSeconds
    ends = endsNow
      ? [{ at: Math.ceil(to / length) * length, pieces: [] }]
      : ends.flatMap((edge) => movedEdges(edge, { hours, next, side: 'to' }))
    for (const start of starts) {
      for (const end of ends.filter(({ at }) => at >= start.at)) {
        const pieces: readonly Piece[] = [...start.pieces, ...end.pieces, { hours: next, sign: 1, from: start.at, to: end.at }]
        if (costOf(pieces) < costOf(best)) best = pieces
      }
    }
  }
  return lengths.toReversed().flatMap((hours) => {
    const matches = best.filter((piece) => piece.hours === hours)
    return [...matches, ...Array.from({ length: piecesEach - matches.length }, () => nothingOf(hours))]
  })
}

const nothingOf = (hours: number): Piece => ({ hours, sign: 1, from: 0, to: 0 })

interface SpansQuery {
  readonly filters: Pick<UsageFilters, 'token_name'>
  readonly span: Span
}

/**
 * Quota and requests by account and token. Those of some rows are negative, so that only sums mean something, and a sum of no requests is
 * of an account that sent none. Reads no other columns: with millions of rows each column costs time.
 */
export function accountSpans(db: Db, { filters: { token_name }, span }: SpansQuery) {
  const [first, ...rest] = piecesOf(span).map((piece) => pieceRows(db, piece, token_name))
  if (first === undefined) throw new Error('a span has pieces')
  return rest.reduce((union, piece) => union.unionAll(piece), first)
}

function pieceRows(db: Db, { hours, sign, from, to }: Piece, tokenName: string) {
  // PostgreSQL sums BIGINT in a wider type, which is slower; these are exact up to 2^53, above the largest quota.
  const signed = (column: 'quota' | 'requests') =>
    sql<number>`CAST(${sql.ref(column)} * CAST(${sign} AS BIGINT) AS DOUBLE PRECISION)`.as(column)
  const columns = ['user_id', 'token_name', signed('quota'), signed('requests')] as const
  if (hours === 1)
    return db
      .selectFrom('usage_hours')
      .select(columns)
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .$if(tokenName !== '', (query) => query.where('token_name', '=', tokenName))
  return db
    .selectFrom('usage_account_spans')
    .select(columns)
    .where('hours', '=', hours)
    .where('start', '>=', from)
    .where('start', '<', to)
    .$if(tokenName !== '', (query) => query.where('token_name', '=', tokenName))
}
