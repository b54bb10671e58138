import { role, userOrders, userStatus } from '@sluice/contract'
import { choiceFilter, listSearchReader, textFilter } from '../../lib/filters.ts'

/** The statuses that an account in a list can have. */
export const listedStatuses = [userStatus.enabled, userStatus.banned] as const

export const roles = Object.values(role)

export const userFilters = {
  /** The server's order of rows; without it, the newest first. */
  order: choiceFilter(userOrders),
  role: choiceFilter(roles),
  status: choiceFilter(listedStatuses),
  group: textFilter,
}

export const readUserSearch = listSearchReader(userFilters)
