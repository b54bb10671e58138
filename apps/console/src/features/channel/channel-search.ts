import { channelStatus } from '@sluice/contract'
import { choiceFilter, numberFilter, readFilters, textFilter } from '../../lib/filters.ts'
import { readListSearch } from '../../lib/list-search.ts'

export const channelFilters = {
  status: choiceFilter(Object.values(channelStatus)),
  type: numberFilter,
  group: textFilter,
}

/** Reads the search parameters of the list of channels. */
export const readChannelSearch = (raw: Readonly<Record<string, unknown>>) => ({
  ...readListSearch(raw),
  ...readFilters(channelFilters, raw),
})
