import type { Settings, VideoChange } from '@sluice/contract'
import type { ServerResponse } from '@sluice/http1/response'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { FollowedKind } from '@sluice/vendors/core/task'
import { isFollowedKind, isTaskKind } from '@sluice/vendors/registry/task-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import { mapInSteps } from '../../lib/map-in-steps.ts'
import { queryOf } from '../../lib/request-url.ts'
import { writeInSteps } from '../../lib/write-in-steps.ts'
import { needModel, withPermit } from '../ingress/admission.ts'
import type { Callers } from '../ingress/callers.ts'
import type { ReadDeps } from '../ingress/read-request.ts'
import { readTaskParams, type TaskFiles, type TaskForm } from '../ingress/read-task-params.ts'
import { reading } from '../ingress/read-with-permit.ts'
import type { TokenLimiter } from '../ingress/token-limits.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { PathParts } from '../model/kind-rules.ts'
import type { Channels } from '../routing/channels.ts'
import { route } from '../routing/route.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { changedVideo } from './changed-video.ts'
import { characterObject } from './characters.ts'
import { idempotencyKeyOf } from './create-once.ts'
import type { Tasks } from './create-tasks.ts'
import { type ContentDeps, contentOf } from './task-content.ts'
import { type EventDeps, taskEvents } from './task-events.ts'
import { taskObject, videoObject } from './task-forms.ts'

export interface TaskRouteDeps extends ReadDeps, EventDeps, Omit<ContentDeps, 'texts' | 'contents' | 'files' | 'deadlines'> {
  readonly callers: Pick<Callers, 'admit'>
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly tasks: Tasks
  readonly settings: () => Settings
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: () => string
  /** Path below which a proxy publishes the server, without a final slash; empty = the root. */
  readonly basePath: string
}

export type TaskRouteHandler<Deps = TaskRouteDeps> = (incoming: RelayRequest, deps: Deps, path: PathParts) => Promise<ServerResponse>
type Handler = TaskRouteHandler

/** OpenAI's default model (OpenAI API reference, "Create video", read 2026-11-23). */
const defaultModel = 'sora-2'

/** How a request of a new video is read. */
export const videoForm: TaskForm = { kind: 'videos', action: 'create', model: defaultModel }

export const json = (body: JsonObject, { requestId }: RelayRequest, attempts = 0): Response =>
  Response.json(body, { headers: relayHeaders(requestId, attempts) })

/** `json` of a body with lists that may be long. */
export async function jsonInSteps(body: JsonObject, { requestId }: RelayRequest): Promise<Response> {
  const headers = { ...relayHeaders(requestId, 0), 'content-type': 'application/json;charset=utf-8' }
  return new Response(await writeInSteps(body), { headers })
}

export const clientKeyOf = ({ request }: RelayRequest): string | null => idempotencyKeyOf(request.headers.get('idempotency-key'))

/** Orders a task, of which an earlier one may be the source. */
function creating(form: TaskForm, toObject: typeof videoObject): Handler {
  return async (incoming, deps) => {
    const caller = await deps.callers.admit(incoming)
    return await withPermit(caller, deps.limiter, async (permit) => {
      const clientKey = clientKeyOf(incoming)
      const admitFiles = ({ model }: TaskFiles) => deps.tasks.admit({ caller, permit, kind: form.kind, model, clientKey })
      const params = await readTaskParams(incoming.request, form, { ...deps, admitFiles })
      deps.running.assertAccepting()
      needModel(caller, params.model)
      const cast = await deps.tasks.castOf(caller, params)
      const row = await deps.tasks.submit({ incoming, caller, permit, params, source: null, cast, clientKey })
      return json(toObject(row, deps.tasks.texts), incoming, 1)
    })
  }
}

