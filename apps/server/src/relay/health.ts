import type { Clock } from '../lib/clock.ts'
import type { Channel } from './channels.ts'
import { admits, admitsAsLast, type Circuit, cool, enter, leave, newCircuit, type Outcome, restMs } from './circuit.ts'

/** What of a channel a failure speaks of: all of it, or the one model that was asked. */
export type Scope = 'channel' | 'model'

/** Why a channel is not used now. */
export type Hindrance = 'cooled' | 'full' | 'down'

/** How the channels do, as this process has seen it. It is forgotten at a restart, and nothing of it is decided for good. */
export interface Health {
  /** Whether one more request for the upstream model may go there; as the last resort also where it is in doubt. */
  admits(channel: Channel, model: string, isLast: boolean): boolean
  enter(channel: Channel, model: string): Visit
  /** What the next request must expect to wait, roughly: for comparing. */
  load(channel: Channel): number
  hindranceOf(channel: Channel, model: string): { readonly why: Hindrance; readonly restMs: number }
  /** Forgets channels that are no more, are off, or are others than they were: another key or address is a new start. */
  keep(channels: ReadonlyMap<number, Channel>): void
  /** The same, of one. */
  forget(channelId: number): void
  /** What is not well now, and how much each channel has to do. */
  report(): readonly ChannelReport[]
}

/** One request at a channel. */
export interface Visit {
  /** The answer has begun. */
  answered(): void
  /** It brought no answer, or an answer that broke. `null`: that says nothing of the channel. */
  failed(scope: Scope | null): void
  /** The vendor wants to be left alone. */
  cool(scope: Scope, forMs: number): void
  /** Nothing of it runs any more. May be said twice. */
  end(): void
}

export interface ChannelReport {
  readonly channelId: number
  readonly inFlight: number
  /** Milliseconds until an answer begins, lately; 0 = not seen yet. */
  readonly latencyMs: number
  readonly circuits: readonly CircuitReport[]
}

export interface CircuitReport {
  /** Empty: the whole channel. */
  readonly model: string
  readonly state: Circuit['state'] | 'cooling'
  /** Milliseconds until it is tried again; 0 = it is. */
  readonly restMs: number
}

interface Entry extends Pick<Channel, 'keySealed' | 'baseUrl'> {
  whole: Circuit
  readonly models: Map<string, Circuit>
  inFlight: number
  latencyMs: number
  latencyAtMs: number
}

/** After so long half of what was seen of the latency is forgotten. */
const latencyHalfLifeMs = 10_000
/** What a channel that nobody has asked yet is taken for: quick, so that it is asked. */
const unknownLatencyMs = 1

export function createHealth(clock: Clock): Health {
  const entries = new Map<number, Entry>()

  function entryOf({ id, keySealed, baseUrl }: Channel): Entry {
    const known = entries.get(id)
    if (known !== undefined) return known
    const made: Entry = { keySealed, baseUrl, whole: newCircuit, models: new Map(), inFlight: 0, latencyMs: 0, latencyAtMs: 0 }
    entries.set(id, made)
    return made
  }

  return {
    admits(channel, model, isLast) {
      const entry = entries.get(channel.id)
      if (entry === undefined) return true
      const now = clock.monotonicMs()
      const may = isLast ? admitsAsLast : admits
      return !isFull(channel, entry) && may(entry.whole, now) && may(entry.models.get(model) ?? newCircuit, now)
    },
    enter: (channel, model) => new OpenVisit(entryOf(channel), model, clock),
    load(channel) {
      const entry = entries.get(channel.id)
      return entry === undefined ? unknownLatencyMs : (entry.inFlight + 1) * latencyNow(entry, clock.monotonicMs())
    },
    hindranceOf(channel, model) {
      const entry = entryOf(channel)
      const now = clock.monotonicMs()
      const circuits = [entry.whole, entry.models.get(model) ?? newCircuit]
      const rest = Math.max(...circuits.map((circuit) => restMs(circuit, now)))
      if (circuits.some(({ coolUntilMs }) => coolUntilMs > now)) return { why: 'cooled', restMs: rest }
      return { why: isFull(channel, entry) ? 'full' : 'down', restMs: rest }
    },
    keep(channels) {
      for (const [id, { keySealed, baseUrl }] of entries) {
        const channel = channels.get(id)
        if (!channel?.isEnabled || channel.keySealed !== keySealed || channel.baseUrl !== baseUrl) entries.delete(id)
      }
    },
    forget: (channelId) => void entries.delete(channelId),
    report: () => [...entries].map(([channelId, entry]) => reportOf(channelId, entry, clock.monotonicMs())),
  }
}

