import { tokenOrders } from '@sluice/contract'
import { choiceFilter, listSearchReader } from '../../lib/filters.ts'

/** The server's order of rows; without it, the newest first. */
export const tokenFilters = { order: choiceFilter(tokenOrders) }

export const readTokenSearch = listSearchReader(tokenFilters)
