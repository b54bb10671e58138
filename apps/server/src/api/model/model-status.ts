import { type DataOf, type ModelRow, type ModelStatusRow, type model, percentileOf, statusSlots } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { createKept } from '../../lib/kept.ts'
import { listDisabledModels, listFirstBytes, listServed, listServedCounts, listTests, type Served } from './status-queries.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

/** How long a response is given again, so that visitors cannot make the database work. */
const freshMs = 60_000

type ModelStatus = DataOf<typeof model.status>

interface Counts {
  readonly served: number
  readonly unserved: number
}

/** Counts by the beginning of their slot. */
type Slots = Map<number, Counts>

/** How fast models responded in the last 24 hours; `null` = there was no response. */
interface Speeds {
  /** The median of the time to the first byte, in milliseconds. */
  readonly firstByte: (model: string) => number | null
  /** With one decimal. */
  readonly tokensPerSecond: (model: string) => number | null
  /** When they are read again. */
  readonly untilMs: number
}

/** What is known of all models, whoever may see them. */
interface StatusSnapshot {
  readonly hour: number
  readonly day: number
  readonly hours: ReadonlyMap<string, Slots>
  readonly days: ReadonlyMap<string, Slots>
  readonly speeds: Speeds
  readonly disabled: Awaited<ReturnType<typeof listDisabledModels>>
}

/** Read once a minute, however many ask. */
export function createSpeeds(reads: Db, clock: Clock): () => Promise<Speeds> {
  return createKept(clock, async () => {
    const { hour } = slotsOf(nowSeconds(clock))
    const span = { from: hour - (statusSlots.hours - 1) * hourSeconds, to: hour + hourSeconds }
    const served = new Map((await listServedCounts(reads, span)).map(({ name, ...counts }) => [name, counts]))
    const bands = await listFirstBytes(reads, span, [...served.keys()])
    const untilMs = clock.nowMs() + freshMs
    const value: Speeds = {
      firstByte: (model) => percentileOf(bands.get(model) ?? [], 0.5)?.ms ?? null,
      tokensPerSecond(model) {
        const { completionTokens = 0, elapsedMs = 0 } = served.get(model) ?? {}
        return completionTokens === 0 || elapsedMs === 0 ? null : Math.round((completionTokens / elapsedMs) * 10_000) / 10
      },
      untilMs,
    }
    return { value, untilMs }
  })
}

/**
 * How well models work, from the sums of usage. The days before yesterday are read once a day, and the rest once a minute: requests that began
 * yesterday may still end.
 */
export function createModelStatus(reads: Db, clock: Clock, speeds: ReturnType<typeof createSpeeds>) {
  const old = createKept(clock, async () => {
    const { day } = slotsOf(nowSeconds(clock))
    const span = { from: day - (statusSlots.days - 1) * daySeconds, to: day - daySeconds }
    return { value: await listServed(reads, span, daySeconds), untilMs: (day + daySeconds) * 1000 }
  })

  const known = createKept<StatusSnapshot>(clock, async () => {
    const { hour, day } = slotsOf(nowSeconds(clock))
    const recent = await listServed(reads, { from: day - daySeconds, to: hour + hourSeconds }, hourSeconds)
    const tests = await listTests(reads, day - (statusSlots.days - 1) * daySeconds)
    const value = {
      ...{ hour, day },
      hours: withTests(byModel(recent, hourSeconds), tests, hourSeconds),
      days: withTests(byModel([...(await old()).filter(({ time }) => time < day - daySeconds), ...recent], daySeconds), tests, daySeconds),
      speeds: await speeds(),
      disabled: await listDisabledModels(reads),
    }
    return { value, untilMs: Math.min(clock.nowMs() + freshMs, value.speeds.untilMs) }
  })

  /** @param listed the models that are offered to these groups now */
  return async (groups: string, listed: readonly Pick<ModelRow, 'name' | 'state'>[]): Promise<ModelStatus> => {
    const all = await known()
    const { hour, day } = all
    const offered = new Set(listed.map(({ name }) => name))
    const lost = modelsOf(all.disabled, groups).filter((name) => !offered.has(name))
    const models = [...listed, ...lost.map((name) => ({ name, state: 'down' as const }))].map((one) => rowOf(all, one))
    return { hour, day, models: models.sort((one, other) => (one.name < other.name ? -1 : 1)) }
  }
}

