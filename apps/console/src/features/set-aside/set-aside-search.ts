import { setAsideStates } from '@sluice/contract'
import { choiceFilter, listSearchReader } from '../../lib/filters.ts'

export const setAsideFilters = { state: choiceFilter(setAsideStates) }

export const readSetAsideSearch = listSearchReader(setAsideFilters)
