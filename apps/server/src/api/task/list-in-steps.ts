import type { Db } from '../../db/connect.ts'
import type { Page } from '../../db/one-page.ts'
import { readInSteps } from '../../lib/read-in-steps.ts'
import { listTasks, type StoredTask, type TaskFilters } from './queries.ts'

/** The tasks of a page. */
export function listTasksInSteps(db: Db, filters: TaskFilters, page: Page): AsyncGenerator<StoredTask> {
  return readInSteps<StoredTask>(page.size, (last, limit) =>
    listTasks(db, filters, { ...page, limit, ...(last === null ? {} : { behind: [last.created_at, last.id] }) }),
  )
}
