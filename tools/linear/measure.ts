import { threadMs } from './thread-time.ts'

/** A call with hostile input of a size. */
export interface Case {
  readonly name: string
  /** Where in the input it is hostile; missing: the whole input is. */
  readonly place?: string | undefined
  /**
   * The call, with its input made: only the call is measured.
   * @param bytes size of the input
   * @param watch notes what is read of the input
   */
  prepare(bytes: number, watch?: Watch): Prepared
  /** How many times as long as `JSON.parse` it may take; missing: `factorMax`. */
  readonly factorMax?: number | undefined
}

export type Watch = (input: unknown) => unknown

export interface Prepared {
  readonly input: unknown
  call(): unknown
}

/** What is wrong with a case. */
export interface Finding {
  readonly name: string
  readonly bytes: number
  readonly ms: number
  /** How many times as long it takes for twice the size. */
  readonly growth: number
  /** How many times as long as `JSON.parse` of as many bytes. */
  readonly factor: number
}

/** Most growth for a doubling: a linear function has 2, a quadratic one 4. */
const growthMax = 2.5
/** Most time beside `JSON.parse` of the same number of bytes. */
const factorMax = 20
/** Work that is about as fast as parsing its input may grow like parsing does: 2.8 for objects with many members. */
const parsingMax = 5
/** Shorter times are noise. */
const floorMs = 1
/** Least time of a quarter of the size, so that a clock's steps are no growth. */
const quarterFloorMs = floorMs / 25
/** Time from which on one run is enough: the noise is small beside it. */
const longMs = 200
const runs = 5
/** Time from which on one run of `JSON.parse` is enough: its time varies less. */
const parseLongMs = 10
/** A case fails only if it does so every time. */
const attempts = 3

export function placeWithin(argument: string, { place }: { readonly place?: string | undefined }): string | undefined {
  return place === undefined ? undefined : `${argument}: ${place}`
}

export const watched = (input: unknown, watch: Watch | undefined): unknown => (watch === undefined ? input : watch(input))

/** Sizes at which a case is tried, until it takes longer than the noise. */
const sizes = (bytesMax: number): readonly number[] => [2, 32, 128].map((kib) => kib * 1024).filter((bytes) => bytes <= bytesMax)

/** @returns `null`: the case is linear, or too fast to measure at every size */
export async function judge(test: Case, bytesMax: number): Promise<Finding | null> {
  for (const bytes of sizes(bytesMax)) {
    const once = await timeOf(test, bytes)
    // Even if it is quadratic, it takes less than the floor at the largest size.
    if (once < floorMs * (bytes / bytesMax) ** 2) return null
    if (once < floorMs) continue
    const finding = once < longMs ? await judgeShort(test, once, { bytes, bytesMax }) : await confirm(test, bytes, limitOf(test))
    if (finding !== null) return finding
  }
  return null
}

const limitOf = ({ factorMax: own }: Case): number => own ?? factorMax

interface Sizes {
  readonly bytes: number
  readonly bytesMax: number
}

/** Compares twice a size with it, if one run shows more than noise. */
async function judgeShort(test: Case, once: number, { bytes, bytesMax }: Sizes): Promise<Finding | null> {
  // A part of the time is the same for every length, so it is compared with `JSON.parse` at the largest size only.
  const limit = bytes === bytesMax ? limitOf(test) : Number.POSITIVE_INFINITY
  const twice = await timeOf(test, bytes * 2)
  // Most calls take little longer than parsing, or clearly grow as their input: few runs show it.
  if (twice <= usualParseMs(bytes * 2) * Math.min(parsingMax, limit)) return null
  const half = Math.min(once, await timeOf(test, bytes))
  if (half < floorMs) return null
  const isSteep = twice > half * growthMax
  if (!isSteep && (twice <= usualParseMs(bytes * 2) * limit || twice <= ownParseMs(test, bytes * 2) * limit)) return null
  return await confirm(test, bytes * 2, limit)
}

/** Time of `JSON.parse` for the input itself, and for the long texts in it. */
function ownParseMs(test: Case, bytes: number): number {
  return Math.max(usualParseMs(bytes), ...textsOf(test.prepare(bytes).input).map(parseMs))
}

/** Compares a size with its quarter, several times if it takes too long: caches of the processor make a single doubling look like 2.6. */
async function confirm(test: Case, bytes: number, limit: number): Promise<Finding | null> {
  let worst: Finding | null = null
  const parse = ownParseMs(test, bytes)
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const quarter = await leastTime(test, bytes / 4)
    const ms = await leastTime(test, bytes)
    const finding = { name: test.name, bytes, ms, growth: Math.sqrt(ms / Math.max(quarter, quarterFloorMs)), factor: ms / parse }
    const isSteep = finding.growth > growthMax && finding.factor > parsingMax
    if (!isSteep && finding.factor <= limit) return null
    if (worst === null || finding.growth < worst.growth) worst = finding
  }
  return worst
}

/** The least of several runs, each with new input: the engine remembers results for the same text. */
async function leastTime(test: Case, bytes: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    least = Math.min(least, await timeOf(test, bytes))
    if (least > longMs) break
  }
  return least
}

/** Processor time of this thread in milliseconds. What the call throws is a result like others. */
async function timeOf(test: Case, bytes: number): Promise<number> {
  const prepared = test.prepare(bytes)
  const before = threadMs()
  try {
    const result = prepared.call()
    if (result instanceof Promise) await result
  } catch {
    // Hostile input is refused by an error: the time until then counts.
  }
  return threadMs() - before
}

const parseTimes = new Map<number, number>()

/** Time of `JSON.parse` for so many bytes of a usual chat. */
function usualParseMs(bytes: number): number {
  const ms = parseTimes.get(bytes) ?? parseMs(usualJson(bytes))
  parseTimes.set(bytes, ms)
  return ms
}

/** Time of `JSON.parse` for a text, which may be no JSON. */
function parseMs(text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const before = threadMs()
    try {
      JSON.parse(text)
    } catch {
      // The time until then counts.
    }
    least = Math.min(least, threadMs() - before)
    if (least > parseLongMs) break
  }
  return least
}

/** The input as JSON, and the long texts in it, which may be JSON: parsing a million empty objects takes longer than parsing a chat of as many bytes. */
function textsOf(input: unknown): readonly string[] {
  const texts: string[] = []
  const whole = JSON.stringify(input, (_, value: unknown) => {
    if (typeof value === 'string' && value.length >= longTextMin && texts.length < longTextsMax) texts.push(value)
    return value
  })
  return [whole ?? '', ...texts]
}

const longTextMin = 1024
const longTextsMax = 3

function usualJson(bytes: number): string {
  const message = {
    role: 'user',
    content: [{ type: 'text', text: 'Where is this, and is it raining there?', cache_control: null }],
    index: 7,
  }
  const length = JSON.stringify(message).length + 1
  return JSON.stringify({ model: 'm', messages: Array.from({ length: Math.ceil(bytes / length) }, () => message) })
}
