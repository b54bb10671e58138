import type { Failure } from '../../core/failure.ts'
import { lookUp, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RunningTask, Stopping, SubmittedTask, TaskContext, TaskReport, TaskResponse, TaskStep } from '../../core/task.ts'
import { failedWith, failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { outputOf } from './native.ts'

// Work that Alibaba does as jobs (Alibaba Cloud Model Studio, "Manage asynchronous tasks", as clients of 2026 quote it, read 2026-11-24). Results are
// kept for a day.

type TaskResponses = readonly TaskResponse[]

const daySeconds = 86_400

/** @param path of the service, below the host */
export function submitJob(
  context: TaskContext,
  responses: TaskResponses,
  { path, body, memo = {} }: { readonly path: string; readonly body: JsonObject; readonly memo?: JsonObject },
): TaskStep<SubmittedTask> {
  return firstStep(
    responses,
    () => post(originOf(context) + path, body, { 'x-dashscope-async': 'enable' }),
    (response) => {
      const id = outputOf(response.json ?? null)?.['task_id']
      if (isOk(response) && typeof id === 'string' && id !== '') return { done: { vendorId: id, memo } }
      return isOk(response) ? unreadable(response) : { failed: refusalOf(response) }
    },
  )
}

interface Polled {
  readonly task: RunningTask
  /** What a completed job has made, by its output. */
  onCompleted(output: JsonObject, response: TaskResponse): TaskReport
}

export function pollJob(context: TaskContext, responses: TaskResponses, { task, onCompleted }: Polled): TaskStep<TaskReport | null> {
  return firstStep(
    responses,
    () => get(`${originOf(context)}/api/v1/tasks/${segment(task.vendorId)}`),
    (response) => reported(response, onCompleted),
  )
}

export function cancelJob(context: TaskContext, { vendorId }: RunningTask, responses: TaskResponses): TaskStep<Stopping> {
  return firstStep(
    responses,
    () => post(`${originOf(context)}/api/v1/tasks/${segment(vendorId)}/cancel`, {}),
    // Only what waits can be stopped; of everything else it says so with status 400.
    (response) => ({ done: isOk(response) ? 'stopped' : 'ended' }),
  )
}

/** When results are deleted, in seconds since the epoch. */
export function expiryOf({ nowMs }: TaskContext): number {
  return Math.floor(nowMs / 1000) + daySeconds
}

function originOf({ baseUrl }: TaskContext): string {
  return URL.parse(baseUrl)?.origin ?? baseUrl
}

const states: Readonly<Record<string, TaskReport['state']>> = {
  PENDING: 'queued',
  RUNNING: 'in_progress',
  SUSPENDED: 'in_progress',
  SUCCEEDED: 'completed',
  FAILED: 'failed',
  CANCELED: 'cancelled',
}

function reported(response: TaskResponse, onCompleted: Polled['onCompleted']): TaskStep<TaskReport | null> {
  if (response.status === 404) return { done: null }
  if (!isOk(response)) return { failed: refusalOf(response) }
  const output = outputOf(response.json ?? null)
  if (output === null) return unreadable(response)
  // It has forgotten the task, or never had it.
  if (output['task_status'] === 'UNKNOWN') return { done: null }
  const state = lookUp(states, textOr(output['task_status'], '')) ?? 'in_progress'
  if (state === 'failed') return failedJob(output, '')
  return { done: state === 'completed' ? onCompleted(output, response) : { state } }
}

/** A job that made nothing, with the reason that it reports. */
export function failedJob({ code, message }: JsonObject, otherwise: string): { readonly done: TaskReport } {
  const name = textOr(code, 'task_failed')
  return failedWith(isModeration(name) ? 'moderation_blocked' : name, textOr(message, otherwise))
}

const isModeration = (code: string): boolean => /^data_?inspection_?failed|^IPInfringementSuspect$/i.test(code)

function refusalOf(response: TaskResponse): Failure {
  const failure = failureOf(response)
  return isModeration(failure.code ?? '') ? { ...failure, code: 'moderation_blocked' } : failure
}
