import type { Clock } from '../../lib/clock.ts'
import type { Channel } from '../model/channel.ts'
import { admits, admitsAsLast, begin, type Circuit, finish, isCooling, newCircuit, type Outcome, restMs } from './circuit.ts'
import {
  circuitsOf,
  ModelAttempt,
  type ModelHealth,
  modelAdmits,
  modelAdmitsAsLast,
  newModelHealth,
  type RequestHash,
} from './model-health.ts'

/**
 * What a failed attempt is blamed on.
 * channel: no request gets through to it, or it refuses the key, whatever is requested.
 * model: the request failed. The request may be at fault as well as the server; `model-health.ts` decides.
 * refusal: it responded that it does not do this for this model; others are preferred, but it is not broken.
 */
export type Blame = 'channel' | 'model' | 'refusal'

/** Why a channel is not used now. */
export type UnavailableReason = 'cooled' | 'full' | 'down'

/** The token, kind and model that a channel is chosen for. */
export interface Subject {
  readonly kind: string
  /** The upstream model name. */
  readonly model: string
  readonly tokenId: number
}

/** The health of the channels as this process has observed it. A restart forgets it. */
export interface Health {
  /** Whether the channel may get one more request; as the last resort also if it may be broken. */
  admits(channel: Channel, subject: Subject, isLast: boolean): boolean
  /** @param isLast no other channel could be chosen */
  begin(channel: Channel, subject: Subject, isLast: boolean): InFlightAttempt
  /** Approximate wait of the next request, for comparing channels. */
  load(channel: Channel): number
  unavailability(channel: Channel, subject: Subject): { readonly why: UnavailableReason; readonly restMs: number }
  /** Forgets channels that are deleted, disabled, or have another key or address. */
  keep(channels: ReadonlyMap<number, Channel>): void
  /** Whether anything is known of a channel; without, it admits every request. */
  knows(channelId: number): boolean
  /** Forgets one channel. */
  forget(channelId: number): void
  /** The channels and models that are not healthy, and the running requests of each channel. */
  report(): readonly ChannelReport[]
}

/** One request at a channel. */
export interface InFlightAttempt {
  /** The response has begun. */
  served(): void
  /** There was no response, or it broke off. */
  failed(failure: AttemptOutcome): void
  /** The vendor requested a cooldown of this length; `isTimed`: it named the time itself. */
  cool(forMs: number, isTimed: boolean): void
  /** The request no longer runs there. May be called twice. */
  end(): void
}

export interface AttemptOutcome {
  /** `null`: the channel is not to blame. */
  readonly blames: Blame | null
  /** The vendor was reached. */
  readonly hasReached: boolean
  readonly request: RequestHash
}

export interface ChannelReport {
  readonly channelId: number
  readonly inFlight: number
  /** Recent milliseconds until a response begins; 0: not measured yet. */
  readonly latencyMs: number
  readonly circuits: readonly CircuitReport[]
}

export interface CircuitReport {
  /** Kind of call and model; both empty: the whole channel. */
  readonly kind: string
  readonly model: string
  /** The number of tokens that avoid it because only they had failures; 0: all tokens do. */
  readonly tokens: number
  readonly state: Circuit['state'] | 'cooling'
  /** Milliseconds until it is tried again; 0: it is tried. */
  readonly restMs: number
}

interface Entry extends Pick<Channel, 'keySealed' | 'baseUrl'> {
  whole: Circuit
  /** By kind, then by model. */
  readonly kinds: Map<string, Map<string, ModelHealth>>
  inFlight: number
  latencyMs: number
  latencyAtMs: number
}

/** Half-life of the measured latency. */
const latencyHalfLifeMs = 10_000
/** Assumed for a channel without measurements: fast, so that it gets requests. */
const unknownLatencyMs = 1

export function createHealth(clock: Clock): Health {
  const entries = new Map<number, Entry>()

  function entryOf({ id, keySealed, baseUrl }: Channel): Entry {
    const known = entries.get(id)
    if (known !== undefined) return known
    const created: Entry = { keySealed, baseUrl, whole: newCircuit, kinds: new Map(), inFlight: 0, latencyMs: 0, latencyAtMs: 0 }
    entries.set(id, created)
    return created
  }

  return {
    admits(channel, subject, isLast) {
      const entry = entries.get(channel.id)
      if (entry === undefined) return true
      const now = clock.monotonicMs()
      if (isFull(channel, entry) || !(isLast ? admitsAsLast : admits)(entry.whole, now)) return false
      const model = entry.kinds.get(subject.kind)?.get(subject.model)
      return model === undefined || (isLast ? modelAdmitsAsLast : modelAdmits)(model, subject.tokenId, now)
    },
    begin: (channel, subject, isLast) => new TrackedAttempt(entryOf(channel), { subject, isLast }, clock),
    load(channel) {
      const entry = entries.get(channel.id)
      return entry === undefined ? unknownLatencyMs : (entry.inFlight + 1) * latencyNow(entry, clock.monotonicMs())
    },
    unavailability(channel, subject) {
      const entry = entryOf(channel)
      const now = clock.monotonicMs()
      const circuits = [entry.whole, ...circuitsOf(modelIn(entry, subject), subject.tokenId)]
      const rest = Math.max(...circuits.map((circuit) => restMs(circuit, now)))
      if (circuits.some((circuit) => isCooling(circuit, now))) return { why: 'cooled', restMs: rest }
      return { why: isFull(channel, entry) ? 'full' : 'down', restMs: rest }
    },
    keep(channels) {
      for (const [id, { keySealed, baseUrl }] of entries) {
        const channel = channels.get(id)
        if (!channel?.isEnabled || channel.keySealed !== keySealed || channel.baseUrl !== baseUrl) entries.delete(id)
      }
    },
    knows: (channelId) => entries.has(channelId),
    forget: (channelId) => void entries.delete(channelId),
    report: () => [...entries].map(([channelId, entry]) => reportOf(channelId, entry, clock.monotonicMs())),
  }
}

