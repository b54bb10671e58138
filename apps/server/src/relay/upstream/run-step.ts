import type { ByteBudget } from '@sluice/http1/byte-budget'
import { authHeaders, withCredential } from '@sluice/vendors/core/auth'
import { classified } from '@sluice/vendors/core/failure-rules'
import type { TaskContext, TaskRequest, TaskResponse, TaskStep } from '@sluice/vendors/core/task'
import { queryContextOf } from '@sluice/vendors/registry/vendor-queries'
import type { Clock } from '../../lib/clock.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import type { LargeJson } from '../../lib/large-json.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { Running } from '../../lib/running.ts'
import type { AttemptFailure, TransportCode } from '../model/attempt-failure.ts'
import { parseFailure } from '../wire/without-secrets.ts'
import { credentialFailure } from './credential-failure.ts'
import type { Credentials } from './credentials.ts'
import { cryptoFunctions } from './crypto-functions.ts'
import type { Outbound, UpstreamClient, UpstreamResponse } from './http1/client.ts'
import { decodeBody } from './http1/decode-body.ts'
import { bytesUpload } from './http1/text-upload.ts'
import { withOwnHeaders } from './own-headers.ts'
import { parseResponse } from './parse-response.ts'
import type { QueryableChannel } from './query-vendor.ts'
import { readCapped } from './read-capped.ts'
import { waitIn } from './retry-after.ts'
import { brokenAt, unreadableBy } from './transport-codes.ts'
import { withoutQuery } from './without-query.ts'

export interface StepDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly client: UpstreamClient
  readonly credentials: Credentials
  readonly running: Pick<Running, 'begin'>
  /** Memory for the responses that are being read. */
  readonly responses: ByteBudget
  readonly largeJson: LargeJson
}

export interface StepOptions {
  readonly timeoutMs: number
  readonly idempotencyKey: string
  /** Ids of the servers that the request has passed; empty: none. */
  readonly hops?: string
  /** Responses that say nothing about the task end the step: 401, 403, 408, 429 and 5xx. */
  readonly isPoll: boolean
  /** See `TaskContext`. Missing: the step needs none. */
  readonly webhook?: string | null
}

/** How a step ended. `silent`: the vendor did not say anything about the task. */
export type StepEnd<Done> =
  | { readonly done: Done }
  | { readonly silent: AttemptFailure; readonly retryAfterSeconds: number | null }
  | { readonly failed: AttemptFailure; readonly address: string }

/** Largest response: a video in base64. */
const responseBytesMax = 96 * 1024 * 1024
/** Maximum requests of a step. */
const requestsMax = 8

const noSettings: NonNullable<QueryableChannel['settings']> = { proxy: null, headers: {} }

interface StepRun<Done> {
  readonly deps: StepDeps
  readonly options: StepOptions
  /** What of the result may be stored and charged. @throws UnusableValue */
  readonly parse: (done: Done) => Done
}

/** The result of a step that has only values of ours, which a dialect chose. */
export const withoutVendorValues = <Done>(done: Done): Done => done

/** Runs a step of a task at its vendor. Nothing of its result is used that `parse` did not return. */
export async function runStep<Done>(
  channel: QueryableChannel,
  step: (context: TaskContext, responses: readonly TaskResponse[]) => TaskStep<Done>,
  { deps, options, parse }: StepRun<Done>,
): Promise<StepEnd<Done>> {
  const pendingCredential = deps.credentials.of(channel)
  const credential =
    typeof pendingCredential === 'string' ? pendingCredential : await pendingCredential.catch((cause: unknown) => credentialFailure(cause))
  if (typeof credential !== 'string') return ended(credential, { isPoll: options.isPoll, address: '', retryAfterSeconds: null })
  const facts = { baseUrl: channel.baseUrl, key: channel.key, config: channel.config, other: channel.other }
  const context = {
    ...queryContextOf(channel.vendor, { facts, credential, nowMs: deps.clock.nowMs(), crypto: cryptoFunctions }),
    idempotencyKey: options.idempotencyKey,
    requestKey: Bun.randomUUIDv7(),
    webhook: options.webhook ?? null,
  }
  const current: Current = { channel, credential, deps, options, isLate: false, outbound: null, address: '', retryAfterSeconds: null }
  const stop = (): void => {
    current.isLate = true
    current.outbound?.abort()
  }
  const deadline = deps.deadlines.start(options.timeoutMs, stop)
  const done = deps.running.begin(stop)
  try {
    return await exchange((responses) => parsedStep(step(context, responses), parse), current)
  } finally {
    deps.deadlines.cancel(deadline)
    done()
  }
}

