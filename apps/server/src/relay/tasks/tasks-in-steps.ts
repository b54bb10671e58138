import type { Db } from '../../db/connect.ts'
import { readInSteps, rowsAtOnce } from '../../lib/read-in-steps.ts'
import type { Viewer } from '../model/caller.ts'
import type { TaskPage } from './task-page-queries.ts'
import { listTasks, readTasks, type TaskRow } from './task-queries.ts'

/** The tasks of a page. */
export function listTasksInSteps(db: Db, page: TaskPage): AsyncGenerator<TaskRow> {
  return readInSteps<TaskRow>(page.limit, (last, limit) => listTasks(db, { ...page, after: last?.id ?? page.after, limit }))
}

/** Several tasks of an account, by their ids. */
export async function* readTasksInSteps(db: Db, viewer: Viewer, publicIds: readonly string[]): AsyncGenerator<TaskRow> {
  const ids = [...new Set(publicIds)]
  for (let from = 0; from < ids.length; from += rowsAtOnce) yield* await readTasks(db, viewer, ids.slice(from, from + rowsAtOnce))
}
