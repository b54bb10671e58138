import type { ErrorCode, MessageKey } from '@sluice/contract'
import { modelQuery, queryContextOf } from '@sluice/vendors/ask'
import { chatDialects } from '@sluice/vendors/dialect-table'
import { parseJson } from '@sluice/vendors/is-object'
import type { Json } from '@sluice/vendors/json'
import { vendorByType } from '@sluice/vendors/list'
import type { VendorQuery, VendorQueryRequest } from '@sluice/vendors/vendor-query'
import { AppError } from '../../lib/app-error.ts'
import type { Running } from '../../lib/running.ts'
import type { Channel } from '../model/channel.ts'
import type { Channels } from '../routing/channels.ts'
import type { AttemptDeps } from '../upstream/attempt.ts'
import type { Outbound, UpstreamResponse } from '../upstream/http1/client.ts'
import { decodeBody } from '../upstream/http1/decode-body.ts'
import { withOwnHeaders } from '../upstream/own-headers.ts'
import { readCapped } from '../upstream/read-capped.ts'
import { ForbiddenAddress } from '../upstream/resolve-guard.ts'
import { withoutSecrets } from '../wire/without-secrets.ts'

export interface VendorQueryDeps extends Pick<AttemptDeps, 'clock' | 'deadlines' | 'client'> {
  readonly channels: Pick<Channels, 'current'>
  readonly running: Pick<Running, 'begin'>
}

/** The target of a query: a channel, or the form of one that is not saved yet. */
type Target = Pick<Channel, 'vendor' | 'baseUrl' | 'key'> & { readonly settings?: Pick<Channel['settings'], 'proxy' | 'headers'> }

const noSettings: NonNullable<Target['settings']> = { proxy: null, headers: {} }

/** Timeout for one vendor query, with all its requests: an administrator waits for it. */
const queryMs = 15_000
/** Largest answer; the longest model lists have a tenth of it. */
const answerBytesMax = 8 * 1024 * 1024
/** Maximum requests per query, for paginated lists that never end. */
const requestsMax = 20
/** Maximum models returned. */
const modelsMax = 5_000
/** Valid model names of a channel; others could not be saved. */
const modelForm = /^[\w.:/@+-]{1,256}$/

/** Queries to vendors other than model calls. */
export interface VendorQueries {
  /** The remaining balance of the channel's key, in the vendor's unit. @throws AppError */
  balanceOf(channelId: number): Promise<number>
  /** Names of the models available to the channel's key, sorted. @throws AppError */
  upstreamModels(channelId: number): Promise<readonly string[]>
  /** The same for a channel that is not saved yet; an empty address is the vendor's default. @throws AppError */
  upstreamModelsOf(channel: { readonly type: number; readonly key: string; readonly baseUrl: string }): Promise<readonly string[]>
}

export function createVendorQueries(deps: VendorQueryDeps): VendorQueries {
  async function usable(channelId: number): Promise<Channel> {
    const channel = (await deps.channels.current()).all.get(channelId)
    if (channel === undefined) throw new AppError('channel_unusable')
    return channel
  }

  async function models(target: Target): Promise<readonly string[]> {
    const query = modelQuery(target.vendor)
    if (query === null) throw new AppError('models_not_listed')
    const found = await runQuery(target, query, deps)
    return [...new Set(found)]
      .filter((name) => modelForm.test(name))
      .sort()
      .slice(0, modelsMax)
  }

  return {
    async balanceOf(channelId) {
      const channel = await usable(channelId)
      const { askBalance } = channel.vendor
      if (askBalance === undefined) throw new AppError('balance_not_told')
      return await runQuery(channel, askBalance, deps)
    },
    upstreamModels: async (channelId) => await models(await usable(channelId)),
    async upstreamModelsOf({ type, key, baseUrl }) {
      const vendor = vendorByType(type)
      const address = baseUrl === '' ? (vendor?.baseUrl ?? null) : baseUrl
      if (vendor === null || address === null) throw new AppError('channel_unusable')
      return await models({ vendor, baseUrl: address, key })
    },
  }
}

