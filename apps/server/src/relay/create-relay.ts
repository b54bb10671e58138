import type { IncomingRequest } from '@sluice/http1/incoming-request'
import type { ServerResponse } from '@sluice/http1/response'
import { vendorByType } from '@sluice/vendors/registry/list'
import type { Logger } from 'pino'
import { AppError } from '../lib/app-error.ts'
import { clientPath, suggestCall } from '../lib/client-path.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { createDeadlines } from '../lib/deadlines.ts'
import { randomBase62 } from '../lib/id.ts'
import { createMutex } from '../lib/mutex.ts'
import { pathOf } from '../lib/request-url.ts'
import { createRunning } from '../lib/running.ts'
import { createSampler } from '../lib/sampler.ts'
import { createAccountPlaces } from './billing/account-places.ts'
import { createBilling } from './billing/billing.ts'
import { type FailedAttempt, withoutWords } from './billing/failed-attempts.ts'
import { createRefusals } from './billing/refusals.ts'
import { type Callers, createCallers, groupsOf } from './ingress/callers.ts'
import { preflight } from './ingress/preflight.ts'
import { sharedMinutes } from './ingress/shared-minutes.ts'
import { sharedPlaces } from './ingress/shared-places.ts'
import { createStreamPlaces } from './ingress/stream-places.ts'
import { createTokenLimiter } from './ingress/token-limits.ts'
import { ownMinutes } from './ingress/token-minutes.ts'
import { accountKey, ownPlaces } from './ingress/token-places.ts'
import type { ClientProtocol } from './model/client-protocol.ts'
import { type Incoming, type RelayRequest, TracedRequest } from './model/incoming.ts'
import { createExplainRoute } from './operations/explain-route.ts'
import { createListModels } from './operations/list-models.ts'
import { createProbe, type ProbeParts } from './operations/probe.ts'
import { createVendorQueries, type VendorQueryDeps } from './operations/vendor-queries.ts'
import { estimateTokens } from './pricing/count-tokens.ts'
import { createMediaMeter } from './pricing/media-meter.ts'
import { createPrices, type Prices } from './pricing/prices.ts'
import { createAudioLength } from './pricing/stream-audio-duration.ts'
import { createTokenCounter } from './pricing/token-counter.ts'
import type { Relay, RelayDeps } from './relay-deps.ts'
import { findRoute, type RouteDeps } from './routes.ts'
import { type Channels, createChannels } from './routing/channels.ts'
import { createHealth } from './routing/health.ts'
import { createKeyRefusals } from './routing/key-refusals.ts'
import { createRouting } from './routing/routing.ts'
import { createStoredResponses, storingResponses } from './stored-responses/stored-responses.ts'
import { createTasks } from './tasks/create-tasks.ts'
import { estimateTask } from './tasks/estimate-task.ts'
import { taskForm } from './tasks/task-fields.ts'
import { createTaskViews } from './tasks/task-view.ts'
import { createCapabilityCache } from './upstream/capability-cache.ts'
import { createCredentials } from './upstream/credentials.ts'
import { hopsOf } from './upstream/hops.ts'
import { createUpstreamClient } from './upstream/http1/client.ts'
import { errorResponse } from './wire/error-response.ts'
import { protocolOf } from './wire/protocols/protocol-of.ts'

/** Forms written to disk at a time. */
const formsAtOnce = 8
/** Requests whose tokens are counted at a time, each in slices of a tenth of a second at most. */
const countsAtOnce = 4

/** Minimum interval between log lines for one error code and channel. */
const logEveryMs = 1_000

