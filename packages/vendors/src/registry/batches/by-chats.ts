import { type BatchDialect, type BatchResult, type ClientResult, ownData } from '../../core/batch.ts'
import type { BatchForm, BatchState } from '../../core/batch-form.ts'
import { asNumber, isObject, textOr } from '../../core/is-object.ts'
import { addressAt } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { multipart } from '../../core/multipart.ts'
import type { ClientResponse } from '../../core/response.ts'
import type { RunningTask, TaskContext, TaskReport, TaskRequest, TaskResponse, TaskStep } from '../../core/task.ts'
import type { Vendor } from '../../core/vendor.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { isReasoning } from '../../protocols/shared/gateway-marks.ts'
import { failedWith, failureOf, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { dialectOf } from '../dialect-of.ts'
import { contextIn, type RequestFile, requestFile } from './batched-requests.ts'

/** A batch that was not done within its day never is; some vendors let it end a little later. */
const secondsMax = 7 * 86_400

type Place = Pick<TaskContext, 'baseUrl' | 'key' | 'config' | 'other'>

/** Batches of messages at a vendor that responds to files of chats: each request becomes a chat, and its response a message. */
export function batchesByChats(vendor: Vendor, form: BatchForm): BatchDialect {
  const address = (channel: Place, path: string): string => {
    const at = vendor.routes.pathFor?.(path, { kind: 'chat', model: '', channel, body: {} }) ?? path
    return addressAt(channel.baseUrl, at)
  }
  const batchAt = (channel: Place, { vendorId }: RunningTask): string => address(channel, `${form.path}/${segment(vendorId)}`)
  const fileAt = (channel: Place, id: string): string => address(channel, `/v1/files/${segment(id)}`)

  function read<Done>(response: TaskResponse, take: (batch: BatchState) => TaskStep<Done>): TaskStep<Done> {
    if (!isOk(response)) return { failed: failureOf(response) }
    const batch = isObject(response.json) ? form.read(response.json) : null
    return batch === null ? unreadable(response) : take(batch)
  }

  /** The file, then the order that names it. */
  function submit(context: TaskContext, responses: readonly TaskResponse[], batchFile: RequestFile) {
    const [uploaded, batch] = responses
    if (uploaded === undefined) return upload(context, batchFile)
    if (!isOk(uploaded)) return { failed: failureOf(uploaded) }
    const file = isObject(uploaded.json) ? textOr(uploaded.json['id'], '') : ''
    if (file === '') return unreadable(uploaded)
    if (batch === undefined) {
      const { endpoint, model } = batchFile
      return post(address(context, form.path), form.createBody({ file, endpoint, model }))
    }
    return read(batch, ({ id }) => ({ done: { vendorId: id, memo: batchFile.memo } }))
  }

  function upload(context: TaskContext, { lines }: RequestFile): { readonly request: TaskRequest } {
    const bytes = new TextEncoder().encode(lines)
    const file = { name: 'file', fileName: 'requests.jsonl', contentType: 'application/jsonl', bytes }
    const { headers, body } = multipart([...form.fields, file], context.requestKey)
    return { request: { method: 'POST', url: address(context, form.uploadPath ?? '/v1/files'), headers, body } }
  }

  /** Deletes the files of a batch: it has no call to delete itself. */
  function remove(context: TaskContext, task: RunningTask, responses: readonly TaskResponse[]): TaskStep<true> {
    const [batch, ...deleted] = responses
    if (batch === undefined) return get(batchAt(context, task))
    if (batch.status === 404) return { done: true }
    return read(batch, ({ input, files }) => {
      const ids = [input, ...files].filter((id) => id !== '')
      const failed = deleted.find((response) => !isOk(response) && response.status !== 404)
      if (failed !== undefined) return { failed: failureOf(failed) }
      const next = ids[deleted.length]
      return next === undefined ? { done: true } : { request: { method: 'DELETE', url: fileAt(context, next) } }
    })
  }

  return {
    secondsMax,
    async prepare(channel, { requests }, pause) {
      const batchFile = await requestFile(requests, { vendor, form, channel, pause })
      return 'refused' in batchFile ? batchFile : { submit: (context, responses) => submit(context, responses, batchFile) }
    },
    poll: (context, task, [response]) => {
      if (response === undefined) return get(batchAt(context, task))
      return response.status === 404 ? { done: null } : read<TaskReport | null>(response, reportOf)
    },
    cancel: (context, task, [response]) =>
      response === undefined
        ? post(`${batchAt(context, task)}/cancel`, {})
        : read(response, ({ state }) => ({ done: state === 'running' ? 'asked' : 'ended' })),
    remove,
    results: (channel, _task, ended) => filesIn(ended).map((id) => ({ url: `${fileAt(channel, id)}/content` })),
    count: ({ request_counts: counts }) => (isObject(counts) ? asNumber(counts['succeeded']) + asNumber(counts['errored']) : 0),
    readResult: (line) => readResult(line, vendor),
    toClient: (line, clientResult) => toClient(line, clientResult, vendor),
  }
}

function filesIn(ended: JsonObject): readonly string[] {
  const own = ended[ownData]
  const files = isObject(own) ? own['files'] : undefined
  return Array.isArray(files) ? files.filter((id): id is string => typeof id === 'string') : []
}

function reportOf(batch: BatchState): TaskStep<TaskReport> {
  const { state, message, files } = batch
  if (state === 'running') return { done: { state: 'in_progress' } }
  if (state === 'failed') return failedWith('batch_failed', message)
  if (files.length > 0) return { done: { state: 'completed', data: endedBatch(batch) } }
  if (state === 'cancelled') return { done: { state } }
  return failedWith(state === 'expired' ? 'batch_expired' : 'no_result', message)
}

/** A batch that has ended, in Anthropic's form. */
function endedBatch({ state, createdMs, endedMs, files, counts }: BatchState): JsonObject {
  const { succeeded, errored } = counts ?? { succeeded: 0, errored: 0 }
  return {
    ...(createdMs === null ? {} : { created_at: isoTime(createdMs) }),
    ...(endedMs === null ? {} : { ended_at: isoTime(endedMs) }),
    ...(counts === null ? {} : { request_counts: { processing: 0, succeeded, errored, canceled: 0, expired: 0 } }),
    [ownData]: { files: [...files], state },
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString()

/** The response to a request; `null` = the line is no result. */
function outcomeOf(
  line: JsonObject,
  vendor: Vendor,
  clientResult?: ClientResult,
): { readonly customId: string; readonly response: ClientResponse | null } | null {
  const customId = textOr(line['custom_id'], '')
  const { response } = line
  if (customId === '' || (!isObject(response) && line['error'] === undefined)) return null
  const body = isObject(response) && asNumber(response['status_code'] ?? 200) === 200 ? response['body'] : undefined
  return { customId, response: isObject(body) ? responseOf(body, vendor, { customId, clientResult }) : null }
}

interface ResponseOrigin {
  readonly customId: string
  readonly clientResult: ClientResult | undefined
}

function responseOf(body: JsonObject, vendor: Vendor, { customId, clientResult }: ResponseOrigin): ClientResponse | null {
  const upstreamModel = textOr(body['model'], '')
  const context = {
    ...(clientResult === undefined ? {} : contextIn(clientResult.task.memo, customId)),
    id: `msg_${textOr(body['id'], customId).replace(/^chatcmpl-/, '')}`,
    created: 0,
    model: clientResult?.model ?? upstreamModel,
  }
  const response = dialectOf(vendor, 'messages', upstreamModel)?.response?.(body, context) ?? null
  return response === null || !('response' in response) ? null : response
}

function readResult(line: JsonObject, vendor: Vendor): BatchResult | null {
  const outcome = outcomeOf(line, vendor)
  if (outcome === null) return null
  const { customId, response } = outcome
  if (response === null) return { customId, response: null }
  const { usage } = response
  const blocks = objectsIn(response.response['content'])
  const hasReasoning = blocks.some(isReasoning)
  return {
    customId,
    response: { usage: usage === null ? null : { ...usage, serviceTier: 'batch' }, text: blocks.map(textOf).join(''), hasReasoning },
  }
}

const textOf = ({ text, thinking, input }: JsonObject): string =>
  textOr(text, '') + textOr(thinking, '') + (input === undefined ? '' : JSON.stringify(input))

function toClient(line: JsonObject, clientResult: ClientResult, vendor: Vendor): JsonObject {
  const outcome = outcomeOf(line, vendor, clientResult)
  if (outcome === null) return line
  const { customId, response } = outcome
  return {
    custom_id: customId,
    result: response === null ? failedResult(line) : { type: 'succeeded', message: batched(response.response) },
  }
}

function batched(message: JsonObject): JsonObject {
  const { usage } = message
  return isObject(usage) ? { ...message, usage: { ...usage, service_tier: 'batch' } } : message
}

/** What an expired request is called (OpenAI, "Batch API", "Batch expiration", read 2026-11-27). */
const expiredCode = 'batch_expired'
const cancelledCode = 'batch_cancelled'

function failedResult({ response, error }: JsonObject): JsonObject {
  const body = isObject(response) ? response['body'] : undefined
  const errorBody = isObject(error) ? error : isObject(body) ? (isObject(body['error']) ? body['error'] : body) : {}
  const code = errorBody['code']
  if (code === expiredCode) return { type: 'expired' }
  if (code === cancelledCode) return { type: 'canceled' }
  const message = textOr(errorBody['message'], textOr(error, 'the upstream service gave no reason'))
  return { type: 'errored', error: { type: 'error', error: { type: errorType(response), message } } }
}

/** Errors by status (Anthropic API, "Errors", read 2026-11-25). */
function errorType(response: Json | undefined): string {
  const status = isObject(response) ? asNumber(response['status_code']) : 0
  if (status === 429) return 'rate_limit_error'
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error'
}
