import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../lib/app-error.ts'
import type { ClientOrder } from '../ingress/read-task-order.ts'
import type { Viewer } from '../model/caller.ts'
import type { Tasks } from './create-tasks.ts'
import type { Submission } from './submit-task.ts'
import { sizeOf } from './task-texts.ts'

interface Changed {
  /** `public_id` of the video; missing: the order names it. */
  readonly id: string | undefined
  readonly caller: Viewer
  readonly tasks: Tasks
}

/** An order that continues or changes a video: an earlier one, or a film that goes along. @throws AppError */
export async function changedVideo(read: ClientOrder, { id, caller, tasks }: Changed): Promise<Pick<Submission, 'order' | 'source'>> {
  if (read.video !== null) return { order: read, source: null }
  const { row, ...source } = await tasks.sourceOf(caller, id ?? videoIn(read.extra))
  const { video: _video, ...extra } = read.extra
  const own = tasks.texts.orderOf(row)
  const film = read.action === 'remix' ? null : await tasks.filmOf(row)
  // A continuation has a length of its own. What is made of a film has its size.
  const seconds = read.action === 'extend' || film !== null ? read.seconds : (read.seconds ?? own.seconds)
  const size = film === null ? (read.size ?? sizeOf(own.size)) : read.size
  return { source, order: { ...read, extra, model: row.model, video: film, seconds, size } }
}

/** OpenAI's `video`: an object with an id, or the id. @throws AppError */
function videoIn({ video }: JsonObject): string {
  const id = isObject(video) ? video['id'] : video
  if (typeof id !== 'string' || id === '') throw new AppError('invalid_parameter', { params: { name: 'video' } })
  return id
}
