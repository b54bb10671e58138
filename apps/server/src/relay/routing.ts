import type { Settings } from '@sluice/contract'
import type { Failure } from '@sluice/vendors/dialect'
import { dialectOf } from '@sluice/vendors/dialects'
import type { Vendor } from '@sluice/vendors/vendor'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { AnswerEnd } from './answer.ts'
import type { Wanted } from './call.ts'
import { pick } from './candidates.ts'
import type { Channel, Channels, Tier } from './channels.ts'
import type { Health, Hindrance, Visit } from './health.ts'
import type { KindRules } from './kinds/kind-rules.ts'
import type { Lacking } from './lacking.ts'
import { type AttemptFailure, coolMsOf, errorOf, ruleOf } from './retry.ts'
import { createRetryBudget, type RetryBudget } from './retry-budget.ts'
import { failureWithoutSecrets } from './without-secrets.ts'

/** What is asked of the channels. */
interface Asked {
  /** Highest priority first; at least one. */
  readonly tiers: readonly Tier[]
  readonly wanted: Pick<Wanted, 'model' | 'nativeOnly'>
  readonly rules: Pick<KindRules, 'kind' | 'isRepeatable'>
  /** For the words of an error. */
  readonly groups: readonly string[]
  /** Nobody waits for an answer any more: nothing else is tried, and what breaks off now is our own doing. */
  readonly isOver: () => boolean
}

/** One request's way through the channels: each at most once, best tier first. */
export interface Turn {
  /** The next channel to try. `null`: no further one is tried. */
  next(): Channel | null
  /** The channel that was tried last has begun its answer. */
  answered(): void
  /** It brought none. `false`: no further one may be tried. */
  failed(failure: AttemptFailure): boolean
  /** The stream that it had begun is over. */
  over(end: Pick<AnswerEnd, 'reason' | 'failure'>): void
  /** Nothing runs at a channel any more. May be said twice. */
  end(): void
  /** Why there was no answer. */
  error(): AppError
}

export interface Routing {
  /** @throws AppError where no channel may be used now */
  begin(asked: Asked): Turn
}

interface RoutingDeps {
  readonly health: Health
  readonly lacking: Pick<Lacking, 'vendorOf'>
  readonly clock: Clock
  readonly random: () => number
  readonly settings: () => Settings
  /** Hears of every failed attempt. */
  readonly failed: Channels['failed']
}

export function createRouting({ health, lacking, clock, random, settings, failed: tellFailed }: RoutingDeps): Routing {
  const budget = createRetryBudget(clock)

  /** Of the best tier that has one; where none has, one that is in doubt. */
  function choose(asked: Asked, tried: readonly Channel[]): Channel | null {
    const {
      tiers,
      wanted: { model },
    } = asked
    const load = settings().ChannelChoice === 'least_loaded' ? health.load : null
    for (const isLast of [false, true]) {
      const isUsable = (channel: Channel): boolean =>
        !tried.includes(channel) &&
        serves(lacking.vendorOf(channel), asked) &&
        health.admits(channel, upstreamModel(channel, model), isLast)
      for (const tier of tiers) {
        const chosen = pick(tier, { random, isUsable, load })
        if (chosen !== null) return chosen
      }
    }
    return null
  }

  function tell(visit: Visit, channel: Channel, failure: AttemptFailure): void {
    const { counts, cools } = ruleOf(failure)
    const coolMs = coolMsOf(failure)
    visit.failed(counts)
    if (cools !== null && coolMs > 0) visit.cool(cools, coolMs)
    tellFailed(channel, failure)
  }

  const tools: Tools = { choose, tell, health, lacking, budget, settings }
  return {
    begin(asked) {
      const first = choose(asked, [])
      if (first === null) throw hindered(asked, { health, lacking })
      budget.asked(asked.wanted.model)
      return new ChannelTurn(asked, first, tools)
    },
  }
}

/** What every turn needs. */
interface Tools extends Pick<RoutingDeps, 'health' | 'lacking' | 'settings'> {
  readonly choose: (asked: Asked, tried: readonly Channel[]) => Channel | null
  readonly tell: (visit: Visit, channel: Channel, failure: AttemptFailure) => void
  readonly budget: RetryBudget
}

class ChannelTurn implements Turn {
  readonly #asked: Asked
  readonly #tools: Tools
  readonly #tried: Channel[] = []
  /** Chosen before anything is reserved; what happened meanwhile may have made it another. */
  #foreseen: Channel | null
  #channel: Channel | null = null
  #visit: Visit | null = null
  #last: AttemptFailure | null = null
  #isAmbiguous = false

