import { userOrders } from '@sluice/contract'
import { choiceFilter, listSearchReader } from '../../lib/filters.ts'

/** The server's order of rows; without it, the newest first. */
export const userFilters = { order: choiceFilter(userOrders) }

export const readUserSearch = listSearchReader(userFilters)
