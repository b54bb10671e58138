import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { multipart } from '../../core/multipart.ts'
import type {
  SubmittedTask,
  TaskContext,
  TaskCounts,
  TaskDialect,
  TaskParams,
  TaskReport,
  TaskResponse,
  TaskStep,
} from '../../core/task.ts'
import { uuidOf } from '../../core/uuid.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { failedWith, get, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { refusal } from '../../protocols/tasks/video-request.ts'
import { deleted, isModeration, missingCode, opened } from './envelope.ts'
import { bodyFor, changeFields, fieldsOf, type Image, paramsOf, type VideoParams } from './video-params.ts'

// Videos of PixVerse (docs.platform.pixverse.ai, "Text-to-Video generation", "Image-to-Video generation", "Transition", "Fusion", "Extend generation",
// "Upload Image" and "Get Video Generation Status", stored copies read 2026-11-23 and 2026-11-25). A webhook is made in the vendor's console, and an
// order names it in `webhook_id`; its messages have the video's `id` ("Webhook integration", as clients that take them have it, read 2026-11-27).

export const pixverseVideos: TaskDialect = {
  // Submissions with the same `ai-trace-id` give the same video ("FAQ").
  isRepeatable: true,
  actions: ['extend'],
  secondsMax: 6 * 60 * 60,
  fields: fieldsOf,
  changeFields,
  plan(taskParams) {
    const params = paramsOf(taskParams)
    if ('refused' in params) return params
    const { credits, spec, size } = params
    return { counts: { credits }, seconds: spec.duration, ...(size === undefined ? {} : { size }) }
  },
  submit: (context, taskParams, responses) => {
    const params = paramsOf(taskParams)
    if ('refused' in params) return { failed: refusal(params.refused) }
    const { images } = params
    const response = responses[images.length]
    if (response !== undefined) return submitted(response)
    const next = images[responses.length]
    const failure = responses.length === 0 ? null : uploaded(responses.slice(-1))
    if (failure !== null && !Array.isArray(failure)) return failure
    return next === undefined ? afterUploads(context, { taskParams, params }, responses) : upload(context, next, responses.length)
  },
  poll: (context, { vendorId }, [response]) =>
    response === undefined
      ? get(joinUrl(context.baseUrl, `/openapi/v2/video/result/${segment(vendorId)}`), trace(context, context.requestKey))
      : reported(response),
  taskIdIn: (message) => (isObject(message) ? idOf(message['id']) : null),
}

interface CreateState {
  readonly taskParams: TaskParams
  readonly params: VideoParams
}

/** The vendor documents a UUID, and takes a request with a known one for the earlier request. */
function trace({ crypto }: TaskContext, name: string): Readonly<Record<string, string>> {
  return { 'ai-trace-id': uuidOf(crypto, name) }
}

/** @param path of the kind of work */
function generate(context: TaskContext, path: VideoParams['path'], body: JsonObject): TaskStep<SubmittedTask> {
  const payload = context.other === '' ? body : { ...body, webhook_id: webhookId(context.other) }
  return post(joinUrl(context.baseUrl, `/openapi/v2/video/${path}/generate`), payload, trace(context, context.idempotencyKey))
}

/** The ids of webhooks are numbers. */
function webhookId(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}

/** An extension has to have a seed: the same for the same order. */
function seedFor({ crypto, idempotencyKey }: TaskContext): number {
  return Number.parseInt(uuidOf(crypto, idempotencyKey).slice(0, 7), 16)
}

function upload(context: TaskContext, inputImage: Image, index: number): TaskStep<SubmittedTask> {
  const { requestKey, baseUrl } = context
  const part = 'url' in inputImage ? { name: 'image_url', text: inputImage.url } : { ...inputImage, name: 'image' }
  const { headers, body } = multipart([part], requestKey)
  const url = joinUrl(baseUrl, '/openapi/v2/image/upload')
  return { request: { method: 'POST', url, headers: { ...headers, ...trace(context, `${requestKey} ${index}`) }, body } }
}

