import type { ErrorCode, MessageKey } from '@sluice/contract'
import type { ChannelFacts } from '@sluice/vendors/core/channel-config'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { Json } from '@sluice/vendors/core/json'
import type { QueryContext, VendorQuery, VendorQueryRequest, VendorQueryStep } from '@sluice/vendors/core/vendor-query'
import { openai } from '@sluice/vendors/protocols/openai/dialect'
import { queryContextOf } from '@sluice/vendors/registry/vendor-queries'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import { ForbiddenAddress, PrivateAddress } from '../../lib/forbidden-address.ts'
import type { LargeJson } from '../../lib/large-json.ts'
import type { Running } from '../../lib/running.ts'
import type { Channel } from '../model/channel.ts'
import { rememberCredential, withoutSecrets } from '../wire/without-secrets.ts'
import { cryptoFunctions } from './crypto-functions.ts'
import type { Outbound, UpstreamClient, UpstreamResponse } from './http1/client.ts'
import { decodeBody } from './http1/decode-body.ts'
import { withOwnHeaders } from './own-headers.ts'
import { parseResponse } from './parse-response.ts'
import { readCapped } from './read-capped.ts'

export interface AskDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly client: UpstreamClient
  readonly running: Pick<Running, 'begin'>
  readonly largeJson: LargeJson
}

/** What a vendor is queried for: a channel, or the form of one that is not saved yet. */
export type QueryableChannel = Pick<Channel, 'vendor' | keyof ChannelFacts> & {
  readonly settings?: Pick<Channel['settings'], 'proxy' | 'headers'>
}

const noSettings: NonNullable<QueryableChannel['settings']> = { proxy: null, headers: {} }

/** Timeout for one vendor query, with all its requests: an administrator waits for it. */
const queryMs = 15_000
/** Largest response; the longest model lists have a tenth of it. */
const responseBytesMax = 8 * 1024 * 1024
/** Maximum requests per query, for paginated lists that never end. */
const requestsMax = 20

interface AskOptions {
  readonly deps: AskDeps
  readonly credential: string
  /** Timeout for the query; missing: as long as an administrator waits. */
  readonly withinMs?: number
}

/**
 * Runs a query to a channel's vendor.
 * @param credential what is sent in the place of the key
 * @throws AppError
 */
export async function askVendor<Result>(
  channel: QueryableChannel,
  query: VendorQuery<Result>,
  { deps, credential, withinMs = queryMs }: AskOptions,
): Promise<Result> {
  const { clock, deadlines, running } = deps
  const { vendor, key, settings = noSettings } = channel
  const context = queryContextOf(vendor, { facts: channel, credential, nowMs: clock.nowMs(), crypto: cryptoFunctions })
  const current: Asking = {
    key,
    config: channel.config,
    settings,
    client: deps.client,
    largeJson: deps.largeJson,
    withinMs,
    isOver: false,
    outbound: null,
    request: '',
    status: 0,
    text: '',
  }
  rememberCredential(current, credential)
  const stop = (): void => {
    current.isOver = true
    current.outbound?.abort()
  }
  const deadline = deadlines.start(withinMs, stop)
  const done = running.begin(stop)
  const responses: Json[] = []
  try {
    while (responses.length < requestsMax) {
      const step = nextOf(query, context, { responses, current })
      if ('result' in step) return notEmpty(step.result, current)
      if ('failed' in step) throw refusal(step.failed, current)
      responses.push(await ask(step.request, current))
    }
    throw new AppError('upstream_invalid_response')
  } finally {
    deadlines.cancel(deadline)
    done()
  }
}

/** @throws AppError if the vendor's responses have a form that cannot be read */
function nextOf<Result>(
  query: VendorQuery<Result>,
  context: QueryContext,
  { responses, current }: { readonly responses: readonly Json[]; readonly current: Asking },
): VendorQueryStep<Result> {
  try {
    return query(context, responses)
  } catch (cause) {
    throw responses.length === 0 ? cause : unreadable(current)
  }
}

