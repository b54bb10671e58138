import { modelKinds } from '@sluice/contract'
import { choiceFilter, type FiltersOf, readFilters, textFilter } from '../../lib/filters.ts'

export const routeFilters = {
  model: textFilter,
  username: textFilter,
  groups: textFilter,
  kind: choiceFilter(modelKinds),
}
export type RouteSearch = FiltersOf<typeof routeFilters>

export const readRouteSearch = (raw: Readonly<Record<string, unknown>>): RouteSearch => readFilters(routeFilters, raw)
