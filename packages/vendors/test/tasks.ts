import fc from 'fast-check'
import { isObject, parseJson } from '../src/core/is-object.ts'
import type { Json } from '../src/core/json.ts'
import type { RunningTask, TaskContext, TaskDialect, TaskParams, TaskRequest, TaskResponse, TaskStep } from '../src/core/task.ts'
import { cryptoFunctions } from './crypto.ts'

/** What the steps of a test's task know. */
export function taskContext(baseUrl: string): TaskContext {
  return {
    baseUrl,
    key: 'key',
    config: {},
    other: '',
    headers: {},
    modelsPath: undefined,
    nowMs: Date.parse('2026-11-23'),
    crypto: cryptoFunctions,
    idempotencyKey: 'order-1',
    requestKey: 'request-1',
    webhook: null,
  }
}

/** An order; parts that a test does not name are not given. */
export function taskParamsOf(fields: Partial<TaskParams> & Pick<TaskParams, 'model'>): TaskParams {
  return {
    kind: 'videos',
    action: 'create',
    prompt: 'A cat',
    seconds: null,
    size: null,
    images: [],
    video: null,
    source: null,
    extra: {},
    ...fields,
  }
}

export function runningTask(fields: Partial<RunningTask> & Pick<RunningTask, 'model'>): RunningTask {
  return { vendorId: 'task-1', memo: {}, kind: 'videos', action: 'create', ...fields }
}

export function taskResponse(json: Json, status = 200): TaskResponse {
  return { status, text: JSON.stringify(json), json }
}

export const page: TaskResponse = { status: 200, text: '<html>', json: undefined }

/** The request of a step, with its body as JSON if it is. @throws Error if the step makes none */
export function requestIn<Done>(step: TaskStep<Done>): Omit<TaskRequest, 'body'> & { readonly body?: unknown } {
  if (!('request' in step)) throw new Error(`no request: ${JSON.stringify(step)}`)
  const { body, ...rest } = step.request
  return body === undefined ? rest : { ...rest, body: typeof body === 'string' ? parseJson(body) : body }
}

/** @throws Error if the step has no result */
export function doneIn<Done>(step: TaskStep<Done>): Done {
  if (!('done' in step)) throw new Error(`no result: ${JSON.stringify(step)}`)
  return step.done
}

/** Responses of any form, some with members that the vendor's protocol has. */
export function oddResponses(names: readonly string[], values: readonly Json[]): fc.Arbitrary<TaskResponse> {
  const leaf = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(...values)) as fc.Arbitrary<Json>
  const object = (inner: fc.Arbitrary<Json>) => fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: names.length })
  const json = fc.oneof(leaf, object(fc.oneof(leaf, object(leaf), fc.array(object(leaf), { maxLength: 3 })))) as fc.Arbitrary<Json>
  return fc
    .record({ status: fc.constantFrom(200, 201, 202, 400, 404, 422), json })
    .map(({ status, json: value }) => taskResponse(value, status))
}

/** Runs every step of a dialect with these responses; it must not throw, and every report of a completed task has a result. */
export function survives(dialect: TaskDialect, params: TaskParams, responses: readonly TaskResponse[]): boolean {
  const context = taskContext('https://upstream.example')
  const task = runningTask({ model: params.model, kind: params.kind, action: params.action })
  const reports = [dialect.poll(context, task, responses), dialect.pollMany?.step(context, [task], responses)].flatMap((step) =>
    step !== undefined && 'done' in step ? (step.done instanceof Map ? [...step.done.values()] : [step.done]) : [],
  )
  const accepted = dialect.submit(context, params, responses)
  dialect.cancel?.(context, task, responses)
  const hasId = !('done' in accepted) || accepted.done.vendorId !== ''
  return (
    hasId && reports.every((report) => !isObject(report) || report['state'] !== 'completed' || (report['results'] as Json[]).length > 0)
  )
}
