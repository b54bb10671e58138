import { userOrders } from '@sluice/contract'
import { choiceFilter, readFilters } from '../../lib/filters.ts'
import { readListSearch } from '../../lib/list-search.ts'

/** The server's order of rows; without it, the newest first. */
export const userFilters = { order: choiceFilter(userOrders) }

export const readUserSearch = (raw: Readonly<Record<string, unknown>>) => ({ ...readListSearch(raw), ...readFilters(userFilters, raw) })
