import type { Settings } from '@sluice/contract'
import type { Failure } from '@sluice/vendors/core/failure'
import type { Vendor } from '@sluice/vendors/core/vendor'
import type { UnpricedPlace } from '@sluice/vendors/protocols/bodies/body-use'
import { isTaskKind } from '@sluice/vendors/registry/task-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { type Channel, modelAt, type Tier } from '../model/channel.ts'
import type { ResponseEnd } from '../model/upstream-response.ts'
import { channelFailure, spentOn } from '../wire/channel-failure.ts'
import { chancesOf, pick } from './candidates.ts'
import type { Channels } from './channels.ts'
import type { ConversationHash } from './conversation.ts'
import type { Health, InFlightAttempt, Subject, UnavailableReason } from './health.ts'
import type { RequestHash } from './model-health.ts'
import { makesNone, notOffered, notPriced } from './not-offered.ts'
import { coolingOf, errorOf, hasReached, ruleOf } from './retry.ts'
import { createRetryBudget, type RetryBudget } from './retry-budget.ts'
import { unsendable } from './unsendable.ts'
import { lackedParameter, type ServedRequest, unservedParameter } from './unserved-parameter.ts'

/** What a channel is chosen for. */
interface RoutingRequest extends ServedRequest {
  /** Highest priority first; at least one. */
  readonly tiers: readonly Tier[]
  readonly rules: ServedRequest['rules'] & { readonly isRepeatable: boolean }
  /** The id of the token. */
  readonly tokenId: number
  /** For error messages. */
  readonly groups: readonly string[]
  /** The client disconnected: no further attempt is made, and an attempt that breaks off now is not the channel's failure. */
  readonly isOver: () => boolean
  /** What conversation it is a part of; missing: of none. */
  readonly conversation?: ConversationHash
}

/** The attempts of one request: each channel at most once, best tier first. */
export interface Failover {
  /** The next channel to try; `null`: none. */
  next(): Channel | null
  /** The last tried channel has begun its response. */
  served(): void
  /** The last attempt failed. `false`: no further channel may be tried. @param request its hash; called only if needed */
  failed(failure: AttemptFailure, request: () => RequestHash): boolean
  /** The stream that it had begun has ended. */
  over(end: Pick<ResponseEnd, 'reason' | 'failure'>): void
  /** The request no longer runs at any channel. May be called twice. */
  end(): void
  /** The error for the client. */
  error(): AppError
}

export interface Routing {
  /** @throws AppError if no channel can be used now */
  begin(request: RoutingRequest): Failover
  /** How a request would be served now, in the order of its channels. Nothing is sent or reserved. */
  explain(request: Omit<RoutingRequest, 'isOver'>): readonly Candidate[]
}

/** A channel of a route, as the choice of channels sees it. */
export interface Candidate {
  readonly channel: Channel
  /** Why it is not tried: it cannot serve the request, or cannot be used now; `null`: it may be tried. */
  readonly leftOut: 'not_offered' | UnavailableReason | null
  /** Milliseconds until it is used again; 0: it is used, or it is not known when. */
  readonly restMs: number
  /** The chance to be tried first, by weight: 0 to 1. */
  readonly chance: number
}

interface RoutingDeps {
  readonly health: Health
  /** The channel's vendor, without the kinds that the channel turned out to lack. */
  readonly vendorOf: (channel: Channel) => Vendor
  readonly clock: Clock
  readonly random: () => number
  readonly settings: () => Settings
  /** Called for every failed attempt. */
  readonly failed: Channels['failed']
}