/** The current request of a step. */
interface Current {
  readonly channel: QueryableChannel
  credential: string
  readonly deps: StepDeps
  readonly options: StepOptions
  isLate: boolean
  outbound: Outbound | null
  address: string
  retryAfterSeconds: number | null
}

function parsedStep<Done>(step: TaskStep<Done>, parse: (done: Done) => Done): TaskStep<Done> {
  return 'done' in step ? { done: parse(step.done) } : step
}

/** The next part of a step, or why a vendor's response has a form that the dialect cannot read: that concerns its own task only. */
function nextOf<Done>(
  step: (responses: readonly TaskResponse[]) => TaskStep<Done>,
  responses: readonly TaskResponse[],
  isPoll: boolean,
): TaskStep<Done> | { readonly unreadable: unknown } {
  try {
    return step(responses)
  } catch (cause) {
    // Nothing of a vendor is in a new order that has no response yet.
    if (responses.length === 0 && !isPoll) throw cause
    return { unreadable: cause }
  }
}

async function exchange<Done>(step: (responses: readonly TaskResponse[]) => TaskStep<Done>, current: Current): Promise<StepEnd<Done>> {
  const { isPoll } = current.options
  const responses: TaskResponse[] = []
  while (responses.length < requestsMax) {
    const next = nextOf(step, responses, isPoll)
    if ('unreadable' in next) return ended(transport('upstream_invalid_response', next.unreadable), { isPoll, ...current })
    if ('done' in next) return next
    if ('failed' in next) {
      const { channel, retryAfterSeconds, address } = current
      const failure = parseFailure(classified(next.failed, channel.vendor.failures, responses.at(-1)?.status), channel)
      const wait = retryAfterSeconds ?? failure.retryAfterSeconds ?? null
      return { failed: { by: 'vendor', failure, status: responses.at(-1)?.status ?? 200, retryAfterSeconds: wait }, address }
    }
    const result = await ask(next.request, current)
    if ('by' in result) return ended(result, { isPoll, ...current })
    const mayReport = next.request.mayFail === true && result.status >= 500
    if (isPoll && isSilent(result.status) && !mayReport) return ended(refusal(result, current), { isPoll, ...current })
    responses.push(result)
  }
  return ended(transport('upstream_invalid_response', new Error('the vendor requires too many requests')), { isPoll, ...current })
}

function ended(
  failed: AttemptFailure,
  { isPoll, address, retryAfterSeconds }: { readonly isPoll: boolean; readonly address: string; readonly retryAfterSeconds: number | null },
):
  | { readonly silent: AttemptFailure; readonly retryAfterSeconds: number | null }
  | { readonly failed: AttemptFailure; readonly address: string } {
  return isPoll ? { silent: failed, retryAfterSeconds } : { failed, address }
}

/** Statuses that concern the key, the load or the server, and not the task. */
function isSilent(status: number): boolean {
  return status === 401 || status === 403 || status === 408 || status === 429 || status >= 500
}

function refusal({ status, text }: TaskResponse, { channel, retryAfterSeconds }: Current): AttemptFailure {
  const failure = {
    kind: status === 429 ? 'rate_limited' : 'unavailable',
    message: text.slice(0, 500),
    type: null,
    param: null,
    code: null,
  } as const
  return { by: 'vendor', failure: parseFailure(failure, channel), status, retryAfterSeconds }
}

function transport(code: TransportCode, cause: unknown): AttemptFailure {
  return { by: 'transport', code, cause }
}

