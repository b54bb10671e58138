import type { SQL } from 'bun'

/** Numbers by the ids of https://www.postgresql.org/docs/current/catalog-pg-type.html: int8 and numeric. Every amount is below 2^53. */
const numberTypes: ReadonlySet<number> = new Set([20, 1700])
const booleanType = 16

export type Row = Readonly<Record<string, unknown>>
export type Rows = readonly Row[] & SQL.ResultMetadata

/** Converts values to the row types, as SQLite returns them: int8 and sums as numbers, booleans as 0 and 1. */
export function toRows(result: Rows): readonly Row[] {
  const converted = (result.columns ?? []).filter(({ type }) => numberTypes.has(type) || type === booleanType)
  if (converted.length === 0) return result
  return result.map((row) => {
    const record: Record<string, unknown> = { ...row }
    for (const { name } of converted) if (record[name] !== null) record[name] = Number(record[name])
    return record
  })
}

export function toParameters(values: readonly unknown[]): unknown[] {
  return values.map(withoutZero)
}

/** Replaces U+0000, which PostgreSQL cannot store in a text, by U+FFFD. */
export function withoutZero<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
}
