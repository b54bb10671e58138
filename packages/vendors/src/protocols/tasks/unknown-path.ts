import type { TaskResponse } from '../../core/task.ts'
import { failureOf } from './step-parts.ts'

/** Words of servers about a path that they do not have. About a task that they do not know, vendors say more. */
const words = /^not found\.?$|invalid url|no static resource|cannot (?:get|post) \/|(?:unknown|no such) (?:url|path|route|endpoint)/i

/** Whether a response to a question about a task says that there is no such path: the server is another one than the vendor's. */
export function isOfUnknownPath(response: TaskResponse): boolean {
  if (response.status !== 404) return false
  return response.json === undefined || words.test(failureOf(response).message.trim())
}