/** Makes a character of a video, by the model that the client names. */
const createCharacter: Handler = async (incoming, deps) => {
  const caller = await deps.callers.admit(incoming)
  return await withPermit(caller, deps.limiter, async (permit) => {
    const form = { ...videoForm, mayHaveVideo: true, mayBeWordless: true }
    const admitFiles = async ({ model }: TaskFiles) => {
      needModel(caller, model)
      route(await deps.channels.current(), caller, model)
    }
    const params = await readTaskParams(incoming.request, form, { ...deps, admitFiles })
    deps.running.assertAccepting()
    needModel(caller, params.model)
    return json(characterObject(await deps.tasks.makeCharacter({ incoming, caller, permit, params })), incoming, 1)
  })
}

const showCharacter: Handler = reading(async ({ caller, incoming, deps, path: { id = '' } }) =>
  json(characterObject(await deps.tasks.readCharacter(caller, id)), incoming),
)

/** How an params about a video is read. */
export const changeForm = (action: VideoChange): TaskForm => ({
  kind: 'videos',
  action,
  model: defaultModel,
  mayHaveVideo: action !== 'remix',
})

/** Continues or changes a video: its model is that of the source. A video that the client sends is changed by the model that it names. */
function continuing(action: VideoChange): Handler {
  return async (incoming, deps, path) => {
    const caller = await deps.callers.admit(incoming)
    return await withPermit(caller, deps.limiter, async (permit) => {
      const clientKey = clientKeyOf(incoming)
      const form = changeForm(action)
      // Without a video, the model is that of the video which is changed.
      const admitFiles = async ({ model, hasVideo }: TaskFiles) =>
        hasVideo ? await deps.tasks.admit({ caller, permit, kind: form.kind, model, clientKey }) : undefined
      const read = await readTaskParams(incoming.request, form, { ...deps, admitFiles })
      deps.running.assertAccepting()
      const submission = await changedVideo(read, { id: path['id'], caller, tasks: deps.tasks })
      needModel(caller, submission.params.model)
      const row = await deps.tasks.submit({ incoming, caller, permit, ...submission, clientKey })
      return json(videoObject(row, deps.tasks.texts), incoming, 1)
    })
  }
}

const pageSize = 20
const pageMax = 100

/** How much of a list is requested, and which end comes first. @throws AppError */
function pageIn(query: URLSearchParams): { readonly limit: number; readonly order: 'asc' | 'desc' } {
  const limit = Number(query.get('limit') ?? pageSize)
  if (!Number.isInteger(limit) || limit < 0 || limit > pageMax) throw new AppError('invalid_parameter', { params: { name: 'limit' } })
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') throw new AppError('invalid_parameter', { params: { name: 'order' } })
  return { limit, order }
}

/** A page of the account's tasks, newest first by default (OpenAI API reference, "List videos", read 2026-11-23). */
function listing(kind: FollowedKind | null, toObject: typeof videoObject): Handler {
  return reading(async ({ caller, incoming, deps }) => {
    const query = queryOf(incoming.request.url)
    const { limit, order } = pageIn(query)
    const from = query.get('after')
    const after = from === null || from === '' ? null : (await deps.tasks.read(caller, from)).id
    const kindFilter = kind ?? query.get('kind')
    if (kindFilter !== null && !isFollowedKind(kindFilter)) throw new AppError('invalid_parameter', { params: { name: 'kind' } })
    const rows = deps.tasks.list({ viewer: caller, kind: kindFilter, after, order, limit: limit + 1 })
    const listed = await mapInSteps(rows, (row) => ({ id: row.public_id, task: toObject(row, deps.tasks.texts) }))
    const page = listed.slice(0, limit)
    const [first, last] = [page[0]?.id ?? null, page.at(-1)?.id ?? null]
    const data = page.map(({ task }) => task)
    return await jsonInSteps({ object: 'list', data, has_more: listed.length > limit, first_id: first, last_id: last }, incoming)
  })
}

function showing(toObject: typeof videoObject): Handler {
  return reading(async ({ caller, incoming, deps, path: { id = '' } }) =>
    json(toObject(await deps.tasks.read(caller, id), deps.tasks.texts), incoming),
  )
}

function removing(object: string): Handler {
  return reading(async ({ caller, incoming, deps, path: { id = '' } }) => {
    await deps.tasks.remove(caller, id)
    return json({ id, object, deleted: true }, incoming)
  })
}

