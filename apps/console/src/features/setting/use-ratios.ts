import type { OptionKey } from '@sluice/contract'
import { useMemo } from 'react'
import type { SectionParts } from './option-section.tsx'
import { displayValue } from './option-values.ts'
import {
  cellChange,
  type PriceScale,
  type RatioColumn,
  type RatioMember,
  type RatioRow,
  type Ratios,
  type RatioTables,
  ratioMembers,
  ratioRows,
  readRatios,
  withRatio,
  writeRatios,
} from './ratio-rows.ts'

/** The option that has a member of a row. */
const optionOf = {
  ratio: 'ModelRatio',
  completion: 'CompletionRatio',
  thinking: 'ThinkingRatio',
  factor: 'RetailRatio',
} as const satisfies Record<RatioMember, OptionKey>
type RatioOption = (typeof optionOf)[RatioMember] | 'ChannelTypeRatio'

interface Table {
  /** `null` = the text is no JSON of numbers. */
  readonly ratios: Ratios | null
  readonly write: (ratios: Ratios) => void
}

/** An option that is a JSON object of numbers, as typed or stored. */
export function useRatioOption({ form, stored }: SectionParts, key: RatioOption): Table {
  const kept = displayValue(key, stored.get(key) ?? '')
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
    thinking: useRatioOption(parts, optionOf.thinking),
    factor: useRatioOption(parts, optionOf.factor),
  }
  const [ratio, completion] = [options.ratio.ratios, options.completion.ratios]
  const [thinking, factor] = [options.thinking.ratios, options.factor.ratios]
  const tables = useMemo<RatioTables | null>(
    () => ratio && completion && thinking && factor && { ratio, completion, thinking, factor },
    [ratio, completion, thinking, factor],
  )
  const rows = useMemo(() => (tables === null ? [] : ratioRows(tables)), [tables])
  if (tables === null) return null
  const set = (name: string, member: RatioMember, value: number | null) => options[member].write(withRatio(tables[member], name, value))
  const add = (member: RatioMember, changed: readonly RatioRow[]) => {
    const known = changed.flatMap((row) => (row[member] === null ? [] : [[row.name, row[member]] as const]))
    if (known.length > 0) options[member].write(new Map([...tables[member], ...known]))
  }
  return {
    rows,
    setCell(row, column, value) {
      const change = cellChange(row, column, { value, scale }) ?? {}
      for (const member of ratioMembers) {
        const number = change[member]
        if (number !== undefined) set(row.name, member, number)
      }
    },
    setRows(changed) {
      add('ratio', changed)
      add('completion', changed)
    },
    remove(name) {
      for (const member of ratioMembers) if (tables[member].has(name)) set(name, member, null)
    },
  }
}