async function runQuery<Found>(
  { vendor, baseUrl, key, settings = noSettings }: Target,
  query: VendorQuery<Found>,
  deps: VendorQueryDeps,
): Promise<Found> {
  const { clock, deadlines, running } = deps
  const asked = queryContextOf(vendor, { baseUrl, key, nowMs: clock.nowMs() })
  const current: Asking = { key, settings, client: deps.client, isOver: false, outbound: null, request: '', status: 0, text: '' }
  const stop = (): void => {
    current.isOver = true
    current.outbound?.abort()
  }
  const deadline = deadlines.start(queryMs, stop)
  const done = running.begin(stop)
  const answers: Json[] = []
  try {
    while (answers.length < requestsMax) {
      const step = query(asked, answers)
      if ('found' in step) return notEmpty(step.found, current)
      if ('failed' in step) throw refusal(step.failed, current)
      answers.push(await ask(step.request, current))
    }
    throw new AppError('upstream_invalid_response')
  } finally {
    deadlines.cancel(deadline)
    done()
  }
}

/** The current request and its answer, for error messages. */
interface Asking extends Pick<VendorQueryDeps, 'client'> {
  readonly key: string
  readonly settings: NonNullable<Target['settings']>
  /** The query timed out. */
  isOver: boolean
  /** The running request. */
  outbound: Outbound | null
  /** Method and URL of the last request, without query values that may hold a key. */
  request: string
  status: number
  /** The first characters of the answer. */
  text: string
}

/** Characters of an answer that an error shows. */
const shownMax = 200

/** Sends one request through the HTTP client of model calls. @throws AppError with the request and the answer */
async function ask({ method, url, headers }: VendorQueryRequest, current: Asking): Promise<Json> {
  const { client, key, settings } = current
  current.request = withoutSecrets(`${method} ${url.split('?')[0]}`, current)
  try {
    if (current.isOver) throw silent(current)
    const sent = withOwnHeaders({ accept: 'application/json', ...headers }, { key, settings })
    current.outbound = client.send({ method, url, headers: sent, body: null, isRepeatable: true, proxy: settings.proxy })
    return await read(decodeBody(await current.outbound.response), current)
  } catch (cause) {
    if (cause instanceof AppError) {
      current.outbound?.abort()
      throw cause
    }
    if (cause instanceof ForbiddenAddress) throw new AppError('base_url_forbidden', { cause })
    if (current.isOver) throw silent(current, cause)
    throw queryError('asked_unreachable', current, {
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
  if (status >= 300 && status < 400) throw queryError('asked_redirected', current, { code: 'upstream_redirect' })
  const { bytes, isCut } = await readCapped(response, answerBytesMax)
  const text = new TextDecoder().decode(bytes)
  current.text = text.trim().slice(0, shownMax)
  if (status < 200 || status >= 300) throw refusal(chatDialects.openai.failure(status, text).message, current)
  const json = isCut ? undefined : parseJson(text)
  if (json === undefined) throw unreadable(current)
  return json
}

/** An empty list is an error, because nothing can be chosen from it. */
function notEmpty<Found>(found: Found, current: Asking): Found {
  if (Array.isArray(found) && found.length === 0) throw queryError('asked_empty', current, { code: 'upstream_failed' })
  return found
}

function silent(current: Asking, cause?: unknown): AppError {
  return queryError('asked_in_vain', current, { code: 'upstream_timeout', seconds: queryMs / 1000, cause })
}

function unreadable(current: Asking): AppError {
  return queryError('asked_unreadable', current, { code: 'upstream_invalid_response', detail: current.text })
}

/** The error for a vendor's refusal, with its message. */
function refusal(words: string, current: Asking): AppError {
  return queryError(current.status >= 400 ? 'asked_refused' : 'asked_unreadable', current, { code: 'upstream_failed', detail: words })
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
