import type { Failure } from '../../core/failure.ts'
import { lookUp, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RunningTask, Stopping, SubmittedTask, TaskAnswer, TaskContext, TaskReport, TaskStep } from '../../core/task.ts'
import { failedWith, failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { outputOf } from './native.ts'

// Work that Alibaba does as jobs (Alibaba Cloud Model Studio, "Manage asynchronous tasks", as clients of 2026 quote it, read 2026-11-24). Results are
// kept for a day.

type Answers = readonly TaskAnswer[]

const daySeconds = 86_400

/** @param path of the service, below the host */
export function submitJob(
  context: TaskContext,
  answers: Answers,
  { path, body, memo = {} }: { readonly path: string; readonly body: JsonObject; readonly memo?: JsonObject },
): TaskStep<SubmittedTask> {
  return firstStep(
    answers,
    () => post(originOf(context) + path, body, { 'x-dashscope-async': 'enable' }),
    (answer) => {
      const id = outputOf(answer.json ?? null)?.['task_id']
      if (isOk(answer) && typeof id === 'string' && id !== '') return { done: { vendorId: id, memo } }
      return isOk(answer) ? unreadable(answer) : { failed: refusalOf(answer) }
    },
  )
}

interface Polled {
  readonly task: RunningTask
  /** What a completed job has made, by its output. */
  onCompleted(output: JsonObject, answer: TaskAnswer): TaskReport
}

export function pollJob(context: TaskContext, answers: Answers, { task, onCompleted }: Polled): TaskStep<TaskReport | null> {
  return firstStep(
    answers,
    () => get(`${originOf(context)}/api/v1/tasks/${segment(task.vendorId)}`),
    (answer) => reported(answer, onCompleted),
  )
}

export function cancelJob(context: TaskContext, { vendorId }: RunningTask, answers: Answers): TaskStep<Stopping> {
  return firstStep(
    answers,
    () => post(`${originOf(context)}/api/v1/tasks/${segment(vendorId)}/cancel`, {}),
    // Only what waits can be stopped; of everything else it says so with status 400.
    (answer) => ({ done: isOk(answer) ? 'stopped' : 'ended' }),
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

function reported(answer: TaskAnswer, onCompleted: Polled['onCompleted']): TaskStep<TaskReport | null> {
  if (answer.status === 404) return { done: null }
  if (!isOk(answer)) return { failed: refusalOf(answer) }
  const output = outputOf(answer.json ?? null)
  if (output === null) return unreadable(answer)
  // It has forgotten the task, or never had it.
  if (output['task_status'] === 'UNKNOWN') return { done: null }
  const state = lookUp(states, textOr(output['task_status'], '')) ?? 'in_progress'
  if (state === 'failed') return failedJob(output, '')
  return { done: state === 'completed' ? onCompleted(output, answer) : { state } }
}

/** A job that made nothing, with the reason that it tells. */
export function failedJob({ code, message }: JsonObject, otherwise: string): { readonly done: TaskReport } {
  const name = textOr(code, 'task_failed')
  return failedWith(isModeration(name) ? 'moderation_blocked' : name, textOr(message, otherwise))
}

const isModeration = (code: string): boolean => /^data_?inspection_?failed|^IPInfringementSuspect$/i.test(code)

function refusalOf(answer: TaskAnswer): Failure {
  const failure = failureOf(answer)
  return isModeration(failure.code ?? '') ? { ...failure, code: 'moderation_blocked' } : failure
}