/** The ids of images, or the failure of the first that was not taken. */
function uploaded(responses: readonly TaskResponse[]): number[] | Extract<TaskStep<SubmittedTask>, { readonly failed: Failure }> {
  const ids: number[] = []
  for (const response of responses) {
    const open = opened(response)
    if ('failed' in open) return { failed: open.failed }
    const id = numberOf(open.held['img_id'])
    if (id === null || !Number.isSafeInteger(id)) return unreadable(response)
    ids.push(id)
  }
  return ids
}

function afterUploads(
  context: TaskContext,
  { taskParams, params }: CreateState,
  responses: readonly TaskResponse[],
): TaskStep<SubmittedTask> {
  const ids = uploaded(responses)
  if (!Array.isArray(ids)) return ids
  return generate(context, params.path, bodyFor(taskParams, params, beginningOf(context, params, ids)))
}

function beginningOf(context: TaskContext, { path, references, continued }: VideoParams, ids: readonly number[]): JsonObject {
  const [first = 0, last = 0] = ids
  switch (path) {
    case 'text':
      return {}
    case 'img':
      return { img_id: first }
    case 'transition':
      return { first_frame_img: first, last_frame_img: last }
    case 'fusion':
      return { image_references: references.map((reference, index) => ({ ...reference, img_id: ids[index] ?? 0 })) }
    case 'extend':
      return { source_video_id: Number.isSafeInteger(Number(continued)) ? Number(continued) : continued, seed: seedFor(context) }
  }
}

function submitted(response: TaskResponse): TaskStep<SubmittedTask> {
  const open = opened(response)
  if ('failed' in open) return { failed: open.failed }
  const vendorId = idIn(open.held, response)
  return vendorId === null ? unreadable(response) : { done: { vendorId, memo: {}, ...countsIn(open.held) } }
}

/** An id of a response or a message; `null`: it is none, or too long to be a number without loss. */
function idOf(id: Json | undefined): string | null {
  if (typeof id === 'string') return id === '' ? null : id
  return typeof id === 'number' && id > 0 && Number.isSafeInteger(id) ? String(id) : null
}

/** The vendor's ids are numbers, some resellers' are texts. A number that is too long for its type is read from the text of the response. */
function idIn({ video_id: id }: JsonObject, { text }: TaskResponse): string | null {
  if (typeof id !== 'number' || id <= 0 || Number.isSafeInteger(id)) return idOf(id)
  return /"video_id"\s*:\s*(\d+)/.exec(text)?.[1] ?? null
}

const creditsMax = 100_000

/** What the vendor says that it took. */
function countsIn({ credits, credit }: JsonObject): { readonly counts?: TaskCounts } {
  const taken = numberOf(credits ?? credit)
  return taken !== null && taken > 0 && taken <= creditsMax ? { counts: { credits: taken } } : {}
}

/** Numbers of states that are not work in progress. */
const failures: Readonly<Record<number, readonly [code: string, message: string]>> = {
  6: ['deleted', 'the upstream service has deleted the video'],
  7: ['moderation_blocked', 'the video did not pass the moderation of the upstream service'],
  8: ['task_failed', ''],
}

function reported(response: TaskResponse): TaskStep<TaskReport | null> {
  if (response.status === 404) return { done: null }
  const open = opened(response)
  if (!('failed' in open)) return { done: reportOf(open.held) }
  const { code, failed } = open
  if (code === missingCode) return { done: null }
  if (isModeration(open)) return failedWith('moderation_blocked', failed.message)
  return code === deleted ? failedWith('deleted', failed.message) : { failed }
}

function reportOf(video: JsonObject): TaskReport {
  const state = numberOf(video['status'])
  const failure = lookUp(failures, String(state))
  if (failure !== undefined) return { ...failedWith(...failure).done, data: video }
  if (state !== 1) return { state: 'in_progress', data: video }
  const url = textOr(video['url'], '')
  if (!/^https?:\/\//.test(url)) return { ...failedWith('no_result', 'the upstream service made no video').done, data: video }
  return { state: 'completed', results: [{ variant: 'video', url }], data: video }
}
