import type { ByteBudget } from '@sluice/http1/byte-budget'
import { isHandshake } from '@sluice/http1/handshake'
import type { Received } from '@sluice/http1/received'
import { authHeaders } from '@sluice/vendors/build-request'
import { dialectOf } from '@sluice/vendors/dialects'
import { joinUrl } from '@sluice/vendors/join-url'
import { AppError } from '../../lib/app-error.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Bill, Billing } from '../billing/bill.ts'
import { noteFailure } from '../billing/failed-attempts.ts'
import type { HoldDeps } from '../billing/open-bill.ts'
import { openBill } from '../billing/open-bill.ts'
import type { Callers } from '../ingress/callers.ts'
import { modelIn } from '../ingress/kinds/fields.ts'
import type { TokenLimiter } from '../ingress/token-limits.ts'
import { freePass } from '../ingress/token-limits.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Channel } from '../model/channel.ts'
import type { WatchedRequest } from '../model/incoming.ts'
import type { Wanted } from '../model/request-params.ts'
import type { Watch } from '../model/watch.ts'
import type { Prices } from '../pricing/prices.ts'
import type { Channels } from '../routing/channels.ts'
import { route } from '../routing/route.ts'
import type { Routing, Turn } from '../routing/routing.ts'
import type { AttemptDeps } from '../upstream/attempt.ts'
import { TlsFailure } from '../upstream/http1/connection.ts'
import { HandshakeRefused, openWebSocket, type UpstreamSocket } from '../upstream/http1/web-socket.ts'
import { withOwnHeaders } from '../upstream/own-headers.ts'
import { relayHeaders } from '../wire/error-reply.ts'
import { failureWithoutSecrets } from '../wire/without-secrets.ts'
import type { SessionDeps } from './realtime-session.ts'
import { createRealtimeSession, messageBytesMax } from './realtime-session.ts'

export interface RealtimeDeps extends AttemptDeps, HoldDeps, SessionDeps {
  readonly limits: AttemptDeps['limits']
  readonly ledger: SessionDeps['ledger'] & HoldDeps['ledger']
  readonly billing: Billing
  readonly callers: Callers
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly prices: Pick<Prices, 'quote'>
  readonly routing: Routing
  readonly longMessages: ByteBudget
  readonly watch: Watch
}

const kind = 'realtime'
const path = '/v1/realtime'
/** How long a channel may take to open its side. */
const openMs = 15_000
/** Output tokens that a session reserves before anything is said. */
const openTokens = 256

/** GET /v1/realtime?model=: a session of messages both ways, opened towards the client when a channel has opened its side. */
export async function openRealtime(incoming: WatchedRequest, deps: RealtimeDeps): Promise<Response> {
  const { request, requestId, sight } = incoming
  if (!isHandshake(request)) throw new AppError('websocket_required')
  const caller = await deps.callers.admit(incoming, ['authorization', 'subprotocol'])
  const model = modelIn({ model: new URL(request.url, 'http://localhost').searchParams.get('model') })
  if (caller.models !== null && !caller.models.has(model)) throw new AppError('model_forbidden', { params: { model } })
  const wanted: Wanted = { model, isStream: true, wantsUsage: true, maxTokens: openTokens, choices: 1, promptTokens: 0 }
  const { tiers, group } = route(await deps.channels.current(), caller, model)
  const pass = caller.limits === null ? freePass : await deps.limiter.enter(caller.tokenId, caller.limits)
  const leave = pass.stay()
  deps.watch.asked(sight, { kind, model })
  const gone = new AbortController()
  const giveUp = (): void => gone.abort()
  whenAborted(request.signal, giveUp)
  const done = deps.running.begin(giveUp)
  let bill: Bill | null = null
  try {
    const isOver = (): boolean => gone.signal.aborted
    const turn = deps.routing.begin({
      tiers,
      wanted,
      rules: { kind, isRepeatable: true },
      tokenId: caller.tokenId,
      groups: caller.groups,
      isOver,
    })
    bill = await openBill(deps, { requestId, sight, caller, wanted, pass, quote: deps.prices.quote(model, group) })
    const session = createRealtimeSession({
      bill,
      deps,
      turn,
      upstream: await firstSocket(turn, bill, { incoming, deps, signal: gone.signal }),
      over: leave,
    })
    bill.firstByteAtMs = deps.clock.monotonicMs()
    deps.watch.answering(sight, true)
    if (!incoming.upgrade(session.handlers, { 'x-request-id': requestId, ...protocolFor(request) })) session.cut('client_gone')
    return new Response(null, { headers: relayHeaders(requestId, bill.attempts) })
  } catch (error) {
    leave()
    if (bill !== null) await deps.billing.release(bill, 'failed', error instanceof AppError ? error.code : 'internal_error')
    throw error
  } finally {
    request.signal.removeEventListener('abort', giveUp)
    done()
  }
}

/** Browsers insist on one of the protocols that they offered; never the one that carries the key. */
function protocolFor({ headers }: Received): Record<string, string> {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
  return offered.includes('realtime') ? { 'sec-websocket-protocol': 'realtime' } : {}
}

interface Opening {
  readonly incoming: WatchedRequest
  readonly deps: RealtimeDeps
  readonly signal: AbortSignal
}

/** Tries channels until one opens its side. @throws AppError */
async function firstSocket(turn: Turn, bill: Bill, opening: Opening): Promise<UpstreamSocket> {
  for (let channel = turn.next(); channel !== null; channel = turn.next()) {
    bill.channel = channel
    bill.attempts += 1
    opening.deps.watch.trying(bill.sight, channel)
    try {
      const socket = await openSocket(channel, bill, opening)
      turn.answered()
      return socket
    } catch (cause) {
      const failed = failureOf(cause, channel)
      noteFailure(bill, failed, { channel, address: joinUrl(channel.baseUrl, path) })
      if (!turn.failed(failed, () => null)) break
    }
  }
  turn.end()
  throw turn.error()
}

async function openSocket(channel: Channel, bill: Bill, { incoming, deps, signal }: Opening): Promise<UpstreamSocket> {
  const { model } = bill.wanted
  const query = new URLSearchParams({ model: channel.mapping.get(model) ?? model })
  const beta = incoming.request.headers.get('openai-beta')
  const headers = {
    ...channel.vendor.headers,
    ...authHeaders(channel.vendor, channel.key),
    ...(beta === null ? {} : { 'openai-beta': beta }),
  }
  const late = new AbortController()
  const deadline = deps.deadlines.start(openMs, () => late.abort())
  try {
    return await openWebSocket(
      {
        url: `${joinUrl(channel.baseUrl, path)}?${query}`,
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

function failureOf(cause: unknown, channel: Channel): AttemptFailure {
  const dialect = dialectOf(channel.vendor, kind)
  if (!(cause instanceof HandshakeRefused) || dialect === null)
    return { by: 'transport', code: cause instanceof TlsFailure ? 'upstream_tls' : 'upstream_unreachable', cause }
  const failure = failureWithoutSecrets(dialect.failure(cause.status, cause.body), channel)
  return { by: 'vendor', failure, status: cause.status, retryAfterSeconds: null }
}
