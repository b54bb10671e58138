import type { ModelRow } from '@sluice/contract'
import { featuresOf } from './model-choices.ts'
import type { ModelFilters } from './model-search.ts'

type Matched = Pick<ModelRow, 'name' | 'kinds' | 'vendors' | 'inputs' | 'outputs' | 'features'>

/** Whether a model is what all filters ask for. What is not known of it is taken as missing. */
export function matches(row: Matched, { q = '', kind, vendor, input, output, can }: ModelFilters): boolean {
  const words = q.toLowerCase().split(/\s+/)
  return (
    words.every((word) => row.name.toLowerCase().includes(word)) &&
    isIn(row.kinds, kind) &&
    isIn(row.vendors, vendor) &&
    isIn<string>(row.inputs, input) &&
    isIn<string>(row.outputs, output) &&
    featuresOf(can ?? '').every((feature) => row.features.includes(feature))
  )
}

const isIn = <Value>(values: readonly Value[], filter: Value | undefined): boolean => filter === undefined || values.includes(filter)
