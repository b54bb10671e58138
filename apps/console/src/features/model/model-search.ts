import { modelKinds } from '@sluice/contract'
import { choiceFilter, type FiltersOf, numberFilter, readFilters, textFilter } from '../../lib/filters.ts'

export const priceUnits = ['money', 'quota'] as const
export type PriceUnit = (typeof priceUnits)[number]

/** Orders of the list; missing = by name. Models without the value come last. */
export const modelSorts = ['price', '-price', '-context'] as const
export type ModelSort = (typeof modelSorts)[number]

export const modelFilters = {
  q: textFilter,
  kind: choiceFilter(modelKinds),
  /** A channel type. */
  vendor: numberFilter,
  unit: choiceFilter(priceUnits),
  sort: choiceFilter(modelSorts),
  /** The model whose details are open. */
  name: textFilter,
}
export type ModelFilters = FiltersOf<typeof modelFilters>

export const readModelSearch = (raw: Readonly<Record<string, unknown>>): ModelFilters => readFilters(modelFilters, raw)
