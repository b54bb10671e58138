import { timeMax } from '@sluice/contract'

/** A row of the source as its driver returns it. */
export type SourceRow = Readonly<Record<string, unknown>>

/** Reads a cell of any engine. A cell is `undefined` if the column is missing. @returns `null` = unreadable */
export type Reader<Value> = (cell: unknown) => Value | null

type Columns = Readonly<Record<string, Reader<unknown>>>

/** A row with the types of its readers. */
export type RowOf<C extends Columns> = { readonly [K in keyof C]: C[K] extends Reader<infer Value> ? Value : never }

/**
 * Text: bytes are decoded, JSON columns serialized. Spaces at the ends are removed, because PostgreSQL pads `char(48)` with them; so is
 * U+0000, which it cannot store.
 */
export const text = (cell: unknown): string => {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Uint8Array) return clean(new TextDecoder().decode(cell))
  return clean(typeof cell === 'object' ? JSON.stringify(cell) : String(cell))
}

/** Text that may not be empty. */
export const textOr =
  (fallback: string) =>
  (cell: unknown): string =>
    text(cell) || fallback

/** A whole number, which drivers return as number, bigint or digits. Numbers that JavaScript cannot hold exactly are unreadable. */
export const whole =
  (fallback = 0): Reader<number> =>
  (cell) => {
    if (cell === null || cell === undefined || cell === '') return fallback
    const number = Number(typeof cell === 'boolean' ? cell : text(cell))
    return Number.isSafeInteger(number) ? number : null
  }

/** A time in seconds since the epoch. */
export const time =
  (fallback = 0): Reader<number> =>
  (cell) => {
    const seconds = whole(fallback)(cell)
    return seconds === null ? null : Math.max(-timeMax, Math.min(seconds, timeMax))
  }

/** A number with decimals, which PostgreSQL returns as digits; anything else is 0. */
export const decimal = (cell: unknown): number => {
  const number = Number(text(cell))
  return Number.isFinite(number) ? number : 0
}

/** Booleans are 0 and 1 in SQLite and MySQL, `t` and `f` where PostgreSQL's text form comes through. */
export const bool = (cell: unknown): boolean => ['true', 't', '1'].includes(text(cell))

/** Whether a cell is not empty, such as the deletion time of products that keep deleted rows. */
export const present = (cell: unknown): boolean => text(cell) !== ''

/** Reads a row by a table of readers. @returns the row, or the name of the column that cannot be read */
export function readRow<C extends Columns>(columns: C, row: SourceRow): RowOf<C> | string {
  const read = Object.entries(columns).map(([name, reader]) => [name, reader(row[name])] as const)
  const broken = read.find(([, value]) => value === null)
  if (broken !== undefined) return broken[0]
  // Holds: every value comes from the reader of its own name, and none of them is null.
  return Object.fromEntries(read) as RowOf<C>
}

/** A list without blanks and repeats. `separators` match the characters between its items in the source. */
export function listOf(text: string, separators: RegExp = /,/): readonly string[] {
  const items = text.split(separators).map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}

function clean(text: string): string {
  return text.replaceAll('\0', '').trim()
}