export function createRouting({ health, vendorOf, clock, random, settings, failed: reportFailed }: RoutingDeps): Routing {
  const budget = createRetryBudget(clock)

  /** From the best tier that has a healthy channel; if none has, a channel that may be broken. */
  function choose(request: RoutingRequest, tried: readonly Channel[]): Chosen | null {
    return chooseFrom(request, tried, false) ?? chooseFrom(request, tried, true)
  }

  /** @param isLast channels that may be broken are chosen too */
  function chooseFrom(request: RoutingRequest, tried: readonly Channel[], isLast: boolean): Chosen | null {
    const load = settings().ChannelChoice === 'least_loaded' ? health.load : null
    const isUsable = (channel: Channel): boolean =>
      !tried.includes(channel) &&
      unservedParameter(vendorOf(channel), channel, request) === null &&
      health.admits(channel, subjectAt(channel, request), isLast)
    for (const tier of request.tiers) {
      const conversation = tier.channels.length > 1 ? (request.conversation ?? null) : null
      const chosen = pick(tier, { random, isUsable, load, conversation })
      if (chosen !== null) return { channel: chosen, subject: subjectAt(chosen, request), isLast: isLast || isOnly(request) }
    }
    return null
  }

  function report({ attempt, channel }: Trying, failure: AttemptFailure, request: () => RequestHash): void {
    const { blames } = ruleOf(failure)
    const cooling = coolingOf(failure)
    attempt.failed({ blames, hasReached: hasReached(failure), request: blames === null || blames === 'channel' ? null : request() })
    if (cooling !== null) attempt.cool(cooling.forMs, cooling.isTimed)
    reportFailed(channel, failure)
  }

  /** @param isLast channels that may be broken are used too */
  function candidatesOf(request: Omit<RoutingRequest, 'isOver'>, isLast: boolean): readonly Candidate[] {
    let isFirstTier = true
    return request.tiers.flatMap(({ channels }) => {
      const serving = channels.filter((channel) => unservedParameter(vendorOf(channel), channel, request) === null)
      const usable = serving.filter((channel) => health.admits(channel, subjectAt(channel, request), isLast))
      const chances = isFirstTier ? chancesOf(usable) : new Map<Channel, number>()
      if (usable.length > 0) isFirstTier = false
      // A tier may have a thousand channels.
      const [isServing, isUsable] = [new Set(serving), new Set(usable)]
      return channels.map((channel): Candidate => {
        const known = { channel, chance: chances.get(channel) ?? 0 }
        if (isUsable.has(channel)) return { ...known, leftOut: null, restMs: 0 }
        if (!isServing.has(channel)) return { ...known, leftOut: 'not_offered', restMs: 0 }
        const { why, restMs } = health.unavailability(channel, subjectAt(channel, request))
        return { ...known, leftOut: why, restMs }
      })
    })
  }

  const tools: Tools = { choose, report, health, vendorOf, budget, settings }
  return {
    explain(request) {
      const healthy = candidatesOf(request, false)
      // As the last resort, channels that may be broken are tried.
      return healthy.some(({ leftOut }) => leftOut === null) ? healthy : candidatesOf(request, true)
    },
    begin(request) {
      const first = choose(request, [])
      if (first === null) throw unavailableError(request, { health, vendorOf })
      budget.countRequest(request.params.model)
      return new ChannelFailover(request, first, tools)
    },
  }
}

/** Dependencies shared by all failovers. */
interface Tools extends Pick<RoutingDeps, 'health' | 'vendorOf' | 'settings'> {
  readonly choose: (request: RoutingRequest, tried: readonly Channel[]) => Chosen | null
  readonly report: (trying: Trying, failure: AttemptFailure, request: () => RequestHash) => void
  readonly budget: RetryBudget
}

interface Chosen {
  readonly channel: Channel
  readonly subject: Subject
  /** No other channel could be chosen. */
  readonly isLast: boolean
}

/** The channel being tried. */
interface Trying {
  readonly channel: Channel
  readonly attempt: InFlightAttempt
}

class ChannelFailover implements Failover {
  readonly #request: RoutingRequest
  readonly #tools: Tools
  readonly #tried: Channel[] = []
  /** Chosen before the reservation. Checked again before use, because the health may have changed. */
  #foreseen: Chosen | null
  #trying: Trying | null = null
  #last: AttemptFailure | null = null
  #isAmbiguous = false
  /** Tried channels to which nothing was sent. */
  #unsent = 0

  constructor(request: RoutingRequest, first: Chosen, tools: Tools) {
    this.#request = request
    this.#foreseen = first
    this.#tools = tools
  }