function isFull({ settings: { inFlightMax } }: Channel, { inFlight }: Entry): boolean {
  return inFlightMax !== null && inFlight >= inFlightMax
}

/** Believed less the longer ago it was seen, so that one bad answer does not keep a channel out for ever. */
function latencyNow({ latencyMs, latencyAtMs }: Entry, nowMs: number): number {
  return Math.max(unknownLatencyMs, latencyMs * 0.5 ** ((nowMs - latencyAtMs) / latencyHalfLifeMs))
}

class OpenVisit implements Visit {
  readonly #entry: Entry
  readonly #model: string
  readonly #clock: Clock
  readonly #startedMs: number
  #probesChannel: boolean
  #probesModel: boolean
  #isOver = false

  constructor(entry: Entry, model: string, clock: Clock) {
    this.#entry = entry
    this.#model = model
    this.#clock = clock
    this.#startedMs = clock.monotonicMs()
    const ofModel = enter(entry.models.get(model) ?? newCircuit, this.#startedMs)
    entry.whole = enter(entry.whole, this.#startedMs)
    entry.models.set(model, ofModel)
    entry.inFlight += 1
    this.#probesChannel = isHalfOpen(entry.whole)
    this.#probesModel = isHalfOpen(ofModel)
  }

  answered(): void {
    const entry = this.#entry
    const now = this.#clock.monotonicMs()
    entry.latencyMs = averaged(entry, now - this.#startedMs, now)
    entry.latencyAtMs = now
    this.#tell('good', 'good')
  }

  failed(scope: Scope | null): void {
    this.#tell(scope === 'channel' ? 'bad' : 'unknown', scope === 'model' ? 'bad' : 'unknown')
  }

  cool(scope: Scope, forMs: number): void {
    const entry = this.#entry
    const untilMs = this.#clock.monotonicMs() + forMs
    if (scope === 'channel') entry.whole = cool(entry.whole, untilMs)
    else entry.models.set(this.#model, cool(this.#ofModel(), untilMs))
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#entry.inFlight -= 1
    if (this.#probesChannel || this.#probesModel) this.failed(null)
  }

  #ofModel(): Circuit {
    return this.#entry.models.get(this.#model) ?? newCircuit
  }

  #tell(ofChannel: Outcome, ofModel: Outcome): void {
    const entry = this.#entry
    const now = this.#clock.monotonicMs()
    entry.whole = leave(entry.whole, { outcome: ofChannel, isProbe: this.#probesChannel }, now)
    entry.models.set(this.#model, leave(this.#ofModel(), { outcome: ofModel, isProbe: this.#probesModel }, now))
    this.#probesChannel = false
    this.#probesModel = false
  }
}

function isHalfOpen({ state }: Circuit): boolean {
  return state === 'half_open'
}

function averaged({ latencyMs, latencyAtMs }: Entry, seenMs: number, nowMs: number): number {
  if (latencyMs === 0) return seenMs
  const kept = 0.5 ** ((nowMs - latencyAtMs) / latencyHalfLifeMs)
  // Of answers that come close together each one still counts a little.
  const share = Math.min(0.9, kept)
  return latencyMs * share + seenMs * (1 - share)
}

function reportOf(channelId: number, { whole, models, inFlight, latencyMs }: Entry, nowMs: number): ChannelReport {
  const circuits = [['', whole] as const, ...models].flatMap(([model, circuit]): CircuitReport[] => {
    const isCooling = circuit.coolUntilMs > nowMs
    if (circuit.state === 'closed' && !isCooling) return []
    return [{ model, state: isCooling ? 'cooling' : circuit.state, restMs: restMs(circuit, nowMs) }]
  })
  return { channelId, inFlight, latencyMs: Math.round(latencyMs), circuits }
}
