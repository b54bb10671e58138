import type { Db } from '../../db/connect.ts'
import type { Page } from '../../db/one-page.ts'
import { listTasks, type StoredTask, type TaskFilters } from './queries.ts'

/** Rows that are read at a time: each may have megabytes of its vendor's data. */
const rowsAtOnce = 10

/** The tasks of a page. */
export async function* listTasksInSteps(db: Db, filters: TaskFilters, page: Page): AsyncGenerator<StoredTask> {
  let next = page
  for (let left = page.size; left > 0; left -= rowsAtOnce) {
    const limit = Math.min(left, rowsAtOnce)
    const rows = await listTasks(db, filters, { ...next, limit })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    next = { ...page, behind: [last.created_at, last.id] }
  }
}
