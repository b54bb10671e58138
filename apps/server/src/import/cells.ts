/** A row of the source as its driver gave it. */
export type SourceRow = Readonly<Record<string, unknown>>

/** Reads one cell, whichever engine it comes from. `undefined`: the source has no such column. `null`: it cannot be read. */
export type Reader<Value> = (cell: unknown) => Value | null

type Columns = Readonly<Record<string, Reader<unknown>>>

/** A row with the types that its readers give. */
export type RowOf<C extends Columns> = { readonly [K in keyof C]: C[K] extends Reader<infer Value> ? Value : never }

/**
 * Text: bytes are decoded, JSON columns written out. Blanks at the ends go, because PostgreSQL fills `char(48)` with them; so does the zero
 * character, which it cannot keep.
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

/** A whole number, which drivers give as number, bigint or digits. What no JavaScript number holds exactly cannot be read. */
export const whole =
  (fallback = 0): Reader<number> =>
  (cell) => {
    if (cell === null || cell === undefined || cell === '') return fallback
    const number = Number(typeof cell === 'boolean' ? cell : text(cell))
    return Number.isSafeInteger(number) ? number : null
  }

/** A number with decimals, which PostgreSQL gives as digits; anything else is 0. */
export const decimal = (cell: unknown): number => {
  const number = Number(text(cell))
  return Number.isFinite(number) ? number : 0
}

/** Booleans are 0 and 1 in SQLite and MySQL, `t` and `f` where PostgreSQL's text form comes through. */
export const bool = (cell: unknown): boolean => ['true', 't', '1'].includes(text(cell))

/** Whether anything stands there: when a row was deleted, for those that keep it. */
export const present = (cell: unknown): boolean => text(cell) !== ''

/** Reads a row by a table of readers. A text names the column that cannot be read. */
export function readRow<C extends Columns>(columns: C, row: SourceRow): RowOf<C> | string {
  const read = Object.entries(columns).map(([name, reader]) => [name, reader(row[name])] as const)
  const broken = read.find(([, value]) => value === null)
  if (broken !== undefined) return broken[0]
  // Holds: every value comes from the reader of its own name, and none of them is null.
  return Object.fromEntries(read) as RowOf<C>
}

/** A comma list, with blanks and repeats gone. `separators` are the characters that part its items in the source. */
export function listOf(given: string, separators: RegExp = /,/): readonly string[] {
  const items = given.split(separators).map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}

function clean(given: string): string {
  return given.replaceAll('\0', '').trim()
}
