import { type ErrorCode, isAllowedPath, proxyMethods as methods, type Settings, withoutTrailingSlashes } from '@sluice/contract'
import { isFieldValue } from '@sluice/http1/fields'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { isBare, type PlainResponse } from '@sluice/http1/response'
import { authHeaders } from '@sluice/vendors/core/auth'
import type { RawProxy } from '@sluice/vendors/core/vendor'
import type { Ledger } from '../../ledger/ledger.ts'
import { codedText } from '../../ledger/log-entry.ts'
import { AppError } from '../../lib/app-error.ts'
import { type BodyChunksDeps, bodyChunks } from '../../lib/body-chunks.ts'
import type { Running } from '../../lib/running.ts'
import type { Spool } from '../../lib/spool.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Billing, FlatCharge } from '../billing/billing.ts'
import { noteFailure } from '../billing/failed-attempts.ts'
import { clientAborted, openFlatCharge } from '../billing/open-charge.ts'
import { needModel, withPermit } from '../ingress/admission.ts'
import type { Callers } from '../ingress/callers.ts'
import type { TokenLimiter } from '../ingress/token-limits.ts'
import type { Caller } from '../model/caller.ts'
import type { Channel } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { PathParts } from '../model/kind-rules.ts'
import type { Telemetry } from '../model/telemetry.ts'
import { type FlatPrice, flatPrice } from '../pricing/flat-price.ts'
import { asData, movingOn, streamBytes } from '../response/stream-bytes.ts'
import type { Channels } from '../routing/channels.ts'
import { routeTo } from '../routing/route.ts'
import type { AttemptDeps } from '../upstream/current-attempt.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'
import { decodeBody } from '../upstream/http1/decode-body.ts'
import type { UpstreamRequest } from '../upstream/http1/request-text.ts'
import { namesKey, withOwnHeaders } from '../upstream/own-headers.ts'
import { limitsFor, rawTimeoutsOf } from '../upstream/timeouts.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { withoutSecrets } from '../wire/without-secrets.ts'
import { hideSecret, secretIn } from './hide-secret.ts'

export interface RawProxyDeps extends AttemptDeps, BodyChunksDeps {
  readonly callers: Callers
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly ledger: Ledger
  readonly billing: Billing
  readonly settings: () => Settings
  readonly running: Running
  readonly telemetry: Telemetry
  readonly openSpool: () => Spool
}

/** The model name of raw requests, in the log and in the models of a token. */
const proxyModel = 'proxy'

/**
 * ANY /v1/oneapi/proxy/{channelId}/{rest}: forwards the request and the response unchanged, with allowed headers only. It costs a fixed price
 * if the response is not a refusal. There are no retries.
 */
export async function proxyRaw(incoming: RelayRequest, deps: RawProxyDeps, path: PathParts): Promise<PlainResponse> {
  const caller = await deps.callers.admit(incoming)
  needModel(caller, proxyModel)
  const channel = await findChannel(deps, caller, path['channelId'] ?? '')
  const { rawProxy } = channel.vendor
  if (rawProxy === undefined) throw new AppError('proxy_not_found')
  return await withPermit(caller, deps.limiter, async (permit) => {
    const head = headFor(incoming, channel, rawProxy)
    const upload = await readUpload(incoming.request, deps)
    try {
      deps.running.assertAccepting()
      // The price at the time of the request applies.
      const price = priceOf(caller, channel, deps.settings())
      const charge = await openCharge(incoming, deps, { caller, channel, permit, price })
      return await exchange(charge, { ...head, body: upload && uploadOf(upload) }, { incoming, deps, channel, rawProxy, price, upload })
    } catch (error) {
      await upload?.close()
      throw error
    }
  })
}

/** A channel that the caller may not use is reported as unknown. @throws AppError proxy_not_found */
async function findChannel({ channels }: RawProxyDeps, { groups }: Caller, id: string): Promise<Channel> {
  const channel = (await channels.current()).all.get(/^\d{1,15}$/.test(id) ? Number(id) : -1)
  const mayUse = channel?.isEnabled === true && channel.groups.some((group) => groups.includes(group))
  if (!mayUse) throw new AppError('proxy_not_found')
  return channel
}

function priceOf({ groups }: Caller, channel: Channel, settings: Settings): FlatPrice {
  const { group } = routeTo(channel, groups)
  return flatPrice(settings.ProxyPrice, { group, type: channel.vendor.type, model: proxyModel }, settings)
}

