import type { Failure, FailureKind } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RunningTask, TaskDialect, TaskParams, TaskReport, TaskResponse } from '../../core/task.ts'
import { addressOf } from '../../core/vendor-query.ts'
import { failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { refusal } from '../../protocols/tasks/video-request.ts'
import { completed, failedBecause, fieldsWith, foreignIn, percentOf, resultsIn, workOf } from './clips.ts'

// Suno behind a relay in the form of Suno-API (docs.newapi.pro, "Suno Music", and recorded responses of relays, read 2026-11-23). What the client
// sends is passed on, because each relay has parameters of its own.

const names = { audio: 'audio_url', images: ['image_large_url', 'image_url'], video: 'video_url' }

const states: Readonly<Record<string, TaskReport['state']>> = {
  NOT_START: 'queued',
  SUBMITTED: 'queued',
  QUEUED: 'queued',
  QUEUEING: 'queued',
  IN_PROGRESS: 'in_progress',
  PROCESSING: 'in_progress',
  SUCCESS: 'completed',
  COMPLETED: 'completed',
  FAILURE: 'failed',
  FAILED: 'failed',
}

export const sunoApiSongs: TaskDialect = {
  actions: ['music', 'lyrics'],
  secondsMax: 3 * 60 * 60,
  // Each relay has parameters of its own.
  fields: (model) => fieldsWith(model, {}),
  plan(params) {
    const refused = refusedIn(params)
    return refused === null ? { counts: { calls: 1 } } : { refused }
  },
  submit: (context, params, responses) => {
    const refused = refusedIn(params)
    if (refused !== null) return { failed: refusal(refused) }
    const path = `/suno/submit/${workOf(params).toUpperCase()}`
    return firstStep(
      responses,
      () => post(addressOf(context.baseUrl, path), bodyFor(params)),
      (response) => {
        const open = opened(response)
        if ('failed' in open) return open
        const id = isObject(open.held) ? open.held['task_id'] : open.held
        return typeof id === 'string' && id !== '' ? { done: { vendorId: id, memo: {} } } : unreadable(response)
      },
    )
  },
  poll: (context, task, responses) =>
    firstStep(
      responses,
      () => get(addressOf(context.baseUrl, `/suno/fetch/${segment(task.vendorId)}`)),
      (response) => {
        if (response.status === 404 || isMissing(response)) return { done: null }
        const open = opened(response)
        if ('failed' in open) return open
        const record = Array.isArray(open.held) ? tasksIn(open.held, [task]).get(task.vendorId) : open.held
        return { done: isObject(record) ? reportOf(record) : null }
      },
    ),
  pollMany: {
    max: 50,
    step: (context, tasks, responses) =>
      firstStep(
        responses,
        () => post(addressOf(context.baseUrl, '/suno/fetch'), { ids: tasks.map(({ vendorId }) => vendorId) }),
        (response) => {
          const open = opened(response)
          if ('failed' in open) return open
          const records = [...tasksIn(open.held, tasks)]
          return { done: new Map(records.map(([id, task]) => [id, reportOf(task)])) }
        },
      ),
  },
}

/** The parameter that cannot be fulfilled. A relay would send a hook the id of its own task, which the client does not know. */
function refusedIn(params: TaskParams): string | null {
  const { extra, source, prompt } = params
  if (isGiven(extra['notify_hook'])) return 'notify_hook'
  if (isGiven(extra['task_id']) && source === null) return 'task_id'
  return workOf(params) === 'lyrics' && prompt === '' ? 'prompt' : foreignIn(params)
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

function bodyFor({ prompt, extra: { notify_hook: _hook, task_id: _task, ...extra }, source }: TaskParams): JsonObject {
  return {
    ...extra,
    ...(prompt === '' ? {} : { prompt }),
    ...(source === null ? {} : { task_id: source.vendorId }),
  }
}

/** Codes of errors that relays name; some send them with status 200. */
const kinds: Readonly<Record<string, FailureKind>> = {
  invalid_request: 'bad_request',
  quota_not_enough: 'no_quota',
  insufficient_user_quota: 'no_quota',
  insufficient_quota: 'no_quota',
  pre_consume_token_quota_failed: 'no_quota',
  sensitive_words_detected: 'bad_request',
}

/** The member `data` of a response. */
function opened(response: TaskResponse): { readonly held: Json } | { readonly failed: Failure } {
  const { json } = response
  const code = isObject(json) ? textOr(json['code'], '') : ''
  if (isOk(response) && isObject(json) && code === 'success') return { held: json['data'] ?? null }
  const failure = isOk(response) ? unreadable(response).failed : failureOf(response)
  const message = isObject(json) ? textOr(json['message'], failure.message).slice(0, 2_000) : failure.message
  const kind = lookUp(kinds, code) ?? failure.kind
  return {
    failed: { ...failure, kind, message, code: code === 'sensitive_words_detected' ? 'moderation_blocked' : code === '' ? null : code },
  }
}

function isMissing({ json }: TaskResponse): boolean {
  return isObject(json) && json['code'] === 'task_not_exist'
}

/** The tasks of a list that were requested, by id. */
function tasksIn(list: Json, runningTasks: readonly RunningTask[]): ReadonlyMap<string, JsonObject> {
  const ids = new Set(runningTasks.map(({ vendorId }) => vendorId))
  const tasks = (Array.isArray(list) ? list : []).filter(isObject)
  return new Map(tasks.map((task) => [textOr(task['task_id'], ''), task] as const).filter(([id]) => ids.has(id)))
}

function reportOf(task: JsonObject): TaskReport {
  const state = lookUp(states, textOr(task['status'], '').toUpperCase()) ?? 'in_progress'
  if (state === 'failed') return failedBecause(task['fail_reason'], task)
  if (state === 'completed') return completed(resultsIn(task['data'], names), task)
  const progress = percentOf(task['progress'])
  return { state, ...(progress === undefined ? {} : { progress }), data: task }
}