function slotsOf(seconds: number): Pick<StatusSnapshot, 'hour' | 'day'> {
  return { hour: seconds - (seconds % hourSeconds), day: seconds - (seconds % daySeconds) }
}

type Tests = Awaited<ReturnType<typeof listTests>>

/** What the tests of channels say of slots without a request: the model could be served if one of its channels passed. */
function withTests(models: Map<string, Slots>, tests: Tests, slotSeconds: number): ReadonlyMap<string, Slots> {
  const tested = Map.groupBy(tests, ({ name, time }) => JSON.stringify([name, time - (time % slotSeconds)]))
  for (const group of tested.values()) {
    const [first] = group
    if (first === undefined) continue
    const slots: Slots = models.get(first.name) ?? new Map()
    const slot = first.time - (first.time % slotSeconds)
    const { served, unserved } = slots.get(slot) ?? nothing
    const hasPassed = group.some(({ passed }) => passed)
    if (served + unserved === 0) slots.set(slot, { served: hasPassed ? 1 : 0, unserved: hasPassed ? 0 : 1 })
    models.set(first.name, slots)
  }
  return models
}

function byModel(rows: readonly Served[], slotSeconds: number): Map<string, Slots> {
  const models = new Map<string, Slots>()
  for (const { name, time, served, unserved } of rows) {
    const slots: Slots = models.get(name) ?? new Map()
    const slot = time - (time % slotSeconds)
    slots.set(slot, sumOf([slots.get(slot) ?? nothing, { served, unserved }]))
    models.set(name, slots)
  }
  return models
}

const nothing: Counts = { served: 0, unserved: 0 }

function sumOf(all: Iterable<Counts>): Counts {
  let [served, unserved] = [0, 0]
  for (const counts of all) {
    served += counts.served
    unserved += counts.unserved
  }
  return { served, unserved }
}

function rowOf(known: StatusSnapshot, { name, state }: Pick<ModelRow, 'name' | 'state'>): ModelStatusRow {
  const hours = countsOf(known.hours.get(name), { last: known.hour, count: statusSlots.hours, seconds: hourSeconds })
  const days = countsOf(known.days.get(name), { last: known.day, count: statusSlots.days, seconds: daySeconds })
  return {
    ...{ name, state },
    hours: hours.map(shareOf),
    days: days.map(shareOf),
    totals: { hours: shareOf(sumOf(hours)), days: shareOf(sumOf(days)) },
    first_byte: known.speeds.firstByte(name),
  }
}

interface SlotRange {
  readonly last: number
  readonly count: number
  readonly seconds: number
}

/** Oldest first. */
function countsOf(slots: Slots | undefined, { last, count, seconds }: SlotRange): readonly Counts[] {
  return Array.from({ length: count }, (_, index) => slots?.get(last - (count - 1 - index) * seconds) ?? nothing)
}

/** A failure among many is not rounded away. */
function shareOf({ served, unserved }: Counts): number | null {
  return served + unserved === 0 ? null : Math.floor((served / (served + unserved)) * 10_000)
}

function modelsOf(channels: StatusSnapshot['disabled'], groups: string): readonly string[] {
  const seen = new Set(namesIn(groups))
  const models = channels
    .filter((channel) => namesIn(channel.groups).some((group) => seen.has(group)))
    .flatMap(({ models }) => namesIn(models))
  return [...new Set(models)]
}

const namesIn = (list: string): readonly string[] => list.split(',').filter((name) => name !== '')
