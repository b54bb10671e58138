import type { Db } from '../../db/connect.ts'
import { listTasks, readTasks, type TaskPage, type TaskRow } from './task-queries.ts'

/** Rows that are read at a time: each may have megabytes of its vendor's data. */
const rowsAtOnce = 10

/** The tasks of a page. */
export async function* listTasksInSteps(db: Db, page: TaskPage): AsyncGenerator<TaskRow> {
  let { after, limit: left } = page
  while (left > 0) {
    const limit = Math.min(left, rowsAtOnce)
    const rows = await listTasks(db, { ...page, after, limit })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = last.id
    left -= limit
  }
}

/** Several tasks of an account, by their ids. */
export async function* readTasksInSteps(db: Db, userId: number, publicIds: readonly string[]): AsyncGenerator<TaskRow> {
  const ids = [...new Set(publicIds)]
  for (let from = 0; from < ids.length; from += rowsAtOnce) yield* await readTasks(db, userId, ids.slice(from, from + rowsAtOnce))
}