export function createRelay(deps: RelayDeps): Relay {
  const { store, ledger, clock, settings, log, limits, telemetry, configuration } = deps
  const callers = createCallers({ db: store.db, seal: deps.seal, clock })
  const { limiter, minutes, accountPlaces, streamPlaces } = openLimiter(deps)
  const running = createRunning()
  const health = createHealth(clock)
  const failed = createKeyRefusals({ keyRefused: deps.keyRefused, running, disabled: health.forget, log })
  const channels = createChannels({ db: store.db, seal: deps.seal, log, failed, mapped: health.keep })
  const capabilities = createCapabilityCache(clock)
  const routing = createRouting({ health, vendorOf: capabilities.vendorOf, clock, random: Math.random, settings, failed })
  const prices = createPrices(settings, clock)
  const deadlines = createDeadlines(clock)
  const ownHop = randomBase62(12)
  const client = createUpstreamClient({ clock, deadlines, ...deps.guard, ownHop })
  const [tokenCounter, mediaMeter] = [createTokenCounter({ log, clock, deadlines }), createMediaMeter({ log, clock, deadlines })]
  const billing = createBilling({
    ledger,
    clock,
    countTokens: async (text, model) => (settings().ApproximateTokenEnabled ? estimateTokens(text) : await tokenCounter.count(text, model)),
    isLogging: () => settings().LogConsumeEnabled,
    vendorPrice: prices.vendorPrice,
    ...{ spent: deps.spent, suspected: deps.suspected, telemetry },
  })
  const storedResponses = createStoredResponses({ db: store.db, seal: deps.seal, clock, log, channels, capabilities, settings })
  const { reportFailures, reportFailure } = createFailureLog(clock, log)
  const credentials = createCredentials({ clock, deadlines, client, running, largeJson: deps.bodyMemory.largeJson })
  const shared = {
    ...{ db: store.db, clock, settings, ledger, running, deadlines, client, telemetry },
    ...{ publicAddress: deps.publicAddress, basePath: deps.basePath },
    ...{ callers, channels, prices, routing, credentials, mediaMeter, audioLength: createAudioLength },
  }
  const tasks = createTasks({ ...deps, ...deps.bodyMemory, ...shared, billing, isAlone: () => store.node.live().length === 1 })
  const parts: RouteDeps & ProbeParts & VendorQueryDeps = {
    ...shared,
    tasks,
    limiter,
    billing: accountPlaces.ending(storingResponses(billing, storedResponses)),
    accountPlaces,
    streamPlaces,
    refusals: createRefusals({ billing, clock }),
    storedResponses,
    ...{ limits, capabilities, reportFailures, reportFailure },
    longMessages: deps.longMessages,
    textsOf: tokenCounter.textsOf,
    ...deps.bodyMemory,
    ...{ spooling: createMutex(formsAtOnce), counting: createMutex(countsAtOnce) },
    openSpool: deps.openSpool,
  }
  let isDraining = false

  /** @throws AppError */
  function respond(incoming: RelayRequest, path: string): Promise<ServerResponse> | ServerResponse {
    const { method } = incoming.request
    if (method === 'OPTIONS') return preflight(incoming)
    if (isDraining) throw new AppError('shutting_down', { retryAfterSeconds: 1 })
    // For HEAD, the server sends only the head of the response.
    const route = findRoute(method === 'HEAD' ? 'GET' : method, path)
    if (route === null) throw unknownUrl(method, path)
    return route.handler(incoming, parts, route.path)
  }

  /** The error for the client. While running requests are cut, what is wrong with a request is that its body was not read to the end. */
  function errorOf(error: unknown): AppError {
    if (!(error instanceof AppError)) return new AppError('internal_error', { cause: error })
    return running.isCut && error.status < 500 ? new AppError('shutting_down', { cause: error, retryAfterSeconds: 1 }) : error
  }

  /** What remains of the limits of the token that sent a request. Most tokens have none. */
  function rateHeadersOf(request: TracedRequest | null): Readonly<Record<string, string>> | undefined {
    const caller = request?.caller ?? null
    const rates = caller === null || caller.limits === null ? null : limiter.rates(caller.tokenId, caller.limits)
    return rates === null ? undefined : request?.protocol.rateHeaders?.(rates, nowSeconds(clock))
  }

  return {
    async handle(incoming) {
      const { request, requestId } = incoming
      const span = telemetry.began(requestId, request)
      const path = routePath(request)
      const protocol = protocolOf(path, request.headers)
      // A shutdown waits for a request from its first byte on. After the grace period it stops reading; a partial body is no request.
      const { body } = request
      const done = running.begin(() => body?.cancel())
      let traced: TracedRequest | null = null
      try {
        traced = new TracedRequest(incoming, { span, hops: hopsOf(request, ownHop), protocol })
        if (configuration.isBehind()) await configuration.catchUp()
        const response = await respond(traced, path)
        telemetry.served(span, response.status, null)
        return withHeaders(response, protocol.headers?.(requestId), rateHeadersOf(traced))
      } catch (error) {
        const known = errorOf(error)
        telemetry.served(span, known.status, known.code)
        reportFailure(known, requestId)
        return withHeaders(refuse(known, incoming, protocol), undefined, rateHeadersOf(traced))
      } finally {
        done()
      }
    },
    ...createProbe({ parts, newId: () => Bun.randomUUIDv7() }),
    ...createVendorQueries(parts),
    ...{ hasPrice: prices.has, listPrices: prices.listPrices, channelTotals: channels.totals },
    listModels: createListModels({ channels, prices, health }),
    explainRoute: createExplainRoute({ channels, routing, prices, health, settings }),
    offeredModels: async () => (await channels.current()).names(),
    changed: createChanged({ callers, channels, prices }),
    async modelsOf(groups, kind) {
      return (await channels.current()).models(groupsOf(groups), kind)
    },
    health: health.report,
    tasks: { ...createTaskViews(tasks), cancelRow: tasks.cancelRow, removeRow: tasks.removeRow },
    webhookOf({ id, type }) {
      const vendor = vendorByType(type)
      return vendor === null ? null : tasks.webhookOf({ id, vendor })
    },
    async fieldsOf({ groups, ...request }) {
      return await taskForm(await channels.current(), { ...request, groups: groupsOf(groups) }, tasks)
    },
    estimateTask: ({ groups, ...request }) => estimateTask({ ...request, groups: groupsOf(groups) }, tasks),
    ...{ pollTasks: tasks.poll, cleanTasks: tasks.clean, copyResults: tasks.files.work },
    exchangeMinutes: minutes.exchange,
    async drain(graceMs) {
      isDraining = true
      const graceOver = deadlines.start(graceMs, () => running.cutAll())
      tasks.close()
      await running.idle()
      deadlines.cancel(graceOver)
      await tasks.idle()
      await ledger.drain()
      client.close()
      tokenCounter.close()
      mediaMeter.close()
    },
  }
}

