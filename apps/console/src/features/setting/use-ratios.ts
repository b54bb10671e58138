import { useMemo } from 'react'
import type { SectionParts } from './option-section.tsx'
import { shownValue } from './option-values.ts'
import {
  cellChange,
  type PriceScale,
  type RatioColumn,
  type RatioRow,
  type Ratios,
  ratioRows,
  readRatios,
  withRatio,
  writeRatios,
} from './ratio-rows.ts'

/** The typed or stored text of an option. */
function textOf({ form, stored }: SectionParts, key: 'ModelRatio' | 'CompletionRatio'): string {
  return form.drafts.get(key) ?? shownValue(key, stored.get(key) ?? '')
}

interface RatioEditor {
  readonly rows: readonly RatioRow[]
  readonly setCell: (row: RatioRow, column: RatioColumn, value: number | null) => void
  readonly setRows: (rows: readonly RatioRow[]) => void
  readonly remove: (name: string) => void
}

/** The prices of both options as one table. It edits the texts of their fields; `null` = one of them is no JSON of numbers. */
export function useRatios(parts: SectionParts, scale: PriceScale): RatioEditor | null {
  const [modelText, completionText] = [textOf(parts, 'ModelRatio'), textOf(parts, 'CompletionRatio')]
  const model = useMemo(() => readRatios(modelText), [modelText])
  const completion = useMemo(() => readRatios(completionText), [completionText])
  const rows = useMemo(() => (model === null || completion === null ? [] : ratioRows(model, completion)), [model, completion])
  if (model === null || completion === null) return null
  const write = (key: 'ModelRatio' | 'CompletionRatio', ratios: Ratios) => {
    const text = writeRatios(ratios)
    parts.form.setDraft(key, text === shownValue(key, parts.stored.get(key) ?? '') ? undefined : text)
  }
  return {
    rows,
    setCell(row, column, value) {
      const change = cellChange(row, column, { value, scale })
      if (change?.ratio !== undefined) write('ModelRatio', withRatio(model, row.name, change.ratio))
      if (change?.completion !== undefined) write('CompletionRatio', withRatio(completion, row.name, change.completion))
    },
    setRows(changed) {
      write('ModelRatio', new Map([...model, ...changed.flatMap(({ name, ratio }) => (ratio === null ? [] : [[name, ratio] as const]))]))
      const outputs = changed.flatMap(({ name, completion: factor }) => (factor === null ? [] : [[name, factor] as const]))
      write('CompletionRatio', new Map([...completion, ...outputs]))
    },
    remove(name) {
      write('ModelRatio', withRatio(model, name, null))
      write('CompletionRatio', withRatio(completion, name, null))
    },
  }
}
