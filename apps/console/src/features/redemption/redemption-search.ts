import { redemptionState } from '@sluice/contract'
import { choiceFilter, listSearchReader } from '../../lib/filters.ts'

export const redemptionFilters = { status: choiceFilter(Object.values(redemptionState)) }

export const readRedemptionSearch = listSearchReader(redemptionFilters)