  constructor(asked: Asked, first: Channel, tools: Tools) {
    this.#asked = asked
    this.#foreseen = first
    this.#tools = tools
  }

  next(): Channel | null {
    if (this.#asked.isOver()) return null
    const channel = this.#nextChannel()
    if (channel === null) return null
    this.#tried.push(channel)
    this.#channel = channel
    this.#visit = this.#tools.health.enter(channel, upstreamModel(channel, this.#asked.wanted.model))
    return channel
  }

  answered(): void {
    this.#visit?.answered()
  }

  failed(failure: AttemptFailure): boolean {
    this.#last = failure
    if (!this.#asked.isOver()) this.#tell(failure)
    this.#visit?.end()
    return this.#mayGoOn(failure)
  }

  over({ reason, failure }: Pick<AnswerEnd, 'reason' | 'failure'>): void {
    if (this.#channel !== null && (reason === 'upstream_cut' || reason === 'timed_out')) this.#tell(brokenBy(failure, this.#channel))
    this.#visit?.end()
  }

  end(): void {
    this.#visit?.end()
  }

  error(): AppError {
    return this.#last === null ? hindered(this.#asked, this.#tools) : errorOf(this.#last)
  }

  #tell(failure: AttemptFailure): void {
    if (this.#visit !== null && this.#channel !== null) this.#tools.tell(this.#visit, this.#channel, failure)
  }

  #nextChannel(): Channel | null {
    const { health, choose } = this.#tools
    const first = this.#foreseen
    this.#foreseen = null
    if (first !== null && health.admits(first, upstreamModel(first, this.#asked.wanted.model), false)) return first
    return choose(this.#asked, this.#tried)
  }

  #mayGoOn(failure: AttemptFailure): boolean {
    const { retry, isLoad } = ruleOf(failure)
    if (this.#asked.isOver() || retry === 'no' || this.#tried.length > this.#tools.settings().RetryTimes) return false
    if (retry === 'ambiguous') {
      if (this.#isAmbiguous || !this.#asked.rules.isRepeatable) return false
      this.#isAmbiguous = true
    }
    return !isLoad || this.#tools.budget.take(this.#asked.wanted.model)
  }
}

/** Whether a vendor has what is asked for: the kind, or where that is enough, another that stands in for it. */
function serves(vendor: Vendor, { wanted, rules }: Asked): boolean {
  const dialect = dialectOf(vendor, rules.kind)
  return dialect !== null && (wanted.nativeOnly === undefined || dialect.standIn === undefined)
}

function upstreamModel({ mapping }: Channel, model: string): string {
  return mapping.get(model) ?? model
}

/** What a stream that broke says of its channel. A vendor may repeat the key that it refuses. */
function brokenBy(failure: Failure | undefined, channel: Channel): AttemptFailure {
  if (failure === undefined) return { by: 'transport', code: 'upstream_reset', cause: null }
  return { by: 'vendor', failure: failureWithoutSecrets(failure, channel), status: 200, retryAfterSeconds: null }
}

/** However long channels are left alone, one of them is probed about every second where nothing else is left. */
const downSecondsMax = 5

/** What the client is told where no channel may be used: what stands in the way of all, and the shortest wait. */
function hindered(asked: Asked, { health, lacking }: Pick<RoutingDeps, 'health' | 'lacking'>): AppError {
  const {
    tiers,
    wanted: { model, nativeOnly },
    groups,
  } = asked
  const seen = new Set<Hindrance>()
  let restMs = Number.POSITIVE_INFINITY
  for (const { channels } of tiers) {
    for (const channel of channels) {
      if (!serves(lacking.vendorOf(channel), asked)) continue
      const hindrance = health.hindranceOf(channel, upstreamModel(channel, model))
      seen.add(hindrance.why)
      restMs = Math.min(restMs, hindrance.restMs)
    }
  }
  if (seen.size === 0 && nativeOnly !== undefined) return new AppError('parameter_not_offered', { params: { name: nativeOnly } })
  if (seen.size === 0) return new AppError('no_channel', { params: { model, group: groups.join() } })
  const retryAfterSeconds = Math.max(1, Math.ceil(restMs / 1000))
  if (seen.size === 1 && seen.has('cooled')) return new AppError('upstream_rate_limited', { retryAfterSeconds })
  const params = { model }
  return seen.has('full')
    ? new AppError('channels_busy', { params, retryAfterSeconds: 1 })
    : new AppError('channels_down', { params, retryAfterSeconds: Math.min(downSecondsMax, retryAfterSeconds) })
}
