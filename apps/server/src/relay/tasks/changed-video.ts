import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../lib/app-error.ts'
import type { ClientTaskParams } from '../ingress/read-task-params.ts'
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

/** An order that continues or changes a video: an earlier one, or a video that goes along. @throws AppError */
export async function changedVideo(read: ClientTaskParams, { id, caller, tasks }: Changed): Promise<Pick<Submission, 'params' | 'source'>> {
  if (read.video !== null) return { params: read, source: null }
  const { row, ...source } = await tasks.sourceOf(caller, id ?? videoIn(read.extra))
  const { video: _video, ...extra } = read.extra
  const own = tasks.texts.taskParamsOf(row)
  const video = read.action === 'remix' ? null : await tasks.videoOf(row)
  // A continuation has a length of its own. What is made of a video has its size.
  const seconds = read.action === 'extend' || video !== null ? read.seconds : (read.seconds ?? own.seconds)
  const size = video === null ? (read.size ?? sizeOf(own.size)) : read.size
  return { source, params: { ...read, extra, model: row.model, video: video, seconds, size } }
}

/** OpenAI's `video`: an object with an id, or the id. @throws AppError */
function videoIn({ video }: JsonObject): string {
  const id = isObject(video) ? video['id'] : video
  if (typeof id !== 'string' || id === '') throw new AppError('invalid_parameter', { params: { name: 'video' } })
  return id
}
