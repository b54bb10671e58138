import type { BatchDialect, BatchedRequest, BatchParams, BatchResult } from '../../core/batch.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { Rewrites, rewriteKinds } from '../../core/rewrites.ts'
import type { RunningTask, TaskContext, TaskReport, TaskResponse, TaskStep } from '../../core/task.ts'
import { isCount } from '../../core/usage-count.ts'
import { textOfBlocks } from '../../protocols/anthropic/message-reader.ts'
import { nativeBody, versionHeaders } from '../../protocols/anthropic/native.ts'
import { isOutput, noCounts, toUsage, withBlock, withRefusal, withUsage } from '../../protocols/anthropic/usage.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { isReasoning } from '../../protocols/shared/gateway-marks.ts'
import { failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'

// Anthropic API, "Message Batches" and "Batch processing", stored copies read 2026-11-25.

const path = '/v1/messages/batches'

/** Results are kept for 29 days after a batch was created, and one that nobody could read by then is lost. */
const keptSeconds = 29 * 86_400

const addressOf = ({ baseUrl }: Pick<TaskContext, 'baseUrl'>, { vendorId }: RunningTask): string =>
  joinUrl(baseUrl, `${path}/${segment(vendorId)}`)

/** The version and the beta features of all requests of a batch. */
function headersOf({ requests, clientHeaders }: BatchParams): Readonly<Record<string, string>> {
  let headers = versionHeaders({}, clientHeaders)
  for (const { params } of requests) headers = versionHeaders(params, headers)
  return headers
}

/** Headers of later requests about the batch: those of its creation, so that its results have the form that the client knows. */
function headersAbout({ memo: { headers } }: RunningTask): Readonly<Record<string, string>> {
  const known = isObject(headers) ? Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : []
  return { ...versionHeaders({}, {}), ...Object.fromEntries(known) }
}

/** Batches are passed on as they were sent. */
const unchanged: ReadonlySet<string> = new Set(rewriteKinds)

/** `model` is the channel's name already. */
function nativeRequest(request: BatchedRequest): BatchedRequest {
  const { params } = request
  return { ...request, params: nativeBody(params, { model: textOr(params['model'], ''), rewrites: new Rewrites(unchanged) }) }
}

/** What a vendor reports about a batch; `null` = it is no batch. */
function batchIn({ json }: TaskResponse): JsonObject | null {
  return isObject(json) && textOr(json['id'], '') !== '' && textOr(json['processing_status'], '') !== '' ? json : null
}

const hasEnded = ({ processing_status: status }: JsonObject): boolean => status === 'ended'

function reportOf(batch: JsonObject): TaskReport {
  if (!hasEnded(batch)) return { state: 'in_progress' }
  const createdMs = Date.parse(textOr(batch['created_at'], ''))
  return { state: 'completed', data: batch, ...(Number.isNaN(createdMs) ? {} : { expiresAt: Math.floor(createdMs / 1000) + keptSeconds }) }
}

function read<Done>(response: TaskResponse, take: (batch: JsonObject) => Done): TaskStep<Done> {
  if (!isOk(response)) return { failed: failureOf(response) }
  const batch = batchIn(response)
  return batch === null ? unreadable(response) : { done: take(batch) }
}

/** The message in the response to a request; `null` = there was none. */
function messageIn({ result }: JsonObject): JsonObject | null {
  return isObject(result) && result['type'] === 'succeeded' && isObject(result['message']) ? result['message'] : null
}

function responseOf({ usage, content, stop_reason: stopReason }: JsonObject): BatchResult['response'] {
  const blocks = Array.isArray(content) ? content : []
  const hasOutput = blocks.some(isOutput)
  const parsedUsage = withRefusal(toUsage(withUsage(blocks.reduce(withBlock, noCounts), usage)), stopReason, { hasOutput })
  return {
    usage: parsedUsage === null ? null : { ...parsedUsage, serviceTier: 'batch' },
    text: textOfBlocks(blocks),
    hasReasoning: objectsIn(blocks).some(isReasoning),
  }
}

const sumOf = (counts: Json | undefined): number =>
  isObject(counts) ? Object.values(counts).reduce((sum: number, count) => sum + (isCount(count) ? count : 0), 0) : 0

export const anthropicBatches: BatchDialect = {
  secondsMax: keptSeconds,
  prepare: async (_channel, params) => ({
    submit: (context, responses) =>
      firstStep(
        responses,
        () => post(joinUrl(context.baseUrl, path), { ...params.body, requests: params.requests.map(nativeRequest) }, headersOf(params)),
        (response) => read(response, (batch) => ({ vendorId: textOr(batch['id'], ''), memo: { batch, headers: headersOf(params) } })),
      ),
  }),
  poll: (context, task, responses) =>
    firstStep(
      responses,
      () => get(addressOf(context, task), headersAbout(task)),
      (response) => (response.status === 404 ? { done: null } : read<TaskReport | null>(response, reportOf)),
    ),
  cancel: (context, task, responses) =>
    firstStep(
      responses,
      () => post(`${addressOf(context, task)}/cancel`, {}, headersAbout(task)),
      (response) => read(response, (batch) => (hasEnded(batch) ? 'ended' : 'asked')),
    ),
  remove: (context, task, responses) =>
    firstStep(
      responses,
      () => ({ request: { method: 'DELETE', url: addressOf(context, task), headers: headersAbout(task) } }),
      (response) => (isOk(response) || response.status === 404 ? { done: true } : { failed: failureOf(response) }),
    ),
  // The vendor names its own host, where a channel may have that of a proxy.
  results: (channel, task, { results_url: url }) =>
    textOr(url, '') === '' ? [] : [{ url: `${addressOf(channel, task)}/results`, headers: headersAbout(task) }],
  count: ({ request_counts: counts }) => sumOf(counts),
  readResult(line) {
    const customId = textOr(line['custom_id'], '')
    if (customId === '' || !isObject(line['result'])) return null
    const message = messageIn(line)
    return { customId, response: message === null ? null : responseOf(message) }
  },
  toClient(line, { model }) {
    const message = messageIn(line)
    if (message === null || typeof message['model'] !== 'string' || message['model'] === model || !isObject(line['result'])) return line
    return { ...line, result: { ...line['result'], message: { ...message, model } } }
  },
}
