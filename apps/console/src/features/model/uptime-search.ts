import { choiceFilter, type FiltersOf, readFilters, textFilter } from '../../lib/filters.ts'

export const uptimeFilters = {
  q: textFilter,
  /** Missing: the last 90 days. */
  span: choiceFilter(['hours'] as const),
}

export const readUptimeSearch = (raw: Readonly<Record<string, unknown>>): FiltersOf<typeof uptimeFilters> => readFilters(uptimeFilters, raw)
