import type { Usage } from '@sluice/vendors/core/usage'
import type { AttemptFailure } from '../relay/model/attempt-failure.ts'
import type { Channel } from '../relay/model/channel.ts'
import type { Ended, RequestSpan } from '../relay/model/telemetry.ts'
import type { EndReason } from '../relay/model/upstream-response.ts'
import { createHistogram, type Histogram, observe } from './histogram.ts'

/** How a request ended: the reason in its log row, or refused before the reservation. */
export type Outcome = EndReason | 'refused' | 'answered'

/** All outcomes; the last one is that of free calls such as lists of models. */
const outcomeTable: Readonly<Record<Outcome, true>> = {
  complete: true,
  client_gone: true,
  upstream_cut: true,
  out_of_quota: true,
  timed_out: true,
  shut_down: true,
  failed: true,
  too_long: true,
  refused: true,
  answered: true,
}
export const outcomes: readonly string[] = Object.keys(outcomeTable)
const outcomeSlots: ReadonlyMap<string, number> = new Map(outcomes.map((name, slot) => [name, slot]))

/** Classes of HTTP statuses. */
export const statusClasses = ['2xx', '4xx', '5xx'] as const

interface Counted {
  readonly name: string
  readonly count: (usage: Usage) => number
}

/** Tokens by class. */
export const tokenClasses: readonly Counted[] = [
  { name: 'prompt', count: (usage) => usage.promptTokens },
  { name: 'completion', count: (usage) => usage.completionTokens },
  { name: 'cached', count: (usage) => usage.cachedTokens },
  { name: 'cache_write', count: (usage) => usage.cacheWriteTokens + usage.cacheWrite1hTokens },
  { name: 'reasoning', count: (usage) => usage.reasoningTokens },
  { name: 'audio_input', count: (usage) => usage.audioInputTokens },
  { name: 'image_input', count: (usage) => usage.imageInputTokens },
  { name: 'audio_output', count: (usage) => usage.audioOutputTokens },
  { name: 'image_output', count: (usage) => usage.imageOutputTokens },
]

/** Charged units other than tokens. */
export const units: readonly Counted[] = [
  { name: 'images', count: (usage) => usage.images },
  { name: 'characters', count: (usage) => usage.characters },
  { name: 'audio_seconds', count: (usage) => usage.audioMs / 1000 },
  { name: 'searches', count: (usage) => usage.searches },
  { name: 'file_searches', count: (usage) => usage.fileSearches },
  { name: 'containers', count: (usage) => usage.containers },
]

/** Seconds: from a cached embedding to a response after ten minutes of reasoning. */
const durationBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640] as const
const firstTokenBounds = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 40, 80] as const

/** Combinations of kind, model and channel. Further ones count as `other`, so that the page stays bounded. */
const cellsMax = 2_000
/** Most models that have histograms of their own, and most channels. */
const modelsMax = 200
const channelsMax = 1_000

const other = 'other'

/** Counts of one kind, model and channel. */
export interface Cell {
  readonly kind: string
  readonly model: string
  readonly channel: string
  /** By outcome and class of status. */
  readonly ends: Float64Array
  /** By class of token. */
  readonly tokens: Float64Array
  readonly units: Float64Array
  quota: number
}

/** Durations of the responses of one kind and model, in seconds. */
export interface ModelTimes {
  readonly kind: string
  readonly model: string
  readonly duration: Histogram
  readonly firstToken: Histogram
}

export interface ChannelFigures {
  readonly id: string
  /** Its name at the last use. */
  name: string
  vendor: string
  readonly duration: Histogram
  served: number
  /** By failure kind or transport error code. */
  readonly failures: Map<string, number>
  /** Responses with implausible usage. */
  suspect: number
}

/** All counters of relay requests. One object per app; a request costs a few additions. */
export interface RelayFigures {
  readonly cells: readonly Cell[]
  readonly models: readonly ModelTimes[]
  readonly channels: readonly ChannelFigures[]
  /** Responses that were errors, by code. */
  readonly errors: ReadonlyMap<string, number>
  readonly inFlight: number
  readonly streams: number
  readonly retries: number
  /** Requests whose media or text were measured, by kind. */
  readonly measurements: ReadonlyMap<string, number>
  began(): void
  measuring(kind: string): void
  tried(span: RequestSpan, failed: AttemptFailure | null, nowMs: number): void
  streaming(): void
  /** The request is finished. */
  closed(span: RequestSpan, nowMs: number): void
}

