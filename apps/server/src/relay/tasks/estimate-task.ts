import type { CreatableTaskKind, CreateAction, TaskEstimate, VideoFacts } from '@sluice/contract'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { UploadedFile } from '@sluice/vendors/core/request'
import { AppError } from '../../lib/app-error.ts'
import { type ClientTaskParams, type TaskForm, taskParamsOf } from '../ingress/read-task-params.ts'
import type { Viewer } from '../model/caller.ts'
import { ownerOf } from '../storage/viewer-queries.ts'
import { changedVideo } from './changed-video.ts'
import type { Tasks } from './create-tasks.ts'
import { continuedSong, songForms } from './song-routes.ts'
import type { Submission } from './submit-task.ts'
import { changeForm, videoForm } from './task-routes.ts'

/** An order that the console's form has not sent yet. */
export interface EstimateRequest {
  readonly userId: number
  readonly groups: readonly string[]
  readonly kind: CreatableTaskKind
  readonly action: CreateAction
  /** `public_id` of the video that is changed; empty: none. */
  readonly source: string
  /** The body of the call that would order it. */
  readonly body: JsonObject
  /** Number of images that would go along as files. */
  readonly files: number
  /** What is known of the video that would go along. */
  readonly video: VideoFacts | null
}

/** How the call that orders it reads it. @throws AppError for an action that the kind does not have */
function formOf({ kind, action }: Pick<EstimateRequest, 'kind' | 'action'>): TaskForm {
  if (kind === 'songs' && action === 'create') return songForms.music
  if (kind === 'songs' && action === 'lyrics') return songForms.lyrics
  if (kind === 'pictures' && action === 'create') return { kind, action }
  if (kind !== 'videos' || action === 'lyrics') throw new AppError('invalid_parameter', { params: { name: 'action' } })
  return action === 'create' ? videoForm : changeForm(action)
}

/** What no price depends on. */
const bytes = new Uint8Array(1)
const anyImage: UploadedFile = { name: 'input_reference', fileName: 'picture.png', contentType: 'image/png', bytes }
const anyVideo: UploadedFile = { name: 'video', fileName: 'video.mp4', contentType: 'video/mp4', bytes }

/** What would be reserved for an order; it is read, checked and counted as the order itself. @throws AppError */
export async function estimateTask({ userId, groups, ...request }: EstimateRequest, tasks: Tasks): Promise<TaskEstimate> {
  const { body, files, video: sourceVideo } = request
  const video = sourceVideo === null ? null : { file: anyVideo, ...sourceVideo }
  const read = taskParamsOf({ body, files: Array.from({ length: files }, () => anyImage), video: video }, formOf(request))
  const caller = { ...ownerOf(userId), groups, pin: null }
  const submission = await withSource(read, request, { caller, tasks })
  const { amount, seconds, size } = await tasks.estimate({ ...submission, caller, cast: await tasks.castOf(caller, read) })
  return { quota: amount, seconds, size: size ?? '' }
}

async function withSource(
  read: ClientTaskParams,
  { kind, action, source }: EstimateAbout,
  { caller, tasks }: { readonly caller: Viewer; readonly tasks: Tasks },
): Promise<Pick<Submission, 'params' | 'source'>> {
  if (kind === 'songs') return { params: read, source: await continuedSong(read, caller, tasks) }
  if (action === 'create') return { params: read, source: null }
  return await changedVideo(read, { id: source === '' ? undefined : source, caller, tasks })
}

type EstimateAbout = Pick<EstimateRequest, 'kind' | 'action' | 'source'>
