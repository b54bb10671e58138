import { isObject, lookUp, textOr } from '../../../core/is-object.ts'
import { joinUrl } from '../../../core/join-url.ts'
import type { JsonObject } from '../../../core/json.ts'
import type {
  RunningTask,
  Stopping,
  SubmittedTask,
  TaskAnswer,
  TaskContext,
  TaskDialect,
  TaskReport,
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
  plan(order) {
    const params = paramsOf(order)
    if ('refused' in params) return params
    const { seconds, resolution, size } = params
    return { counts: { seconds, size: resolution }, seconds, ...(size === undefined ? {} : { size }) }
  },
  submit: (context, order, answers) => {
    const params = paramsOf(order)
    if ('refused' in params) return { failed: refusal(params.refused) }
    return firstStep(answers, () => post(pathOf(context), bodyFor(order, params)), readSubmission)
  },
  poll: (context, task, answers) =>
    firstStep(
      answers,
      () => get(pathOf(context, task)),
      (answer) => {
        if (isUnknown(answer)) return { done: null }
        if (!isOk(answer)) return { failed: readFailure(answer.status, answer.text) }
        return isObject(answer.json) ? { done: reportOf(answer.json, context) } : unreadable(answer)
      },
    ),
  cancel: (context, task, answers) =>
    firstStep(
      answers,
      () => post(`${pathOf(context, task)}/cancel`, {}),
      (answer) => ({ done: stoppingIn(answer) }),
    ),
  remove: (context, task, answers) =>
    firstStep(
      answers,
      () => ({ request: { method: 'DELETE', url: pathOf(context, task) } }),
      (answer) => (isOk(answer) || isUnknown(answer) ? { done: true } : { failed: readFailure(answer.status, answer.text) }),
    ),
}

/** What was not stopped at once may be completed, so the service is asked how it ended. */
function stoppingIn(answer: TaskAnswer): Stopping {
  if (!isOk(answer)) return 'ended'
  const status = isObject(answer.json) ? answer.json['status'] : undefined
  return status === 'cancelled' ? 'stopped' : status === 'completed' || status === 'failed' ? 'ended' : 'asked'
}

function pathOf(context: TaskContext, task?: Pick<RunningTask, 'vendorId'>): string {
  return joinUrl(context.baseUrl, `${versionPath(context)}/interactions${task === undefined ? '' : `/${segment(task.vendorId)}`}`)
}

/** An id that the service does not know is a wrong name to it. */
function isUnknown({ status, text }: TaskAnswer): boolean {
  return status === 404 || (status === 400 && /invalid interaction name/i.test(text))
}

const isAboutContent = /responsible ai|safety|usage guidelines|prohibited|violat|policy|policies/i

function readSubmission(answer: TaskAnswer): TaskStep<SubmittedTask> {
  const failure = isOk(answer) ? errorIn(answer.json) : readFailure(answer.status, answer.text)
  if (failure !== null) {
    const isModerated = failure.kind === 'bad_request' && isAboutContent.test(failure.message)
    return { failed: isModerated ? { ...failure, code: 'moderation_blocked' } : failure }
  }
  const id = isObject(answer.json) ? textOr(answer.json['id'], '') : ''
  return id === '' ? unreadable(answer) : { done: { vendorId: id, memo: {}, report: { state: 'queued', progress: 0 } } }
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

/** What may not be shown is answered in words. */
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

/** Questions are answered with the content, also where an address was ordered. */
function resultOf({ mime_type: type, data, uri }: JsonObject): readonly TaskResult[] {
  const typeField = typeof type === 'string' && type.startsWith('video/') ? { contentType: type } : {}
  if (typeof data === 'string' && data !== '') return [{ variant: 'video', base64: data, ...typeField }]
  return typeof uri === 'string' && /^https?:\/\//.test(uri) ? [{ variant: 'video', url: uri, ...typeField }] : []
}