  next(): Channel | null {
    if (this.#request.isOver()) return null
    const chosen = this.#nextChosen()
    if (chosen === null) return null
    const { channel, subject, isLast } = chosen
    this.#tried.push(channel)
    this.#trying = { channel, attempt: this.#tools.health.begin(channel, subject, isLast) }
    return channel
  }

  served(): void {
    this.#trying?.attempt.served()
  }

  failed(failure: AttemptFailure, request: () => RequestHash): boolean {
    // A channel that could serve the request says more than one that cannot.
    if (failure.by !== 'form' || this.#last === null) this.#last = failure
    if (failure.by === 'form') this.#unsent += 1
    if (!this.#request.isOver()) this.#report(failure, request)
    this.#trying?.attempt.end()
    return this.#mayGoOn(failure)
  }

  over({ reason, failure }: Pick<ResponseEnd, 'reason' | 'failure'>): void {
    const channel = this.#trying?.channel
    if (channel !== undefined && (reason === 'upstream_cut' || reason === 'timed_out'))
      this.#report(brokenBy(failure, channel), likeNoOther)
    this.#trying?.attempt.end()
  }

  end(): void {
    this.#trying?.attempt.end()
  }

  error(): AppError {
    return this.#last === null ? unavailableError(this.#request, this.#tools) : errorOf(this.#last)
  }

  #report(failure: AttemptFailure, request: () => RequestHash): void {
    if (this.#trying !== null) this.#tools.report(this.#trying, failure, request)
  }

  #nextChosen(): Chosen | null {
    const { health, choose } = this.#tools
    const first = this.#foreseen
    this.#foreseen = null
    if (first !== null && health.admits(first.channel, first.subject, false)) return first
    return choose(this.#request, this.#tried)
  }

  #mayGoOn(failure: AttemptFailure): boolean {
    const { retry, isLoad } = ruleOf(failure)
    const attempts = this.#tried.length - this.#unsent
    if (this.#request.isOver() || retry === 'no' || attempts > this.#tools.settings().RetryTimes) return false
    if (retry === 'ambiguous') {
      if (this.#isAmbiguous || !this.#request.rules.isRepeatable) return false
      this.#isAmbiguous = true
    }
    return !isLoad || this.#tools.budget.take(this.#request.params.model)
  }
}

function subjectAt(
  channel: Channel,
  { params: { model }, rules: { kind }, tokenId }: Pick<RoutingRequest, 'params' | 'rules' | 'tokenId'>,
): Subject {
  return { kind, model: modelAt(channel, model), tokenId }
}

function isOnly({ tiers }: RoutingRequest): boolean {
  return tiers.length === 1 && tiers[0]?.channels.length === 1
}

/** For a broken stream: its body is not kept, so it is not compared with others. */
const likeNoOther = (): RequestHash => null

/** The failure of a broken stream. Secrets are removed, because a vendor may repeat the key that it refuses. */
function brokenBy(failure: Failure | undefined, channel: Channel): AttemptFailure {
  if (failure === undefined) return { by: 'transport', code: 'upstream_reset', cause: null }
  return { by: 'vendor', failure: channelFailure(failure, channel), status: 200, retryAfterSeconds: null, spent: spentOn(failure) }
}

/** Longest Retry-After: as the last resort, a channel is probed about once a second, however long it is paused. */
const downSecondsMax = 5

/** The error for a request that no channel of its model can serve. */
function unservedError(request: Omit<RoutingRequest, 'isOver'>, vendorOf: RoutingDeps['vendorOf']): AppError {
  const {
    params,
    rules: { kind },
    groups,
  } = request
  const unpriced = unpricedAt(request, vendorOf)
  if (unpriced !== null) return notPriced(unpriced)
  const { model, webSearch, nativeOnly = webSearch, fields = [] } = params
  if (nativeOnly !== undefined) return notOffered(nativeOnly)
  if (fields[0] !== undefined) return notOffered({ name: fields[0] })
  return isTaskKind(kind) ? makesNone(model) : new AppError('no_channel', { params: { model, group: groups.join() } })
}

/** What kept the request from the first channel that could serve it otherwise; `null`: none could. */
function unpricedAt(request: Omit<RoutingRequest, 'isOver'>, vendorOf: RoutingDeps['vendorOf']): UnpricedPlace | null {
  for (const { channels } of request.tiers) {
    const channel = channels.find((one) => lackedParameter(vendorOf(one), one, request) === null)
    if (channel !== undefined) return unsendable(channel, request.params.use)
  }
  return null
}

/** The client's error if no channel can be used: the reason that holds for all of them, and the shortest wait. */
function unavailableError(request: RoutingRequest, { health, vendorOf }: Pick<RoutingDeps, 'health' | 'vendorOf'>): AppError {
  const {
    tiers,
    params: { model },
  } = request
  const seen = new Set<UnavailableReason>()
  let restMs = Number.POSITIVE_INFINITY
  for (const { channels } of tiers) {
    for (const channel of channels) {
      if (unservedParameter(vendorOf(channel), channel, request) !== null) continue
      const reason = health.unavailability(channel, subjectAt(channel, request))
      seen.add(reason.why)
      restMs = Math.min(restMs, reason.restMs)
    }
  }
  if (seen.size === 0) return unservedError(request, vendorOf)
  const retryAfterSeconds = Math.max(1, Math.ceil(restMs / 1000))
  if (seen.size === 1 && seen.has('cooled')) return new AppError('upstream_rate_limited', { retryAfterSeconds })
  const params = { model }
  return seen.has('full')
    ? new AppError('channels_busy', { params, retryAfterSeconds: 1 })
    : new AppError('channels_down', { params, retryAfterSeconds: Math.min(downSecondsMax, retryAfterSeconds) })
}
