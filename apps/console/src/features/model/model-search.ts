import { modelKinds } from '@sluice/contract'
import { choiceFilter, type FiltersOf, numberFilter, readFilters, textFilter } from '../../lib/filters.ts'

export const priceUnits = ['money', 'quota'] as const
export type PriceUnit = (typeof priceUnits)[number]

export const modelFilters = {
  q: textFilter,
  kind: choiceFilter(modelKinds),
  /** A channel type. */
  vendor: numberFilter,
  /** What goes in and comes out, and features such as `tools-reasoning`. Their words are with the page: this file is part of every page. */
  input: textFilter,
  output: textFilter,
  can: textFilter,
  unit: choiceFilter(priceUnits),
  /** One of `modelSorts`; missing or another = by name. */
  sort: textFilter,
  /** The model whose details are open. */
  name: textFilter,
}
export type ModelFilters = FiltersOf<typeof modelFilters>

export const readModelSearch = (raw: Readonly<Record<string, unknown>>): ModelFilters => readFilters(modelFilters, raw)