function isFull({ settings: { inFlightMax } }: Channel, { inFlight }: Entry): boolean {
  return inFlightMax !== null && inFlight >= inFlightMax
}

/** Decays with time, so that one slow response does not keep a channel out for ever. */
function latencyNow({ latencyMs, latencyAtMs }: Entry, nowMs: number): number {
  return Math.max(unknownLatencyMs, latencyMs * 0.5 ** ((nowMs - latencyAtMs) / latencyHalfLifeMs))
}

function modelIn({ kinds }: Entry, { kind, model }: Subject): ModelHealth {
  let models = kinds.get(kind)
  if (models === undefined) {
    models = new Map()
    kinds.set(kind, models)
  }
  const known = models.get(model)
  if (known !== undefined) return known
  const created = newModelHealth()
  models.set(model, created)
  return created
}

class TrackedAttempt implements InFlightAttempt {
  readonly #entry: Entry
  readonly #model: ModelAttempt
  readonly #isLast: boolean
  readonly #clock: Clock
  readonly #startedMs: number
  #probesChannel: boolean
  #isOver = false

  constructor(entry: Entry, { subject, isLast }: { readonly subject: Subject; readonly isLast: boolean }, clock: Clock) {
    this.#entry = entry
    this.#isLast = isLast
    this.#clock = clock
    this.#startedMs = clock.monotonicMs()
    this.#model = new ModelAttempt(modelIn(entry, subject), { tokenId: subject.tokenId, isLast }, this.#startedMs)
    entry.whole = begin(entry.whole, this.#startedMs)
    entry.inFlight += 1
    this.#probesChannel = entry.whole.state === 'half_open'
  }

  served(): void {
    const entry = this.#entry
    const now = this.#clock.monotonicMs()
    entry.latencyMs = averaged(entry, now - this.#startedMs, now)
    entry.latencyAtMs = now
    this.#reportChannel('good', now)
    this.#model.served(now)
  }

  failed({ blames, hasReached, request }: AttemptOutcome): void {
    const now = this.#clock.monotonicMs()
    if (blames === 'channel') this.#reportChannel('bad', now)
    else this.#reportChannel(hasReached ? 'good' : 'unknown', now)
    this.#model.failed(blames === 'model' ? 'bad' : blames === 'refusal' ? 'refused' : 'unknown', request, now)
  }

  cool(forMs: number, isTimed: boolean): void {
    const now = this.#clock.monotonicMs()
    this.#model.cool(now + forMs, isTimed, now)
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const now = this.#clock.monotonicMs()
    this.#entry.inFlight -= 1
    if (this.#probesChannel) this.#reportChannel('unknown', now)
    this.#model.end(now)
  }

  #reportChannel(outcome: Outcome, now: number): void {
    const entry = this.#entry
    entry.whole = finish(entry.whole, { outcome, isProbe: this.#probesChannel, isLast: this.#isLast }, now)
    this.#probesChannel = false
  }
}

function averaged({ latencyMs, latencyAtMs }: Entry, seenMs: number, nowMs: number): number {
  if (latencyMs === 0) return seenMs
  const kept = 0.5 ** ((nowMs - latencyAtMs) / latencyHalfLifeMs)
  // Of responses that arrive close together, each still counts a little.
  const share = Math.min(0.9, kept)
  return latencyMs * share + seenMs * (1 - share)
}

function reportOf(channelId: number, { whole, kinds, inFlight, latencyMs }: Entry, nowMs: number): ChannelReport {
  const ofChannel = reportCircuit(whole, nowMs)
  const circuits: CircuitReport[] = ofChannel === null ? [] : [{ kind: '', model: '', tokens: 0, ...ofChannel }]
  for (const [kind, models] of kinds) {
    for (const [model, health] of models) circuits.push(...reportModel(health, { kind, model }, nowMs))
  }
  return { channelId, inFlight, latencyMs: Math.round(latencyMs), circuits }
}

/** The shared circuit; if it is healthy, the circuits of single tokens. */
function reportModel({ shared, tokens }: ModelHealth, name: Pick<CircuitReport, 'kind' | 'model'>, nowMs: number): CircuitReport[] {
  const ofAll = reportCircuit(shared, nowMs)
  if (ofAll !== null) return [{ ...name, tokens: 0, ...ofAll }]
  const ofTokens = [...tokens.values()].flatMap(({ own }) => reportCircuit(own, nowMs) ?? [])
  const worst = ofTokens.sort((one, other) => other.restMs - one.restMs)[0]
  return worst === undefined ? [] : [{ ...name, tokens: ofTokens.length, ...worst }]
}

/** `null`: it is healthy. */
function reportCircuit(circuit: Circuit, nowMs: number): Pick<CircuitReport, 'state' | 'restMs'> | null {
  const isCold = isCooling(circuit, nowMs)
  if (circuit.state === 'closed' && !isCold) return null
  return { state: isCold ? 'cooling' : circuit.state, restMs: restMs(circuit, nowMs) }
}
