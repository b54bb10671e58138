import { isObject, lookUp } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../lib/app-error.ts'
import { mapInSteps } from '../../lib/map-in-steps.ts'
import { createPauses } from '../../lib/pauses.ts'
import { readJson } from '../../lib/read-json.ts'
import { needModel, withPermit } from '../ingress/admission.ts'
import { needJson } from '../ingress/json-type.ts'
import { type ClientTaskParams, readTaskParams, type TaskFiles, type TaskForm } from '../ingress/read-task-params.ts'
import { reading } from '../ingress/read-with-permit.ts'
import type { Viewer } from '../model/caller.ts'
import { relayHeaders } from '../wire/error-response.ts'
import type { Tasks } from './create-tasks.ts'
import type { Submission } from './submit-task.ts'
import { songObject } from './task-forms.ts'
import { clientKeyOf, jsonInSteps, type TaskRouteHandler } from './task-routes.ts'

// The calls of Suno-API, as its clients know them (docs.newapi.pro, "Suno Music", read 2026-11-23).

const anySong = { kind: 'songs', mayBeWordless: true } as const

/** How the params of each action is read, with the model of one that names none. */
export const songForms = {
  music: { ...anySong, action: 'music', model: 'suno_music' },
  lyrics: { ...anySong, action: 'lyrics', model: 'suno_lyrics' },
} as const satisfies Readonly<Record<string, TaskForm>>

const bodyOf = (data: Json): JsonObject => ({ code: 'success', message: '', data })

const success = (data: Json, requestId: string): Response => Response.json(bodyOf(data), { headers: relayHeaders(requestId, 0) })

const submit: TaskRouteHandler = async (incoming, deps, { action = '' }) => {
  const form = lookUp(songForms, action.toLowerCase())
  const caller = await deps.callers.admit(incoming)
  if (form === undefined) throw new AppError('invalid_parameter', { params: { name: 'action' } })
  return await withPermit(caller, deps.limiter, async (permit) => {
    const clientKey = clientKeyOf(incoming)
    const admitFiles = ({ model }: TaskFiles) => deps.tasks.admit({ caller, permit, kind: form.kind, model, clientKey })
    const params = await readTaskParams(incoming.request, form, { ...deps, admitFiles })
    deps.running.assertAccepting()
    needModel(caller, params.model)
    const source = await continuedSong(params, caller, deps.tasks)
    const row = await deps.tasks.submit({ incoming, caller, permit, params, source, clientKey })
    return success(row.public_id, incoming.requestId)
  })
}

/** Songs whose clips are searched for the one that is continued. */
const searchedMax = 200

/** The task whose song is continued: only its channel can. `null`: the song is a new one. @throws AppError */
export async function continuedSong({ extra }: ClientTaskParams, caller: Viewer, tasks: Tasks): Promise<Submission['source']> {
  const { task_id: named, continue_clip_id: clip } = extra
  if (typeof named === 'string' && named !== '') return await withoutRow(caller, named, tasks)
  if (typeof clip !== 'string' || clip === '') return null
  const pause = createPauses()
  for await (const row of tasks.list({ viewer: caller, kind: 'songs', after: null, order: 'desc', limit: searchedMax })) {
    await pause()
    if (row.state === 'completed' && hasClip(tasks.texts.resultOf(row)?.data ?? null, clip))
      return await withoutRow(caller, row.public_id, tasks)
  }
  throw new AppError('invalid_parameter', { params: { name: 'continue_clip_id' } })
}

async function withoutRow(caller: Viewer, publicId: string, tasks: Tasks): Promise<Submission['source']> {
  const { row: _row, ...source } = await tasks.sourceOf(caller, publicId)
  return source
}

function hasClip(data: Json, clip: string): boolean {
  const clips = isObject(data) ? data['data'] : data
  return Array.isArray(clips) && clips.some((one) => isObject(one) && (one['id'] === clip || one['clip_id'] === clip))
}

/** Tasks per call, and the ids of a list. */
const fetchedMax = 100

/** @throws AppError */
function idsIn(body: unknown): readonly string[] {
  const ids: Json | undefined = isObject(body) ? body['ids'] : undefined
  if (!Array.isArray(ids) || ids.length > fetchedMax || !ids.every((id) => typeof id === 'string'))
    throw new AppError('invalid_parameter', { params: { name: 'ids' } })
  return ids
}

/** The body is counted until its ids are known, or refused. @throws AppError */
function idsOnce(body: unknown, close: () => void): readonly string[] {
  try {
    return idsIn(body)
  } finally {
    close()
  }
}

const fetchMany: TaskRouteHandler = reading(async ({ caller, incoming, deps }) => {
  needJson(incoming.request)
  const { value, close } = await readJson(incoming.request, deps.limits, deps)
  const rows = deps.tasks.readMany(caller, idsOnce(value, close))
  const songs = await mapInSteps(rows, (row) => (row.kind === 'songs' ? songObject(row, deps.tasks.texts) : null))
  return await jsonInSteps(bodyOf(songs.filter((song) => song !== null)), incoming)
})

const fetchOne: TaskRouteHandler = reading(async ({ caller, incoming, deps, path: { id = '' } }) => {
  const row = await deps.tasks.read(caller, id)
  if (row.kind !== 'songs') throw new AppError('task_not_found')
  return success(songObject(row, deps.tasks.texts), incoming.requestId)
})

export const songRoutes: Readonly<Record<string, TaskRouteHandler>> = {
  'POST /suno/submit/{action}': submit,
  'POST /suno/fetch': fetchMany,
  'GET /suno/fetch/{id}': fetchOne,
}
