import { threadMs } from './thread-time.ts'

/** A call with hostile input of a size. */
export interface Case {
  readonly name: string
  /** The call, with its input made: only the call is measured. @param bytes size of the input */
  prepare(bytes: number): Prepared
  /** How many times as long as `JSON.parse` it may take; missing: `factorMax`. */
  readonly factorMax?: number | undefined
}

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
/** Time from which on one run is enough: the noise is small beside it. */
const longMs = 200
const runs = 5
/** A case fails only if it does so every time. */
const attempts = 3

/** Sizes at which a case is tried, until it takes longer than the noise. */
const sizes = (bytesMax: number): readonly number[] => [2, 32, 128].map((kib) => kib * 1024).filter((bytes) => bytes <= bytesMax)

/** @returns `null`: the case is linear, or too fast to tell at every size */
export async function judge(test: Case, bytesMax: number): Promise<Finding | null> {
  const tried = sizes(bytesMax)
  for (const bytes of tried) {
    const once = await timeOf(test, bytes)
    if (once < floorMs) continue
    if (once < longMs && (await leastTime(test, bytes)) < floorMs) continue
    // A part of the time is the same for every length, so it is compared with `JSON.parse` at the largest size only.
    const limit = bytes === tried.at(-1) || once >= longMs ? (test.factorMax ?? factorMax) : Number.POSITIVE_INFINITY
    const finding = await confirm(test, once < longMs ? bytes * 2 : bytes, limit)
    if (finding !== null) return finding
  }
  return null
}

/** Compares a size with its half, several times if it takes too long. */
async function confirm(test: Case, bytes: number, limit: number): Promise<Finding | null> {
  let worst: Finding | null = null
  const parse = Math.max(usualParseMs(bytes), ...textsOf(test.prepare(bytes).input).map(parseMs))
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const half = await leastTime(test, bytes / 2)
    const ms = await leastTime(test, bytes)
    const finding = { name: test.name, bytes, ms, growth: ms / Math.max(half, floorMs / 10), factor: ms / parse }
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
