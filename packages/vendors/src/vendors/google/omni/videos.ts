import { isObject, lookUp, textOr } from '../../../core/is-object.ts'
import { joinUrl } from '../../../core/join-url.ts'
import type { JsonObject } from '../../../core/json.ts'
import type {
  RunningTask,
  Stopping,
  SubmittedTask,
  TaskContext,
  TaskDialect,
  TaskReport,
  TaskResponse,
  TaskResult,
  TaskStep,
} from '../../../core/task.ts'
import { errorIn, readFailure } from '../../../protocols/gemini/failure.ts'
import { versionPath } from '../../../protocols/gemini/host.ts'
import { objectsIn } from '../../../protocols/shared/chat-parts.ts'
import { failedWith, firstStep, get, isOk, post, segment, unreadable } from '../../../protocols/tasks/step-parts.ts'
import { refusal } from '../../../protocols/tasks/video-request.ts'
import { bodyFor, changeFields, fieldsOf, paramsOf } from './video-params.ts'

// Videos of Google's omni models: the Gemini API's interactions, which run in the background ("Gemini Omni Flash" and "Interactions API",
// stored copies of October 2026 read 2026-11-25).

export const omniVideos: TaskDialect = {
  actions: ['remix', 'edit', 'extend'],
  videoActions: ['edit', 'extend'],
  secondsMax: 60 * 60,
  fields: fieldsOf,
  changeFields,
  plan(taskParams) {
    const params = paramsOf(taskParams)
    if ('refused' in params) return params
    const { seconds, resolution, size } = params
    return { counts: { seconds, size: resolution }, seconds, ...(size === undefined ? {} : { size }) }
  },
  submit: (context, taskParams, responses) => {
    const params = paramsOf(taskParams)
    if ('refused' in params) return { failed: refusal(params.refused) }
    return firstStep(responses, () => post(pathOf(context), bodyFor(taskParams, params)), readSubmission)
  },
  poll: (context, task, responses) =>
    firstStep(
      responses,
      () => get(pathOf(context, task)),
      (response) => {
        if (isUnknown(response)) return { done: null }
        if (!isOk(response)) return { failed: readFailure(response.status, response.text) }
        return isObject(response.json) ? { done: reportOf(response.json, context) } : unreadable(response)
      },
    ),
  cancel: (context, task, responses) =>
    firstStep(
      responses,
      () => post(`${pathOf(context, task)}/cancel`, {}),
      (response) => ({ done: stoppingIn(response) }),
    ),
  remove: (context, task, responses) =>
    firstStep(
      responses,
      () => ({ request: { method: 'DELETE', url: pathOf(context, task) } }),
      (response) => (isOk(response) || isUnknown(response) ? { done: true } : { failed: readFailure(response.status, response.text) }),
    ),
}

/** What was not stopped at once may be completed, so the service is queried how it ended. */
function stoppingIn(response: TaskResponse): Stopping {
  if (!isOk(response)) return 'ended'
  const status = isObject(response.json) ? response.json['status'] : undefined
  return status === 'cancelled' ? 'stopped' : status === 'completed' || status === 'failed' ? 'ended' : 'asked'
}

function pathOf(context: TaskContext, task?: Pick<RunningTask, 'vendorId'>): string {
  return joinUrl(context.baseUrl, `${versionPath(context)}/interactions${task === undefined ? '' : `/${segment(task.vendorId)}`}`)
}

/** An id that the service does not know is a wrong name to it. */
function isUnknown({ status, text }: TaskResponse): boolean {
  return status === 404 || (status === 400 && /invalid interaction name/i.test(text))
}

const isAboutContent = /responsible ai|safety|usage guidelines|prohibited|violat|policy|policies/i

function readSubmission(response: TaskResponse): TaskStep<SubmittedTask> {
  const failure = isOk(response) ? errorIn(response.json) : readFailure(response.status, response.text)
  if (failure !== null) {
    const isModerated = failure.kind === 'bad_request' && isAboutContent.test(failure.message)
    return { failed: isModerated ? { ...failure, code: 'moderation_blocked' } : failure }
  }
  const id = isObject(response.json) ? textOr(response.json['id'], '') : ''
  return id === '' ? unreadable(response) : { done: { vendorId: id, memo: {}, report: { state: 'queued', progress: 0 } } }
}

const states: Readonly<Record<string, TaskReport['state']>> = {
  queued: 'queued',
  completed: 'completed',
  failed: 'failed',
  incomplete: 'failed',
  budget_exceeded: 'failed',
  requires_action: 'failed',
  cancelled: 'cancelled',
}

/** Files of the service are deleted after two days ("Files API"). */
const keptSeconds = 2 * 24 * 60 * 60

function reportOf(interaction: JsonObject, { nowMs }: TaskContext): TaskReport {
  const status = textOr(interaction['status'], '')
  const state = lookUp(states, status) ?? 'in_progress'
  // The service reports no progress.
  if (state === 'in_progress') return { state }
  if (state === 'failed') return failureOf(interaction, status)
  if (state !== 'completed') return { state }
  const outputs = objectsIn(interaction['steps'])
    .filter(({ type }) => type === 'model_output')
    .flatMap(({ content }) => objectsIn(content))
  const [video] = outputs.filter(({ type }) => type === 'video').flatMap(resultOf)
  if (video === undefined) return withoutVideo(outputs)
  return {
    state,
    progress: 100,
    results: [video],
    ...(video.url === undefined ? {} : { expiresAt: Math.floor(nowMs / 1000) + keptSeconds }),
  }
}

/** What may not be shown gets a response in words. */
function withoutVideo(outputs: readonly JsonObject[]): TaskReport {
  const words = outputs.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join(' ')
  return words === ''
    ? failedWith('no_result', 'the upstream service reports success without a result').done
    : failedWith('moderation_blocked', words).done
}

function failureOf({ error, errors }: JsonObject, status: string): TaskReport {
  const [first] = [error, ...objectsIn(errors)].filter(isObject)
  const message = textOr(first?.['message'], status === 'failed' ? '' : `the upstream service ended with the status ${status}`)
  return failedWith(isAboutContent.test(message) ? 'moderation_blocked' : 'task_failed', message).done
}

/** Polls return the content, even where an address was requested. */
function resultOf({ mime_type: type, data, uri }: JsonObject): readonly TaskResult[] {
  const typeField = typeof type === 'string' && type.startsWith('video/') ? { contentType: type } : {}
  if (typeof data === 'string' && data !== '') return [{ variant: 'video', base64: data, ...typeField }]
  return typeof uri === 'string' && /^https?:\/\//.test(uri) ? [{ variant: 'video', url: uri, ...typeField }] : []
}
