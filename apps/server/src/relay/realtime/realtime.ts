import type { ByteBudget } from '@sluice/http1/byte-budget'
import { isHandshake } from '@sluice/http1/handshake'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { authHeaders } from '@sluice/vendors/core/auth'
import { readFailureOf } from '@sluice/vendors/core/failure-rules'
import { addressAt } from '@sluice/vendors/core/join-url'
import { dialectOf } from '@sluice/vendors/registry/dialect-of'
import { AppError } from '../../lib/app-error.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Billing, Charge } from '../billing/billing.ts'
import type { ChargeDeps } from '../billing/open-charge.ts'
import { openCharge, releaseUnserved } from '../billing/open-charge.ts'
import { needModel, withPermit } from '../ingress/admission.ts'
import type { Callers } from '../ingress/callers.ts'
import { modelIn } from '../ingress/kinds/fields.ts'
import type { TokenLimiter } from '../ingress/token-limits.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { type Channel, modelAt, type Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { Prices } from '../pricing/prices.ts'
import { tryChannels } from '../response/try-channels.ts'
import type { Channels } from '../routing/channels.ts'
import { route } from '../routing/route.ts'
import type { Failover, Routing } from '../routing/routing.ts'
import { credentialFailure } from '../upstream/credential-failure.ts'
import type { AttemptDeps } from '../upstream/current-attempt.ts'
import { HandshakeRefused, openWebSocket, type UpstreamSocket } from '../upstream/http1/web-socket.ts'
import { withOwnHeaders } from '../upstream/own-headers.ts'
import { brokenAt } from '../upstream/transport-codes.ts'
import { withoutQuery } from '../upstream/without-query.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { parseFailure } from '../wire/without-secrets.ts'
import type { SessionDeps } from './realtime-session.ts'
import { createRealtimeSession, messageBytesMax } from './realtime-session.ts'

export interface RealtimeDeps extends AttemptDeps, ChargeDeps, SessionDeps {
  readonly limits: AttemptDeps['limits']
  readonly ledger: SessionDeps['ledger'] & ChargeDeps['ledger']
  readonly billing: Billing
  readonly callers: Callers
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly prices: Pick<Prices, 'resolve'>
  readonly routing: Routing
  readonly longMessages: ByteBudget
  readonly telemetry: Telemetry
}

const kind = 'realtime'
const path = '/v1/realtime'
/** Timeout for a channel to open its connection. */
const openMs = 15_000
/** Output tokens that a session reserves at its start. */
const openTokens = 256

/** GET /v1/realtime?model=: a WebSocket session. The client's upgrade is accepted after a channel has accepted its own. */
export async function openRealtime(incoming: RelayRequest, deps: RealtimeDeps): Promise<Response> {
  const { request, requestId, span } = incoming
  if (!isHandshake(request)) throw new AppError('websocket_required')
  const caller = await deps.callers.admit(incoming, ['authorization', 'subprotocol'])
  const model = modelIn({ model: new URL(request.url, 'http://localhost').searchParams.get('model') })
  needModel(caller, model)
  const params: RequestParams = { model, isStream: true, wantsUsage: true, maxTokens: openTokens, choices: 1, promptTokens: 0 }
  const routed = route(await deps.channels.current(), caller, model)
  return await withPermit(caller, deps.limiter, async (permit) => {
    deps.telemetry.routed(span, { kind, model })
    const abortController = new AbortController()
    const giveUp = (): void => abortController.abort()
    whenAborted(request.signal, giveUp)
    const done = deps.running.begin(giveUp)
    try {
      return await openSession({ incoming, deps, signal: abortController.signal }, routed, { requestId, span, caller, params, permit })
    } finally {
      request.signal.removeEventListener('abort', giveUp)
      done()
    }
  })
}

/** A session being opened, whose client may disconnect meanwhile. */
interface Opening {
  readonly incoming: RelayRequest
  readonly deps: RealtimeDeps
  readonly signal: AbortSignal
}

