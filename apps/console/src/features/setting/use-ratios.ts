import { useMemo } from 'react'
import type { SectionParts } from './option-section.tsx'
import { shownValue } from './option-values.ts'
import {
  cellChange,
  type PriceScale,
  type RatioColumn,
  type RatioRow,
  type Ratios,
  type RatioTables,
  ratioRows,
  readRatios,
  withRatio,
  writeRatios,
} from './ratio-rows.ts'

/** The option that has a member of a row. */
const optionOf = { ratio: 'ModelRatio', completion: 'CompletionRatio', factor: 'RetailRatio' } as const
type Value = keyof typeof optionOf
type RatioOption = (typeof optionOf)[Value] | 'ChannelTypeRatio'

interface Table {
  /** `null` = the text is no JSON of numbers. */
  readonly ratios: Ratios | null
  readonly write: (ratios: Ratios) => void
}

/** An option that is a JSON object of numbers, as typed or stored. */
export function useRatioOption({ form, stored }: SectionParts, key: RatioOption): Table {
  const kept = shownValue(key, stored.get(key) ?? '')
  const text = form.drafts.get(key) ?? kept
  const ratios = useMemo(() => readRatios(text), [text])
  const write = (changed: Ratios) => {
    const next = writeRatios(changed)
    form.setDraft(key, next === kept ? undefined : next)
  }
  return { ratios, write }
}

interface RatioEditor {
  readonly rows: readonly RatioRow[]
  readonly setCell: (row: RatioRow, column: RatioColumn, value: number | null) => void
  readonly setRows: (rows: readonly RatioRow[]) => void
  readonly remove: (name: string) => void
}

/** The prices of the options as one table. It edits the texts of their fields; `null` = one of them is no JSON of numbers. */
export function useRatios(parts: SectionParts, scale: PriceScale): RatioEditor | null {
  const options = {
    ratio: useRatioOption(parts, optionOf.ratio),
    completion: useRatioOption(parts, optionOf.completion),
    factor: useRatioOption(parts, optionOf.factor),
  }
  const [ratio, completion, factor] = [options.ratio.ratios, options.completion.ratios, options.factor.ratios]
  const tables = useMemo<RatioTables | null>(
    () => (ratio === null || completion === null || factor === null ? null : { ratio, completion, factor }),
    [ratio, completion, factor],
  )
  const rows = useMemo(() => (tables === null ? [] : ratioRows(tables)), [tables])
  if (tables === null) return null
  const set = (name: string, value: Value, number: number | null) => options[value].write(withRatio(tables[value], name, number))
  const add = (value: Value, changed: readonly RatioRow[]) => {
    const known = changed.flatMap((row) => (row[value] === null ? [] : [[row.name, row[value]] as const]))
    if (known.length > 0) options[value].write(new Map([...tables[value], ...known]))
  }
  return {
    rows,
    setCell(row, column, value) {
      const change = cellChange(row, column, { value, scale }) ?? {}
      for (const changed of ['ratio', 'completion', 'factor'] as const) {
        const number = change[changed]
        if (number !== undefined) set(row.name, changed, number)
      }
    },
    setRows(changed) {
      add('ratio', changed)
      add('completion', changed)
    },
    remove(name) {
      for (const value of ['ratio', 'completion', 'factor'] as const) if (tables[value].has(name)) set(name, value, null)
    },
  }
}
