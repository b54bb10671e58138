import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type {
  InputImage,
  RunningTask,
  SubmittedTask,
  TaskContext,
  TaskCounts,
  TaskDialect,
  TaskParams,
  TaskReport,
  TaskResponse,
  TaskResult,
  TaskStep,
} from '../../core/task.ts'
import {
  contentOf,
  failedWith,
  failureOf,
  firstStep,
  get,
  isOk,
  post,
  segment,
  unreadable,
  withoutNull,
} from '../../protocols/tasks/step-parts.ts'

// The steps that images and videos have in common (BFL API reference, "Get result", and "API integration", stored copies read 2026-11-23).

/** The links of results are valid for ten minutes. */
const linkSeconds = 600

/** More than any task costs. */
const creditsMax = 100_000

/** Models that stand below another path than the others. */
const toolPaths: Readonly<Record<string, string>> = { 'flux-video-edit': 'flux-tools/video-edit-v1' }

export function submitWith(bodyFor: (params: TaskParams) => JsonObject): TaskDialect['submit'] {
  return ({ baseUrl, webhook }, params, responses) => {
    const webhookField = webhook === null ? {} : { webhook_url: webhook }
    return firstStep(
      responses,
      () =>
        post(joinUrl(baseUrl, `/v1/${toolPaths[params.model] ?? segment(params.model)}`), {
          ...bodyFor(withoutNull(params)),
          ...webhookField,
        }),
      read,
    )
  }
}

function read(response: TaskResponse): TaskStep<SubmittedTask> {
  if (!isOk(response)) return { failed: refusalOf(response) }
  const { json } = response
  if (!isObject(json) || typeof json['id'] !== 'string' || json['id'] === '') return unreadable(response)
  return { done: { vendorId: json['id'], memo: { polling_url: textOr(json['polling_url'], '') }, ...countsIn(json) } }
}

/** It responds with 403 to keys that it does not know. */
function refusalOf(response: TaskResponse): Failure {
  const failure = failureOf(response)
  return response.status === 403 && /not authenticated|api key/i.test(failure.message) ? { ...failure, kind: 'bad_key' } : failure
}

export function pollFor(variant: 'image' | 'video'): TaskDialect['poll'] {
  return (context, task, responses) =>
    firstStep(
      responses,
      () => get(addressOfTask(context, task)),
      (response) => {
        if (response.status === 404) return { done: null }
        if (!isOk(response)) return { failed: refusalOf(response) }
        return isObject(response.json) ? { done: reportOf(context, variant, response.json) } : unreadable(response)
      },
    )
}

/** Tasks are known only in the region that has them, so the address that the vendor named is used. */
function addressOfTask({ baseUrl }: TaskContext, { vendorId, memo }: RunningTask): string {
  const named = textOr(memo['polling_url'], '')
  const address = /^https?:\/\//.test(named) ? named : joinUrl(baseUrl, '/v1/get_result')
  return /[?&]id=/.test(address) ? address : `${address}${address.includes('?') ? '&' : '?'}id=${segment(vendorId)}`
}

const states: Readonly<Record<string, TaskReport['state'] | 'moderated' | 'unknown'>> = {
  Pending: 'queued',
  Ready: 'completed',
  Error: 'failed',
  Failed: 'failed',
  'Request Moderated': 'moderated',
  'Content Moderated': 'moderated',
  'Task not found': 'unknown',
}

/** What a response says about a task. Other states, such as `Reasoning` and `Generating`, are work in progress. */
function reportOf(context: TaskContext, variant: TaskResult['variant'], response: JsonObject): TaskReport | null {
  const state = lookUp(states, textOr(response['status'] ?? response['state'], '')) ?? 'in_progress'
  if (state === 'unknown') return null
  if (state === 'moderated') return failedWith('moderation_blocked', moderationIn(response)).done
  if (state === 'failed') return failedWith('task_failed', wordsIn(response['details'] ?? response['error'])).done
  if (state !== 'completed') return { state, ...progressIn(response) }
  const { result } = response
  const url = isObject(result) ? textOr(result['sample'], '') : ''
  if (!/^https?:\/\//.test(url)) return failedWith('no_result', 'the upstream service reports success without a result').done
  const expiresAt = Math.floor(context.nowMs / 1000) + linkSeconds
  return { state, progress: 100, results: [{ variant, url }], expiresAt, data: response, ...countsIn(response) }
}

function moderationIn({ status, details }: JsonObject): string {
  const reasons = isObject(details) ? details['Moderation Reasons'] : undefined
  const words = Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string').join(', ') : ''
  return words === '' ? textOr(status, 'moderated') : `${textOr(status, 'moderated')}: ${words}`
}

function wordsIn(details: Json | undefined): string {
  if (typeof details === 'string') return details
  const message = isObject(details) ? (details['error'] ?? details['message']) : undefined
  return typeof message === 'string' ? message : isObject(details) ? JSON.stringify(details) : ''
}

/** A share of one. */
function progressIn({ progress }: JsonObject): { readonly progress?: number } {
  return typeof progress === 'number' && progress >= 0 && progress <= 1 ? { progress: Math.round(progress * 100) } : {}
}

/** `cost` in credits. */
function countsIn({ cost }: JsonObject): { readonly counts?: TaskCounts } {
  return typeof cost === 'number' && cost > 0 && cost <= creditsMax ? { counts: { credits: cost } } : {}
}

/** An image as an address of the web or as base64, which it takes in one member. */
export function addressOrContent(image: InputImage): string {
  return contentOf(image)?.data ?? ('url' in image ? image.url : '')
}