async function ask(request: TaskRequest, current: Current): Promise<TaskResponse | AttemptFailure> {
  const { url } = request
  current.address = withoutQuery(url)
  // Vendors may keep work at another host, but not within the network of this server.
  if (!mayHaveKey(url, current.channel) && !isPublicAddress(url)) return transport('upstream_unreachable', new Error('a private address'))
  try {
    const response = decodeBody(await begin(request, current).response)
    if (response === null) return transport('upstream_invalid_response', null)
    const result = await read(response, current)
    return 'by' in result || result.status !== 401 || !(await hasNewCredential(current)) ? result : await ask(request, current)
  } catch (cause) {
    if (current.isLate)
      return {
        by: 'transport',
        code: 'upstream_timeout',
        cause,
        exceeded: { setting: 'first_byte_seconds', ms: current.options.timeoutMs },
      }
    return transport(unreadableBy(cause) ?? brokenAt(cause, current.outbound?.isSent === true), cause)
  }
}

/** Requests another credential in place of a refused one, if it can differ. A refused request has created nothing. */
async function hasNewCredential(current: Current): Promise<boolean> {
  const { channel, credential, deps } = current
  if (channel.vendor.credential === undefined || !deps.credentials.drop(channel, credential)) return false
  current.credential = await deps.credentials.of(channel)
  return true
}

/** Sends a request, with the key only to hosts that may have it. @throws TypeError for an invalid address */
function begin(
  request: TaskRequest,
  current: Pick<Current, 'channel' | 'credential' | 'deps' | 'options'> & { outbound: Outbound | null },
): Outbound {
  const { channel, credential, deps, options } = current
  const { method, url, headers, body } = request
  const { settings = noSettings } = channel
  const outbound = deps.client.send({
    method,
    url: mayHaveKey(url, channel) ? withCredential(url, channel.vendor, credential) : url,
    headers: keyedHeaders(url, headers, { channel, credential }),
    body: body instanceof Uint8Array ? bytesUpload(body) : (body ?? null),
    isRepeatable: method === 'GET',
    proxy: settings.proxy,
    isPublicOnly: !mayHaveKey(url, channel),
    ...(options.hops === undefined ? {} : { hops: options.hops }),
  })
  current.outbound = outbound
  return outbound
}

/** The headers of a request; foreign hosts get none of the channel's. */
export function keyedHeaders(
  url: string,
  own: Readonly<Record<string, string>> = {},
  { channel, credential }: { readonly channel: QueryableChannel; readonly credential: string },
): Record<string, string> {
  const { vendor, key, settings = noSettings } = channel
  const plain = { accept: 'application/json', 'accept-encoding': 'identity', ...own }
  if (!mayHaveKey(url, channel)) return plain
  return withOwnHeaders({ ...plain, ...vendor.routes.headers, ...own, ...authHeaders(vendor, credential) }, { key, settings })
}

/** Whether an address is the channel's own, or one of a host that the vendor's record names. */
export function mayHaveKey(url: string, { baseUrl, vendor }: Pick<QueryableChannel, 'baseUrl' | 'vendor'>): boolean {
  const to = URL.parse(url)
  const own = URL.parse(baseUrl)
  if (to === null || own === null) return false
  if (to.origin === own.origin) return true
  // A channel at a proxy never sends its key past it.
  const isOfVendor = (host: string): boolean => (vendor.routes.keyHosts ?? []).some((name) => host === name || host.endsWith(`.${name}`))
  return to.protocol === 'https:' && isOfVendor(own.hostname) && isOfVendor(to.hostname)
}

async function read(response: UpstreamResponse, current: Current): Promise<TaskResponse | AttemptFailure> {
  const { status } = response
  if (status >= 300 && status < 400) {
    response.abort()
    return transport('upstream_redirect', null)
  }
  current.retryAfterSeconds = waitIn((name) => response.header(name), current.deps.clock.nowMs())
  const { responses, largeJson } = current.deps
  const share = responses.share(() => response.abort())
  try {
    const { bytes, isCut } = await readCapped(response, responseBytesMax, { openShare: () => share })
    if (isCut) return transport('upstream_invalid_response', null)
    share.keep(bytes.length)
    const text = new TextDecoder().decode(bytes)
    return { status, text, json: await parseResponse(bytes, largeJson, text) }
  } finally {
    share.keep(0)
  }
}
