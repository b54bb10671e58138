import { type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** Which rows of a list one call returns. */
export interface Page {
  /** Page, from 0; ignored when `after` is given. */
  readonly p: number
  /** Id of the last row that was read; 0 = from the beginning. */
  readonly after: number
  /** Rows of a page. */
  readonly size: number
  /** Rows that are read of it; missing: all. */
  readonly limit?: number
  /** Rows that an earlier page has from elsewhere, so that this one begins so many before; missing: none. */
  readonly earlier?: number
  /** The row that was read last, by the values of the sorted columns: replaces `after` where that row may be deleted meanwhile. */
  readonly behind?: readonly number[]
}

interface Sorted {
  readonly page: Page
  /** Columns to sort by, each descending; the last one is the id. */
  readonly order: readonly string[]
}

/** Most rows that `p` skips: the database reads each of them. */
const skippedMax = 100_000

/**
 * One page of a list. With `after` it begins behind a row that the reader has, so that rows which are added or deleted meanwhile neither
 * shift the pages nor show twice. If that row itself was deleted, the page is empty.
 */
export function onePage<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  table: keyof Schema,
  { page: { p, after, size, limit = size, earlier = 0, behind }, order }: Sorted,
): SelectQueryBuilder<Tables, Table, Row> {
  const columns = order.map((column) => sql.ref(`${table}.${column}`))
  const sorted = columns.reduce((sortedQuery, column) => sortedQuery.orderBy(column, 'desc'), query)
  if (behind !== undefined) return sorted.where(sql<boolean>`(${sql.join(columns)}) < (${sql.join(behind)})`).limit(limit)
  if (after === 0) return p * size > skippedMax ? sorted.limit(0) : sorted.limit(limit).offset(p * size - earlier)
  const place = sql`(SELECT ${sql.join(columns)} FROM ${sql.table(table)} WHERE id = ${after})`
  const isBehind = columns.length === 1 ? sql<boolean>`${columns[0]} < ${after}` : sql<boolean>`(${sql.join(columns)}) < ${place}`
  return sorted.where(isBehind).limit(limit)
}