/** Nodes count together; the only process of a file of SQLite counts in its memory. */
function openLimiter({ store: { engine, db, node }, clock, configuration, settings }: RelayDeps) {
  const minutes = engine === 'sqlite' ? ownMinutes(clock) : sharedMinutes({ db, clock: configuration.databaseClock })
  const places = engine === 'sqlite' ? ownPlaces() : sharedPlaces({ db, clock, epoch: node.epoch })
  const ofAccounts = { take: (userId: number, most: number) => places.take(accountKey(userId), most) }
  return {
    minutes,
    limiter: createTokenLimiter({ db, clock, minutes, places }),
    accountPlaces: createAccountPlaces({ places: ofAccounts, most: () => settings().UnboundedRequestsMax }),
    streamPlaces: createStreamPlaces({ places, most: () => settings().TaskStreamsMax }),
  }
}

/** Invalidates what a change concerns. */
function createChanged({
  callers,
  channels,
  prices,
}: {
  readonly callers: Callers
  readonly channels: Channels
  readonly prices: Prices
}): Relay['changed'] {
  return async (change) => {
    switch (change.what) {
      case 'token':
        return callers.forgetToken(change.id)
      case 'user':
        return callers.forgetUser(change.id)
      case 'new-tokens':
        return callers.forgetUnknown()
      case 'channels':
        return await channels.changed(change.ids)
      case 'options':
        return prices.changed()
      case 'everything':
        callers.forgetAll()
        prices.changed()
        return await channels.changed(null)
    }
  }
}

/** Logs failures of requests. */
function createFailureLog(clock: Clock, log: Logger) {
  const sample = createSampler(clock, logEveryMs)

  function reportFailures(requestId: string, code: string, attempts: readonly FailedAttempt[]): void {
    const keptBack = sample(sampleKey(code, attempts))
    if (keptBack !== null) log.warn({ requestId, code, attempts: withoutWords(attempts), keptBack }, 'upstream stream interrupted')
  }

  /** Logs similar failures at most once per interval: if every channel is down there may be a thousand a second. */
  function reportFailure({ status, code, cause, options }: AppError, requestId: string): void {
    const { failures = [] } = options
    if (status < 500 && failures.length === 0) return
    const keptBack = sample(sampleKey(code, failures))
    if (keptBack !== null) log.warn({ requestId, code, err: cause, attempts: withoutWords(failures), keptBack }, 'request failed')
  }

  return { reportFailures, reportFailure }
}

/** The key includes the channels, so that failures of one do not hide those of another. */
function sampleKey(code: string, attempts: readonly Pick<FailedAttempt, 'channel'>[]): string {
  return `${code} ${attempts.at(-1)?.channel ?? 0}`
}

const pathStart = /^\/+(v1(?:\/|$))?\/*/

/** The path without a trailing slash, and without what base URLs bring: repeated slashes, two versions, or none. */
function routePath({ method, url }: Pick<IncomingRequest, 'method' | 'url'>): string {
  const path = pathOf(url).replace(pathStart, '/$1')
  return clientPath(method, path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
}

function unknownUrl(method: string, path: string): AppError {
  const errorParams = { method, path: path.slice(0, 200) }
  const suggestion = suggestCall(path)
  if (suggestion === null) return new AppError('unknown_url', { params: errorParams })
  return new AppError('unknown_url', {
    messageKey: 'unknown_url_meant',
    params: { ...errorParams, call: `${suggestion.method} ${suggestion.path}` },
  })
}

/** Adds headers to a response. */
function withHeaders(response: ServerResponse, own: Added, rates: Added): ServerResponse {
  if (own === undefined && rates === undefined) return response
  if (!(response instanceof Response)) return { ...response, headers: { ...response.headers, ...own, ...rates } }
  for (const [name, value] of Object.entries({ ...own, ...rates })) response.headers.set(name, value)
  return response
}

type Added = Readonly<Record<string, string>> | undefined

function refuse(error: AppError, { request, requestId }: Incoming, protocol: ClientProtocol): Response {
  const { attempts = 0 } = error.options
  return errorResponse(error, { requestId, acceptLanguage: request.headers.get('accept-language'), attempts, protocol })
}