export function createRelayFigures(): RelayFigures {
  const cells = createTable(cellsMax, newCell)
  const models = createTable(modelsMax, newModelTimes)
  const channels = new Map<number, ChannelFigures>()
  let otherChannel: ChannelFigures | null = null
  const errors = new Map<string, number>()
  const measurements = new Map<string, number>()
  let inFlight = 0
  let streams = 0
  let retries = 0

  function channelOf(channel: Channel): ChannelFigures {
    const known = channels.get(channel.id)
    if (known !== undefined) return known
    if (channels.size >= channelsMax) {
      otherChannel ??= newChannel(other)
      return otherChannel
    }
    const entry = newChannel(String(channel.id))
    channels.set(channel.id, entry)
    return entry
  }

  return {
    get cells() {
      return cells.all
    },
    get models() {
      return models.all
    },
    get channels() {
      return otherChannel === null ? [...channels.values()] : [...channels.values(), otherChannel]
    },
    errors,
    get inFlight() {
      return inFlight
    },
    get streams() {
      return streams
    },
    get retries() {
      return retries
    },
    measurements,
    began() {
      inFlight += 1
    },
    measuring(kind) {
      addOne(measurements, kind)
    },
    tried({ channel, attempts, attemptStartedMs }, failed, nowMs) {
      if (channel === null) return
      const figures = channelOf(channel)
      figures.name = channel.name
      figures.vendor = channel.vendor.name
      if (attempts > 1) retries += 1
      observe(figures.duration, (nowMs - attemptStartedMs) / 1000)
      if (failed === null) figures.served += 1
      else addOne(figures.failures, failureName(failed))
    },
    streaming() {
      streams += 1
    },
    closed(span, nowMs) {
      inFlight -= 1
      if (span.isStreaming) streams -= 1
      if (span.code !== null) addOne(errors, span.code)
      const { kind, model } = span.target ?? unknown
      const cell = cells.at(kind, model, span.channel === null ? 0 : span.channel.id)
      add(cell.ends, (outcomeSlots.get(outcomeOf(span)) ?? 0) * statusClasses.length + classSlot(span.status), 1)
      if (span.ended === null) return
      addEnd(cell, span.ended)
      if (span.channel !== null && span.ended.usage?.isSuspect === true) channelOf(span.channel).suspect += 1
      if (span.status < 400) observeTimes(models.at(kind, model, 0), span, nowMs)
    },
  }
}

/** For requests that were refused before routing. */
const unknown = { kind: other, model: other }

function outcomeOf({ ended, code }: RequestSpan): Outcome {
  if (ended !== null) return ended.reason
  return code === null ? 'answered' : 'refused'
}

function addEnd(cell: Cell, { usage, quota }: Ended): void {
  cell.quota += quota
  if (usage === null) return
  addUsage(cell.tokens, tokenClasses, usage)
  addUsage(cell.units, units, usage)
}

function observeTimes({ duration, firstToken }: ModelTimes, { startedMs, firstByteMs, isStreaming }: RequestSpan, nowMs: number): void {
  observe(duration, (nowMs - startedMs) / 1000)
  if (isStreaming) observe(firstToken, (firstByteMs - startedMs) / 1000)
}

/** The cause of a failed attempt, from a closed list of words. */
export function failureName(failed: AttemptFailure): string {
  return failed.by === 'vendor' ? failed.failure.kind : failed.code
}

interface Table<Row> {
  readonly all: readonly Row[]
  at(kind: string, model: string, channel: number): Row
}

/** Rows by three keys without a joined key string. When the table is full, new combinations share one row per kind. */
function createTable<Row>(rowsMax: number, create: (kind: string, model: string, channel: string) => Row): Table<Row> {
  const rows = new Map<number, Map<string, Map<string, Row>>>()
  const all: Row[] = []

  function insert(kind: string, model: string, channel: number): Row {
    const isFull = all.length >= rowsMax && (model !== other || channel !== -1)
    if (isFull) return at(kind, other, -1)
    const entry = create(kind, model, channelLabel(channel))
    all.push(entry)
    const ofChannel = rows.get(channel) ?? new Map<string, Map<string, Row>>()
    rows.set(channel, ofChannel)
    const ofModel = ofChannel.get(model) ?? new Map<string, Row>()
    ofChannel.set(model, ofModel)
    ofModel.set(kind, entry)
    return entry
  }

  function at(kind: string, model: string, channel: number): Row {
    return rows.get(channel)?.get(model)?.get(kind) ?? insert(kind, model, channel)
  }

  return { all, at }
}

/** 0: no channel was tried; -1: beyond the limit of channels. */
function channelLabel(channel: number): string {
  if (channel === 0) return 'none'
  return channel === -1 ? other : String(channel)
}

function newCell(kind: string, model: string, channel: string): Cell {
  const ends = new Float64Array(outcomes.length * statusClasses.length)
  const tokens = new Float64Array(tokenClasses.length)
  return { kind, model, channel, ends, tokens, units: new Float64Array(units.length), quota: 0 }
}

function newModelTimes(kind: string, model: string): ModelTimes {
  return { kind, model, duration: createHistogram(durationBounds), firstToken: createHistogram(firstTokenBounds) }
}

function newChannel(id: string): ChannelFigures {
  return { id, name: '', vendor: '', duration: createHistogram(durationBounds), served: 0, failures: new Map(), suspect: 0 }
}

function classSlot(status: number): number {
  if (status < 400) return 0
  return status < 500 ? 1 : 2
}

function addUsage(sums: Float64Array, counted: readonly Counted[], usage: Usage): void {
  for (let slot = 0; slot < counted.length; slot += 1) add(sums, slot, counted[slot]?.count(usage) ?? 0)
}

function add(counts: Float64Array, slot: number, count: number): void {
  counts[slot] = (counts[slot] ?? 0) + count
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
