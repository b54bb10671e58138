import { channelStatus } from '@sluice/contract'
import { choiceFilter, listSearchReader, numberFilter, textFilter } from '../../lib/filters.ts'

export const channelFilters = {
  status: choiceFilter(Object.values(channelStatus)),
  type: numberFilter,
  group: textFilter,
}

/** Reads the search parameters of the list of channels. */
export const readChannelSearch = listSearchReader(channelFilters)
