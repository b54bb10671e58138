import { tokenOrders } from '@sluice/contract'
import { choiceFilter, readFilters } from '../../lib/filters.ts'
import { readListSearch } from '../../lib/list-search.ts'

/** The server's order of rows; without it, the newest first. */
export const tokenFilters = { order: choiceFilter(tokenOrders) }

export const readTokenSearch = (raw: Readonly<Record<string, unknown>>) => ({ ...readListSearch(raw), ...readFilters(tokenFilters, raw) })