const variants: readonly string[] = ['video', 'thumbnail', 'spritesheet']

/** The content of a video: the video, or what its vendor has besides. */
const videoContent: Handler = reading(async ({ caller, incoming, deps, path: { id = '' } }) => {
  const variant = queryOf(incoming.request.url).get('variant') ?? 'video'
  if (!variants.includes(variant)) throw new AppError('invalid_parameter', { params: { name: 'variant' } })
  const row = await deps.tasks.read(caller, id)
  return await contentOf(row, (results) => results.findIndex((result) => result.variant === variant), { incoming, deps: withTexts(deps) })
})

const withTexts = (deps: TaskRouteDeps): ContentDeps => ({
  ...deps,
  texts: deps.tasks.texts,
  contents: deps.tasks.contents,
  files: deps.tasks.files,
})

/** Which result a request is about. @throws AppError */
function indexIn(query: URLSearchParams): number {
  const index = query.get('index') ?? '0'
  if (!/^\d{1,3}$/.test(index)) throw new AppError('invalid_parameter', { params: { name: 'index' } })
  return Number(index)
}

const ownContent: Handler = reading(async ({ caller, incoming, deps, path: { id = '' } }) => {
  const index = indexIn(queryOf(incoming.request.url))
  return await contentOf(await deps.tasks.read(caller, id), () => index, { incoming, deps: withTexts(deps) })
})

/** A result of a task, for its owner, or for whoever has a link to it. */
const taskContent: Handler = async (incoming, deps, path) => {
  const query = queryOf(incoming.request.url)
  if (!query.has('signature')) return await ownContent(incoming, deps, path)
  const index = indexIn(query)
  const row = await deps.tasks.readLinked(path['id'] ?? '', index, query)
  return await contentOf(row, () => index, { incoming, deps: withTexts(deps) })
}

/** Orders a task of any kind: `kind` is `videos` unless it says otherwise. */
const createTask: Handler = async (incoming, deps, path) => {
  const kind = queryOf(incoming.request.url).get('kind') ?? 'videos'
  if (!isTaskKind(kind) || kind === 'songs') throw new AppError('invalid_parameter', { params: { name: 'kind' } })
  return await creating({ kind, action: 'create' }, taskObject)(incoming, deps, path)
}

/** A vendor's message that a task is done. Its content is not read: the vendor is polled. */
const webhook: Handler = async (incoming, deps, { id = '' }) => {
  await deps.tasks.acceptWebhook(id, queryOf(incoming.request.url))
  return json({ received: true }, incoming)
}

const cancelTask: Handler = reading(async ({ caller, incoming, deps, path: { id = '' } }) =>
  json(taskObject(await deps.tasks.cancel(caller, id), deps.tasks.texts), incoming),
)

/** The calls for tasks, by method and path. */
export const taskRoutes: Readonly<Record<string, Handler>> = {
  'POST /v1/videos': creating(videoForm, videoObject),
  'GET /v1/videos': listing('videos', videoObject),
  'POST /v1/videos/characters': createCharacter,
  'GET /v1/videos/characters/{id}': showCharacter,
  'POST /v1/videos/edits': continuing('edit'),
  'POST /v1/videos/extensions': continuing('extend'),
  'GET /v1/videos/{id}': showing(videoObject),
  'DELETE /v1/videos/{id}': removing('video.deleted'),
  'GET /v1/videos/{id}/content': videoContent,
  'POST /v1/videos/{id}/remix': continuing('remix'),
  'POST /v1/tasks': createTask,
  'GET /v1/tasks': listing(null, taskObject),
  'GET /v1/tasks/{id}': showing(taskObject),
  'DELETE /v1/tasks/{id}': removing('task.deleted'),
  'GET /v1/tasks/{id}/content': taskContent,
  'POST /v1/tasks/{id}/cancel': cancelTask,
  'GET /v1/tasks/{id}/events': taskEvents,
  'POST /v1/tasks/{id}/webhook': webhook,
}