/** @throws AppError */
async function openSession(
  opening: Opening,
  { tiers, group, types }: Route,
  chargeInput: Pick<Charge, 'requestId' | 'span' | 'caller' | 'params' | 'permit'>,
): Promise<Response> {
  const { incoming, deps, signal } = opening
  const { caller, params, permit, requestId, span } = chargeInput
  const { tokenId, groups } = caller
  const isOver = (): boolean => signal.aborted
  const failover = deps.routing.begin({ tiers, params, rules: { kind, isRepeatable: true }, tokenId, groups, isOver })
  const callType = { protocol: incoming.protocol.name, kind } as const
  const charge = await openCharge(deps, { ...chargeInput, callType, resolvedPrice: deps.prices.resolve(params.model, group), types })
  try {
    const upstream = await firstSocket(failover, charge, opening)
    const session = createRealtimeSession({ charge, deps, failover, upstream, over: permit.acquire() })
    charge.firstByteAtMs = deps.clock.monotonicMs()
    deps.telemetry.responding(span, true)
    if (!incoming.upgrade(session.handlers, { 'x-request-id': requestId, ...protocolFor(incoming.request) })) session.cut('client_gone')
    return new Response(null, { headers: relayHeaders(requestId, charge.attempts) })
  } catch (error) {
    await releaseUnserved(deps.billing, charge, { error, isClientGone: false })
    throw error
  }
}

/** Browsers require one of the subprotocols that they offered; the one with the key is never returned. */
function protocolFor({ headers }: IncomingRequest): Record<string, string> {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
  return offered.includes('realtime') ? { 'sec-websocket-protocol': 'realtime' } : {}
}

/** Tries channels until one opens its connection. @throws AppError */
async function firstSocket(failover: Failover, charge: Charge, opening: Opening): Promise<UpstreamSocket> {
  const socket = await tryChannels(charge, { failover, telemetry: opening.deps.telemetry, clock: opening.deps.clock }, async (channel) => {
    try {
      return { response: await openSocket(channel, charge, opening) }
    } catch (cause) {
      return { failed: failureOf(cause, channel), address: withoutQuery(addressOf(channel, charge.params.model)), hash: () => null }
    }
  })
  if (socket !== null) return socket
  failover.end()
  throw failover.error()
}

async function openSocket(channel: Channel, charge: Charge, { incoming, deps, signal }: Opening): Promise<UpstreamSocket> {
  const { model } = charge.params
  const credential = await deps.credentials.of(channel)
  const beta = incoming.request.headers.get('openai-beta')
  const headers = {
    ...channel.vendor.routes.headers,
    ...authHeaders(channel.vendor, credential),
    ...(beta === null ? {} : { 'openai-beta': beta }),
  }
  const late = new AbortController()
  const deadline = deps.deadlines.start(openMs, () => late.abort())
  try {
    return await openWebSocket(
      {
        url: addressOf(channel, model),
        headers: withOwnHeaders(headers, channel),
        proxy: channel.settings.proxy,
        hops: incoming.hops,
        signal: AbortSignal.any([signal, late.signal]),
      },
      { ...deps, messageBytesMax },
    )
  } finally {
    deps.deadlines.cancel(deadline)
  }
}

/** The model is in the query, unless the vendor's own path names it. */
function addressOf(channel: Channel, clientModel: string): string {
  const model = modelAt(channel, clientModel)
  const own = channel.vendor.routes.pathFor?.(path, { kind, model, channel, body: {} }) ?? path
  const url = addressAt(channel.baseUrl, own)
  return own.includes('?') ? url : `${url}?${new URLSearchParams({ model })}`
}

function failureOf(cause: unknown, channel: Channel): AttemptFailure {
  if (cause instanceof AppError) return credentialFailure(cause)
  const dialect = dialectOf(channel.vendor, kind)
  if (!(cause instanceof HandshakeRefused) || dialect === null) return { by: 'transport', code: brokenAt(cause, false), cause }
  const failure = parseFailure(readFailureOf(dialect, channel.vendor.failures, cause), channel)
  return { by: 'vendor', failure, status: cause.status, retryAfterSeconds: failure.retryAfterSeconds ?? null }
}
