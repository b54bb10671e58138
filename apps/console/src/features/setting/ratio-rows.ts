/** One model of the table of prices; `null` = it has no such ratio. */
export interface RatioRow {
  readonly name: string
  readonly ratio: number | null
  readonly completion: number | null
  /** Multiplies every price of the model. */
  readonly factor: number | null
}

export type Ratios = ReadonlyMap<string, number>

/** The options that the table shows, by the member of a row. */
export type RatioTables = { readonly [Value in keyof RatioValues]: Ratios }
type RatioValues = Omit<RatioRow, 'name'>

/** Reads a JSON object of numbers; `null` = the text is something else. */
export function readRatios(text: string): Ratios | null {
  if (text.trim() === '') return new Map()
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const entries = Object.entries(parsed)
    return entries.every((entry): entry is [string, number] => typeof entry[1] === 'number') ? new Map(entries) : null
  } catch {
    return null
  }
}

/** The text of an option's field; an empty table is an empty text. */
export function writeRatios(ratios: Ratios): string {
  return ratios.size === 0 ? '' : JSON.stringify(Object.fromEntries(ratios), null, 2)
}

/** All models of the tables by name. Names that differ in case are different models. */
export function ratioRows({ ratio, completion, factor }: RatioTables): readonly RatioRow[] {
  const names = [...new Set([...ratio.keys(), ...completion.keys(), ...factor.keys()])].sort()
  const valueIn = (ratios: Ratios, name: string) => ratios.get(name) ?? null
  return names.map((name) => ({ name, ratio: valueIn(ratio, name), completion: valueIn(completion, name), factor: valueIn(factor, name) }))
}

/** The rows whose names contain every word. */
export function matchingRows(rows: readonly RatioRow[], query: string): readonly RatioRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length === 0 ? rows : rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}

/** Sets one value, or removes it with `null`. A changed one keeps its place. */
export function withRatio(ratios: Ratios, name: string, value: number | null): Ratios {
  const next = new Map(ratios)
  if (value === null) next.delete(name)
  else next.set(name, value)
  return next
}

/** A ratio is quota per token; a price is dollars for a million tokens. */
export interface PriceScale {
  readonly quotaPerUnit: number
}

function dollarsOf(ratio: number, { quotaPerUnit }: PriceScale): number {
  return rounded((ratio * 1_000_000) / quotaPerUnit)
}

function ratioOf(dollars: number, { quotaPerUnit }: PriceScale): number {
  return rounded((dollars * quotaPerUnit) / 1_000_000)
}

/** The columns in which a price can be typed. */
export const ratioColumns = ['ratio', 'completion', 'input', 'output', 'factor'] as const
export type RatioColumn = (typeof ratioColumns)[number]

/** What a column shows; `null` = nothing. A model without an output ratio costs as much for output as for input. */
export function cellOf({ ratio, completion, factor }: RatioRow, column: RatioColumn, scale: PriceScale): number | null {
  if (column === 'factor') return factor
  if (column === 'completion') return completion
  if (ratio === null) return null
  if (column === 'ratio') return ratio
  return dollarsOf(column === 'input' ? ratio : ratio * (completion ?? 1), scale)
}

/** The change of the tables that a typed cell means; `null` = it means none. A price of output is stored as a multiple of the input's. */
export function cellChange(
  row: RatioRow,
  column: RatioColumn,
  { value, scale }: { readonly value: number | null; readonly scale: PriceScale },
): Partial<RatioValues> | null {
  switch (column) {
    case 'factor':
      return { factor: value }
    case 'ratio':
      return { ratio: value }
    case 'completion':
      return { completion: value }
    case 'input':
      return inputChange(row, value, scale)
    case 'output': {
      if (value === null) return { completion: null }
      const input = row.ratio === null ? 0 : dollarsOf(row.ratio, scale)
      return input > 0 ? { completion: rounded(value / input) } : null
    }
  }
}

/** The price of output stays the same when the price of input changes. */
function inputChange(row: RatioRow, value: number | null, scale: PriceScale): Partial<Pick<RatioRow, 'ratio' | 'completion'>> {
  if (value === null) return { ratio: null }
  const output = row.ratio === null || row.completion === null ? null : row.ratio * row.completion
  const ratio = ratioOf(value, scale)
  return output === null || ratio === 0 ? { ratio } : { ratio, completion: rounded(output / ratio) }
}

/** A typed number >= 0; `null` = the cell is empty, `undefined` = it is no number. */
export function readCell(text: string): number | null | undefined {
  const typed = text.trim().replace(/^\$/, '')
  if (typed === '') return null
  return /^\d{1,9}(\.\d{1,12})?$/.test(typed) ? Number(typed) : undefined
}

interface Pasted {
  readonly rows: readonly RatioRow[]
  /** Numbers of the lines that cannot be read, from 1. */
  readonly badLines: readonly number[]
}

/** Reads "name, input, output" lines; the output may be missing. */
export function readPasted(text: string, unit: 'ratio' | 'dollars', scale: PriceScale): Pasted {
  const rows: RatioRow[] = []
  const badLines: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [name = '', first = '', second = '', ...rest] = line.trim().split(/[\s,;]+/)
    const [input, output] = [readCell(first), readCell(second)]
    if (name === '' || typeof input !== 'number' || output === undefined || rest.length > 0) badLines.push(index + 1)
    else if (unit === 'ratio') rows.push({ name, ratio: input, completion: output, factor: null })
    else {
      const completion = output === null || input === 0 ? null : rounded(output / input)
      rows.push({ name, ratio: ratioOf(input, scale), completion, factor: null })
    }
  }
  return { rows, badLines }
}

/** Without rounding errors of divisions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12))
}