/** The id may have escaped digits, as the router reads it. */
const route = /^\/v1\/oneapi\/proxy\/[^/?]+/

/** The request without its body. @throws AppError */
function headFor({ request, hops }: RelayRequest, channel: Channel, rawProxy: RawProxy): Omit<UpstreamRequest, 'body'> {
  const { method, url, headers } = request
  if (!isMethod(method)) throw new AppError('unknown_url', { params: { method, path: '' } })
  const rest = url.replace(route, '')
  checkAllowed(channel, method, rest)
  const forwarded = rawProxy.requestHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value !== null && isFieldValue(value) ? [[name, value] as const] : []
  })
  return {
    method,
    url: below(channel.baseUrl, rest),
    headers: withOwnHeaders({ ...Object.fromEntries(forwarded), 'accept-encoding': 'identity', ...keyHeaders(channel) }, channel),
    isRepeatable: false,
    proxy: channel.settings.proxy,
    hops,
  }
}

/** A list of paths is stricter about their form, too. @throws AppError raw_proxy_refused */
function checkAllowed({ settings: { proxyMethods, proxyPaths } }: Channel, method: string, rest: string): void {
  const path = rest.replace(/[?#].*$/s, '')
  const mayPass = (proxyMethods?.includes(method) ?? true) && (proxyPaths === null || isAllowedPath(path, proxyPaths))
  if (!mayPass) throw new AppError('raw_proxy_refused', { params: { method } })
}

/** A channel with a header for its key has it nowhere else: servers may refuse an `Authorization` that they do not expect. */
function keyHeaders({ vendor, key, settings }: Channel): Readonly<Record<string, string>> {
  return namesKey(settings) ? {} : authHeaders(vendor, key)
}

function isMethod(method: string): method is (typeof methods)[number] {
  return methods.some((one) => one === method)
}

/** The path must stay below the channel's address. @throws AppError proxy_not_found */
function below(baseUrl: string, rest: string): string {
  const base = withoutTrailingSlashes(baseUrl)
  const url = URL.parse(base + rest)
  const root = URL.parse(`${base}/`)
  if (url === null || root === null || url.origin !== root.origin || !url.pathname.startsWith(root.pathname))
    throw new AppError('proxy_not_found')
  return url.href
}

/** Reads the whole body, to disk if it is large. `null`: there is none. @throws AppError */
async function readUpload(request: IncomingRequest, { limits, openSpool, ...reading }: RawProxyDeps): Promise<Spool | null> {
  if (request.body === null) return null
  const spool = openSpool()
  try {
    for await (const chunk of bodyChunks(request, limits, reading)) await spool.append(chunk)
    return spool
  } catch (error) {
    await spool.close()
    throw error
  }
}

function uploadOf({ byteLength, read }: Spool): UpstreamRequest['body'] {
  return { byteLength, chunks: () => read(0, byteLength) }
}

async function openCharge(
  { requestId, span, protocol }: RelayRequest,
  deps: RawProxyDeps,
  { caller, channel, permit, price }: Pick<FlatCharge, 'caller' | 'permit'> & { readonly channel: Channel; readonly price: FlatPrice },
): Promise<FlatCharge> {
  deps.telemetry.routed(span, { kind: proxyModel, model: proxyModel })
  deps.telemetry.trying(span, channel)
  const params = { model: proxyModel, isStream: false }
  const callType = { protocol: protocol.name, kind: proxyModel }
  const charge = await openFlatCharge(deps, { callType, requestId, span, caller, params, permit }, price.amount)
  charge.channel = channel
  charge.attempts = 1
  charge.attemptStartedMs = deps.clock.monotonicMs()
  return charge
}

interface Surroundings {
  readonly incoming: RelayRequest
  readonly deps: RawProxyDeps
  readonly channel: Channel
  readonly rawProxy: RawProxy
  readonly price: FlatPrice
  /** Released when the response is over: until then the channel may still read it. */
  readonly upload: Spool | null
}

async function exchange(charge: FlatCharge, request: UpstreamRequest, around: Surroundings): Promise<PlainResponse> {
  const { incoming, deps, channel, rawProxy, price, upload } = around
  const { clock, deadlines, client, billing, running, telemetry } = deps
  const limits = limitsFor(channel, deps.limits)
  const timeouts = rawTimeoutsOf(channel, limits)
  const outbound = client.send(request)
  let ended: Ended | null = null
  let isResponding = false
  const end = (why: Ended): void => {
    ended ??= why
    outbound.abort()
    // If nobody reads the body yet, no failure is reported, so the call is ended here.
    if (isResponding) over()
  }
  const done = running.begin(() => end('cut'))
  whenAborted(incoming.request.signal, () => end('gone'))
  const total = deadlines.start(limits.totalMs, () => end('late'))
  let silence = deadlines.start(timeouts.firstByteMs, () => end('late'))
  const release = charge.permit.acquire()
  let isOver = false
  const over = (): void => {
    if (isOver) return
    isOver = true
    deadlines.cancel(total)
    deadlines.cancel(silence)
    upload?.close().catch(() => undefined)
    done()
    release()
  }
  try {
    const response = await readable(outbound.response)
    const { status } = response
    const headers = headersOf(response, { rawProxy, channel, requestId: charge.requestId })
    charge.firstByteAtMs = clock.monotonicMs()
    telemetry.responding(charge.span, true)
    const amount = status < 400 ? price.amount : 0
    const isServed = status < 400 ? true : status < 500 ? null : false
    await billing.settleFlat(charge, { amount, text: textOf(request, status, amount === 0 ? '' : price.factors), isServed })
    isResponding = true
    deadlines.cancel(silence)
    silence = deadlines.start(timeouts.idleMs, () => end('late'))
    if (ended !== null || isBare(status)) over()
    const moving = movingOn(response, silence, () => clock.monotonicMs() + timeouts.idleMs)
    const body = streamBytes(hideSecret(moving, secretIn(channel.key)), over)
    return { status, headers, body: isBare(status) ? '' : body }
  } catch (cause) {
    outbound.abort()
    over()
    const isGone = ended === 'gone'
    const { code, detail } = failureOf(cause, ended)
    if (!isGone) noteFailure(charge, { by: 'transport', code, cause }, { channel, address: request.url, endedMs: clock.monotonicMs() })
    await billing.release(charge, isGone ? clientAborted : { reason: 'failed', detail, isFault: true })
    throw errorOf(cause, ended).after(1, charge.failures)
  }
}

function textOf({ method, url }: UpstreamRequest, status: number, factors: string) {
  const params = { method, path: new URL(url).pathname.slice(0, 500), status }
  return codedText(factors === '' ? { code: 'log_proxy', params } : { code: 'log_proxy_factors', params: { ...params, factors } })
}

/** Why the relay ended a call. */
type Ended = 'gone' | 'late' | 'cut'

const codes = { gone: 'upstream_unreachable', late: 'upstream_timeout', cut: 'shutting_down' } as const satisfies Record<Ended, ErrorCode>

/** What the log says of a call that brought no response. */
function failureOf(cause: unknown, ended: Ended | null) {
  if (cause instanceof AppError && cause.code === 'upstream_invalid_response')
    return { code: cause.code, detail: 'the response of the proxy cannot be forwarded' } as const
  return { code: ended === 'late' ? 'upstream_timeout' : 'upstream_unreachable', detail: 'no response from the proxy' } as const
}

function errorOf(cause: unknown, ended: Ended | null): AppError {
  if (cause instanceof AppError) return cause
  return new AppError(ended === null ? 'upstream_unreachable' : codes[ended], { cause })
}

/** A response that can be passed on. @throws AppError */
async function readable(upstreamResponse: Promise<UpstreamResponse>): Promise<UpstreamResponse> {
  const response = decodeBody(await upstreamResponse)
  if (response === null) throw new AppError('upstream_invalid_response')
  const { status } = response
  if (status >= 300 && status < 400 && status !== 304) throw new AppError('upstream_redirect')
  return response
}

interface ResponseParts {
  readonly rawProxy: RawProxy
  readonly channel: Channel
  readonly requestId: string
}

/** The head for the client. A response with a header that cannot be sent on is none. @throws AppError upstream_invalid_response */
function headersOf(response: UpstreamResponse, { rawProxy, channel, requestId }: ResponseParts): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { ...relayHeaders(requestId, 1), ...asData }
  for (const name of rawProxy.responseHeaders) {
    const value = response.header(name)
    if (value === null) continue
    if (!isFieldValue(value)) throw new AppError('upstream_invalid_response')
    headers[name] = withoutSecrets(value, channel)
  }
  return headers
}
