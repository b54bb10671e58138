/** One model of the table of prices; `null` = it has no such ratio. */
export interface RatioRow {
  readonly name: string
  readonly ratio: number | null
  readonly completion: number | null
  /** Instead of it in responses with reasoning. */
  readonly thinking: number | null
  /** Multiplies every price of the model. */
  readonly factor: number | null
}

export type Ratios = ReadonlyMap<string, number>

/** A row without any number. */
export const unknownPrice = (name: string): RatioRow => ({ name, ratio: null, completion: null, thinking: null, factor: null })

/** The options that the table shows, by the member of a row. */
export type RatioTables = { readonly [Value in keyof RatioValues]: Ratios }
type RatioValues = Omit<RatioRow, 'name'>

export const ratioMembers = ['ratio', 'completion', 'thinking', 'factor'] as const satisfies ReadonlyArray<keyof RatioValues>
export type RatioMember = (typeof ratioMembers)[number]

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
export function ratioRows(tables: RatioTables): readonly RatioRow[] {
  const names = [...new Set(Object.values(tables).flatMap((ratios) => [...ratios.keys()]))].sort()
  return names.map((name) => {
    const value = (member: keyof RatioValues) => tables[member].get(name) ?? null
    return { name, ratio: value('ratio'), completion: value('completion'), thinking: value('thinking'), factor: value('factor') }
  })
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
export const ratioColumns = ['ratio', 'completion', 'thinking', 'input', 'output', 'factor'] as const
export type RatioColumn = (typeof ratioColumns)[number]

/** What a column shows; `null` = nothing. A model without an output ratio costs as much for output as for input. */
export function cellOf({ ratio, completion, thinking, factor }: RatioRow, column: RatioColumn, scale: PriceScale): number | null {
  if (column === 'factor') return factor
  if (column === 'completion') return completion
  if (column === 'thinking') return thinking
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
    case 'ratio':
    case 'completion':
    case 'thinking':
      return { [column]: value }
    case 'input':
      return inputChange(row, value, scale)
    case 'output': {
      if (value === null) return { completion: null }
      const input = row.ratio === null ? 0 : dollarsOf(row.ratio, scale)
      return input > 0 ? { completion: rounded(value / input) } : null
    }
  }
}

/** The prices of output stay the same when the price of input changes. */
function inputChange(row: RatioRow, value: number | null, scale: PriceScale): Partial<RatioValues> {
  if (value === null) return { ratio: null }
  const ratio = ratioOf(value, scale)
  const { ratio: before, completion, thinking } = row
  if (before === null || ratio === 0) return { ratio }
  const kept = (factor: number): number => rounded((before * factor) / ratio)
  return {
    ratio,
    ...(completion !== null && { completion: kept(completion) }),
    ...(thinking !== null && { thinking: kept(thinking) }),
  }
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
    else if (unit === 'ratio') rows.push({ ...unknownPrice(name), ratio: input, completion: output })
    else {
      const completion = output === null || input === 0 ? null : rounded(output / input)
      rows.push({ ...unknownPrice(name), ratio: ratioOf(input, scale), completion })
    }
  }
  return { rows, badLines }
}

/** Without rounding errors of divisions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12))
}
