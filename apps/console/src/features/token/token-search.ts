import { tokenOrders, tokenStatus } from '@sluice/contract'
import { choiceFilter, listSearchReader } from '../../lib/filters.ts'

export const tokenFilters = {
  /** The server's order of rows; without it, the newest first. */
  order: choiceFilter(tokenOrders),
  status: choiceFilter(Object.values(tokenStatus)),
}

export const readTokenSearch = listSearchReader(tokenFilters)
