import type { Failure, FailureKind } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RunningTask, TaskDialect, TaskReport, TaskResponse } from '../../core/task.ts'
import { addressOf, numberOf } from '../../core/vendor-query.ts'
import { failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { refusal } from '../../protocols/tasks/video-request.ts'
import { completed, failedBecause, resultsIn, workOf } from './clips.ts'
import { asTask, outputsIn } from './record.ts'
import { callFor, fieldsOf } from './song-params.ts'

// Suno behind sunoapi.org and kie.ai (docs.sunoapi.org and docs.kie.ai, "Get Music Generation Details" and "Get Lyrics Generation Details", read
// 2026-11-23).

const names = { audio: 'audioUrl', images: ['imageUrl'], video: 'videoUrl' }

interface Meaning {
  readonly state: TaskReport['state']
  /** In the words of Suno-API. */
  readonly status: string
}

const failure: Meaning = { state: 'failed', status: 'FAILURE' }
const running: Meaning = { state: 'in_progress', status: 'IN_PROGRESS' }

const meanings: Readonly<Record<string, Meaning>> = {
  PENDING: { state: 'queued', status: 'QUEUED' },
  TEXT_SUCCESS: running,
  FIRST_SUCCESS: running,
  SUCCESS: { state: 'completed', status: 'SUCCESS' },
  CREATE_TASK_FAILED: failure,
  GENERATE_AUDIO_FAILED: failure,
  GENERATE_LYRICS_FAILED: failure,
  SENSITIVE_WORD_ERROR: failure,
}

export const sunoapiSongs: TaskDialect = {
  actions: ['music', 'lyrics'],
  secondsMax: 3 * 60 * 60,
  fields: fieldsOf,
  plan(params) {
    const call = callFor(params)
    return 'refused' in call ? call : { counts: { calls: 1 } }
  },
  submit: (context, params, responses) => {
    const call = callFor(params)
    if ('refused' in call) return { failed: refusal(call.refused) }
    return firstStep(
      responses,
      // The vendor requires a callback address for the result. The result is polled, so it gets its own address.
      () => post(addressOf(context.baseUrl, call.path), { ...call.body, callBackUrl: context.webhook ?? context.baseUrl }),
      (response) => {
        const open = opened(response)
        if ('failed' in open) return open
        const id = isObject(open.held) ? open.held['taskId'] : undefined
        return typeof id === 'string' && id !== '' ? { done: { vendorId: id, memo: {} } } : unreadable(response)
      },
    )
  },
  poll: (context, task, responses) =>
    firstStep(
      responses,
      () => get(addressOf(context.baseUrl, `${recordPath(task)}?taskId=${segment(task.vendorId)}`)),
      (response) => {
        if (response.status === 404 || codeOf(response) === 404) return { done: null }
        const open = opened(response)
        if ('failed' in open) return open
        return { done: isObject(open.held) ? reportOf(task, open.held) : null }
      },
    ),
}

function recordPath(task: RunningTask): string {
  return workOf(task) === 'lyrics' ? '/api/v1/lyrics/record-info' : '/api/v1/generate/record-info'
}

/** Codes in the body, with status 200 too. 429 means the rate at one of the two, and the money at the other: its message shows which. */
const kinds: Readonly<Record<number, FailureKind>> = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'no_quota',
  405: 'rate_limited',
  409: 'bad_request',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
  430: 'rate_limited',
}

function opened(response: TaskResponse): { readonly held: Json } | { readonly failed: Failure } {
  const { json } = response
  const code = codeOf(response)
  if (!isObject(json) || code === null) return isOk(response) ? unreadable(response) : { failed: failureOf(response) }
  if (code === 200 && isOk(response)) return { held: json['data'] ?? null }
  const message = textOr(json['msg'], '').slice(0, 2_000) || `the upstream service reports the error ${code}`
  const kind = code === 429 && /credit|积分/i.test(message) ? 'no_quota' : (lookUp(kinds, String(code)) ?? 'unavailable')
  return { failed: { kind, message, type: null, param: null, code: String(code) } }
}

function codeOf({ json }: TaskResponse): number | null {
  return isObject(json) ? numberOf(json['code']) : null
}

function reportOf(task: RunningTask, record: JsonObject): TaskReport {
  const status = textOr(record['status'], '')
  const results = resultsIn(outputsIn(record), names)
  const { state, status: taskStatus } = meaningOf(status, results.length > 0)
  const data = asTask(task, record, taskStatus)
  if (state === 'completed') return completed(results, data)
  if (state !== 'failed') return { state, data }
  return failedBecause(record['errorMessage'], data, status === 'SENSITIVE_WORD_ERROR')
}

/** Nobody responds to the callback, so its failure says nothing about the work. */
function meaningOf(status: string, hasResults: boolean): Meaning {
  const known = lookUp(meanings, status)
  return known ?? (status === 'CALLBACK_EXCEPTION' && hasResults ? { state: 'completed', status: 'SUCCESS' } : running)
}
