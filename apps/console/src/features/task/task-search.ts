import { taskKinds, taskStates } from '@sluice/contract'
import { choiceFilter, type FiltersOf, listSearchReader, numberFilter, textFilter } from '../../lib/filters.ts'
import { readTexts } from '../../lib/search-text.ts'

export const taskFilters = {
  state: choiceFilter(taskStates),
  kind: choiceFilter(taskKinds),
  model: textFilter,
  /** The id that clients know. */
  id: textFilter,
  /** For administrators only, like `channel`. */
  user: textFilter,
  channel: numberFilter,
  /** Seconds since the epoch. */
  start: numberFilter,
  end: numberFilter,
}

export type TaskFilters = FiltersOf<typeof taskFilters>

export const readTaskSearch = listSearchReader(taskFilters)

/** `from`: the task that fills the form, or whose video is changed by an `action`; `kind`: what is made. */
export const readTaskAddSearch = readTexts('from', 'kind', 'action')