/** The current request and its response, for error messages. */
interface Asking extends Pick<AskDeps, 'client' | 'largeJson'> {
  readonly key: string
  readonly config: Channel['config']
  readonly settings: NonNullable<QueryableChannel['settings']>
  readonly withinMs: number
  /** The query timed out. */
  isOver: boolean
  /** The running request. */
  outbound: Outbound | null
  /** Method and URL of the last request, without query values that may hold a key. */
  request: string
  status: number
  /** The first characters of the response. */
  text: string
}

/** Characters of a response that an error shows. */
const excerptMax = 200

/** Sends one request through the HTTP client of model calls. @throws AppError with the request and the response */
async function ask({ method, url, headers, body }: VendorQueryRequest, current: Asking): Promise<Json> {
  const { client, key, settings } = current
  current.request = withoutSecrets(`${method} ${url.split('?')[0]}`, current)
  try {
    if (current.isOver) throw silent(current)
    const allHeaders = withOwnHeaders({ accept: 'application/json', ...headers }, { key, settings })
    current.outbound = client.send({ method, url, headers: allHeaders, body: body ?? null, isRepeatable: true, proxy: settings.proxy })
    return await read(decodeBody(await current.outbound.response), current)
  } catch (cause) {
    if (cause instanceof AppError) {
      current.outbound?.abort()
      throw cause
    }
    if (cause instanceof PrivateAddress) throw new AppError('base_url_private', { cause })
    if (cause instanceof ForbiddenAddress) throw new AppError('base_url_forbidden', { cause })
    if (current.isOver) throw silent(current, cause)
    throw queryError('vendor_query_failed', current, {
      code: 'upstream_unreachable',
      detail: cause instanceof Error ? cause.message : '',
      cause,
    })
  }
}

/** @throws AppError */
async function read(response: UpstreamResponse | null, current: Asking): Promise<Json> {
  if (response === null) throw unreadable(current)
  const { status } = response
  current.status = status
  if (status >= 300 && status < 400) throw queryError('vendor_query_redirected', current, { code: 'upstream_redirect' })
  const { bytes, isCut } = await readCapped(response, responseBytesMax)
  const text = new TextDecoder().decode(bytes)
  current.text = text.trim().slice(0, excerptMax)
  if (status < 200 || status >= 300) throw refusal(wordsIn(status, text), current)
  const json = isCut ? undefined : await parseResponse(bytes, current.largeJson, text)
  if (json === undefined) throw unreadable(current)
  return json
}

/** A response of OAuth has its words beside the code (RFC 6749, 5.2). */
function wordsIn(status: number, text: string): string {
  const json = parseJson(text)
  const words = isObject(json) ? json['error_description'] : undefined
  return typeof words === 'string' && words !== '' ? words : openai.failure(status, text).message
}

/** An empty list is an error, because nothing can be chosen from it. */
function notEmpty<Result>(result: Result, current: Asking): Result {
  if (Array.isArray(result) && result.length === 0) throw queryError('vendor_query_empty', current, { code: 'upstream_failed' })
  return result
}

function silent(current: Asking, cause?: unknown): AppError {
  return queryError('vendor_query_timeout', current, { code: 'upstream_timeout', seconds: current.withinMs / 1000, cause })
}

function unreadable(current: Asking): AppError {
  return queryError('vendor_query_response_invalid', current, { code: 'upstream_invalid_response', detail: current.text })
}

/** The error for a vendor's refusal, with its message. */
function refusal(words: string, current: Asking): AppError {
  return queryError(current.status >= 400 ? 'vendor_query_rejected' : 'vendor_query_response_invalid', current, {
    code: 'upstream_failed',
    detail: words,
  })
}

/** Further parts of the error. */
interface Details {
  readonly code: ErrorCode
  readonly detail?: string
  readonly seconds?: number
  readonly cause?: unknown
}

/** Secrets are removed, because a vendor may repeat the key that it refuses. */
function queryError(messageKey: MessageKey, current: Asking, { code, cause, detail = '', seconds = 0 }: Details): AppError {
  const { request, status } = current
  return new AppError(code, { messageKey, params: { request, status, seconds, detail: withoutSecrets(detail, current) }, cause })
}
