import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type {
  RejectedTask,
  RunningTask,
  Stopping,
  TaskContext,
  TaskDialect,
  TaskParams,
  TaskReport,
  TaskResponse,
  TaskStep,
} from '../../core/task.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { addressOf, failedWith, failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { refusal } from '../../protocols/tasks/video-request.ts'
import { appFor } from './apps.ts'
import { type Call, otherCallFor, otherFieldsOf, otherPathOf } from './other-apps.ts'
import { fieldsOf, paramsOf, type VideoParams } from './video-params.ts'

// The queue of fal (fal.ai, "Asynchronous inference", "Queue API", "Errors" and "Request errors", read 2026-11-23), for apps that make a video.

const states: Readonly<Record<string, TaskReport['state']>> = {
  IN_QUEUE: 'queued',
  IN_PROGRESS: 'in_progress',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
  FAILED: 'failed',
}

export const falVideos: TaskDialect = {
  secondsMax: 6 * 60 * 60,
  fields: (model) => otherFieldsOf(model) ?? fieldsOf(model),
  plan(taskParams) {
    const call = callFor(taskParams)
    return 'refused' in call ? call : call.plan
  },
  submit: (context, taskParams, responses) => {
    const call = callFor(taskParams)
    if ('refused' in call) return { failed: refusal(call.refused) }
    const webhookQuery = context.webhook === null ? '' : `?fal_webhook=${encodeURIComponent(context.webhook)}`
    return firstStep(responses, () => post(joinUrl(context.baseUrl, `/${call.path}${webhookQuery}`), call.body), submitted)
  },
  poll: (context, task, [status, response]) => {
    if (status === undefined) return get(placeOf(context, task, 'status_url'))
    if (response !== undefined) return isAboutTask(response) ? { done: resultIn(response) } : { failed: failureIn(response) }
    if (status.status === 404) return { done: null }
    if (!isOk(status)) return { failed: failureIn(status) }
    if (!isObject(status.json)) return unreadable(status)
    if (status.json['status'] !== 'COMPLETED') return { done: stateIn(status.json) }
    // Only failures of fal's own machines have a type here; those of an app are recognized by the response.
    const { error_type: type, error } = status.json
    if (typeof type === 'string') return { done: failed(type, textOr(error, '')) }
    return { request: { ...get(placeOf(context, task, 'response_url')).request, mayFail: true } }
  },
  cancel: (context, task, responses) =>
    firstStep(
      responses,
      () => ({ request: { method: 'PUT', url: placeOf(context, task, 'cancel_url') } }),
      (response) => ({ done: stoppingIn(response) }),
    ),
}

/** What waits in the queue is removed from it. What runs gets a signal, which an app need not heed ("Cancel a request", read 2026-11-24). */
function stoppingIn(response: TaskResponse): Stopping {
  if (!isOk(response)) return 'ended'
  const status = isObject(response.json) ? response.json['status'] : ''
  return status === 'CANCELLATION_REQUESTED' ? 'asked' : status === 'ALREADY_COMPLETED' ? 'ended' : 'stopped'
}

function callFor(taskParams: TaskParams): Call | RejectedTask {
  if (taskParams.prompt === '') return { refused: 'prompt' }
  const other = otherCallFor(taskParams)
  if (other !== null) return other
  const params = paramsOf(taskParams)
  if ('refused' in params) return params
  const { app, duration, resolution, size } = params
  const plan = { counts: { seconds: duration, size: resolution }, seconds: duration, ...(size === undefined ? {} : { size }) }
  return { path: app.path, body: bodyFor(taskParams, params), plan }
}

function bodyFor({ prompt, images: [image], extra }: TaskParams, { duration, resolution, ratio }: VideoParams): JsonObject {
  return omitUndefined({
    prompt,
    image_url: image === undefined ? undefined : addressOf(image),
    negative_prompt: extra['negative_prompt'],
    aspect_ratio: ratio,
    resolution,
    duration,
    seed: extra['seed'],
  })
}

const places = ['status_url', 'response_url', 'cancel_url'] as const
type Place = (typeof places)[number]

function submitted(response: TaskResponse): TaskStep<Pick<RunningTask, 'vendorId' | 'memo'>> {
  if (!isOk(response)) return { failed: failureIn(response) }
  const { json } = response
  if (!isObject(json)) return unreadable(response)
  const { request_id: id } = json
  if (typeof id !== 'string' || id === '') return unreadable(response)
  return {
    done: { vendorId: id, memo: Object.fromEntries(places.flatMap((place) => (isAddress(json[place]) ? [[place, json[place]]] : []))) },
  }
}

function isAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value)
}

const below: Readonly<Record<Place, string>> = { status_url: '/status', response_url: '', cancel_url: '/cancel' }

/** The address that the vendor named; else the one that it documents, which has only the first two parts of the app's path. */
function placeOf({ baseUrl }: TaskContext, { memo, vendorId, model }: RunningTask, place: Place): string {
  const named = memo[place]
  if (isAddress(named)) return named
  const app = appFor({ model, images: [] })
  const [owner, name] = (otherPathOf(model) ?? ('path' in app ? app.path : 'fal-ai/pika')).split('/')
  return joinUrl(baseUrl, `/${owner}/${name}/requests/${segment(vendorId)}${below[place]}`)
}

function stateIn({ status, error }: JsonObject): TaskReport {
  const state = lookUp(states, textOr(status, '')) ?? 'in_progress'
  return state === 'failed' ? failedWith('task_failed', textOr(error, '')).done : { state }
}

/** An app that failed may respond with 500 or 504, and names the type of the error then ("Model errors"). */
function isAboutTask(response: TaskResponse): boolean {
  return (
    response.status < 500 || detailOf(response) !== null || (isObject(response.json) && typeof response.json['error_type'] === 'string')
  )
}

/** The response of an app: its result, or why it failed. */
function resultIn(response: TaskResponse): TaskReport {
  const { json } = response
  if (!isOk(response)) return failureOfApp(response)
  const video = isObject(json) ? json['video'] : undefined
  const { url, content_type: type } = isObject(video) ? video : {}
  if (!isAddress(url)) return failedWith('no_result', 'the upstream service made no video').done
  return {
    state: 'completed',
    results: [{ variant: 'video', url, ...(typeof type === 'string' ? { contentType: type } : {}) }],
    ...(json === undefined ? {} : { data: json }),
  }
}

function failureOfApp(response: TaskResponse): TaskReport {
  const { error_type: type } = isObject(response.json) ? response.json : {}
  return failed(textOr(type, detailOf(response) ?? 'task_failed'), failureOf(response).message)
}

function failed(code: string, message: string): TaskReport {
  if (code === 'client_cancelled') return { state: 'cancelled' }
  return failedWith(isModeration(code) ? 'moderation_blocked' : code, message).done
}

/** The type of the first error of an app. */
function detailOf({ json }: TaskResponse): string | null {
  const detail = isObject(json) ? json['detail'] : json
  const types = (Array.isArray(detail) ? detail : []).map((error) => (isObject(error) ? error['type'] : undefined))
  const texts = types.filter((type) => typeof type === 'string')
  return texts.find(isModeration) ?? texts[0] ?? null
}

function isModeration(code: string): boolean {
  return code === 'content_policy_violation'
}

/** An account without money is locked, with status 403. */
function failureIn(response: TaskResponse) {
  const failure = failureOf(response)
  if (failure.kind === 'forbidden' && /exhausted balance/i.test(failure.message)) return { ...failure, kind: 'no_quota' } as const
  return detailOf(response) === 'content_policy_violation' ? ({ ...failure, code: 'moderation_blocked' } as const) : failure
}
