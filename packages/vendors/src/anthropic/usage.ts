import { isCount, readCount, readCountIn } from '../count.ts'
import type { Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { nonsense, noUsage } from '../no-usage.ts'

/** The vendor's counts while a stream runs; `null` = not received yet, `NaN` = received, but invalid. */
export interface Counts {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  /** All cache writes; the split by lifetime is sent at the start of a stream only. */
  readonly cacheWrite: number | null
  readonly cacheWrite5m: number | null
  readonly cacheWrite1h: number | null
  readonly thinking: number | null
  readonly searches: number | null
  /** 1 = answered in fast mode. */
  readonly fast: number | null
  /** 1 = kept within a region ("Data residency", a stored copy read 2026-11-23; `global` and `not_available` are no region). */
  readonly regional: number | null
}

export const noCounts: Counts = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWrite5m: null,
  cacheWrite1h: null,
  thinking: null,
  searches: null,
  fast: null,
  regional: null,
}

/**
 * The counts after another `usage` object. They are totals, so they overwrite (Messages API, "Streaming", read 2026-11-21). If it lists
 * iterations, the vendor bills all of them, and the totals leave some out ("Compaction", "Understanding usage").
 */
export function withUsage(known: Counts, usage: Json | undefined): Counts {
  if (!isObject(usage)) return known
  const { iterations } = usage
  const parts = Array.isArray(iterations) ? iterations.filter(isObject).map(countsIn) : []
  const totals = merge(known, countsIn(usage), later)
  const [first, ...rest] = parts
  if (first === undefined) return merge(known, totals, grown)
  const whole = merge(
    totals,
    rest.reduce((a, b) => merge(a, b, sum), first),
    later,
  )
  return merge(
    known,
    { ...whole, thinking: totals.thinking, searches: totals.searches, fast: totals.fast, regional: totals.regional },
    grown,
  )
}

function countsIn(usage: JsonObject): Counts {
  return {
    input: readCount(usage['input_tokens']),
    output: readCount(usage['output_tokens']),
    cacheRead: readCount(usage['cache_read_input_tokens']),
    cacheWrite: readCount(usage['cache_creation_input_tokens']),
    cacheWrite5m: readCountIn(usage, 'cache_creation', 'ephemeral_5m_input_tokens'),
    cacheWrite1h: readCountIn(usage, 'cache_creation', 'ephemeral_1h_input_tokens'),
    thinking: readCountIn(usage, 'output_tokens_details', 'thinking_tokens'),
    searches: readCountIn(usage, 'server_tool_use', 'web_search_requests'),
    fast: usage['speed'] === 'fast' ? 1 : null,
    regional: usage['inference_geo'] === 'us' ? 1 : null,
  }
}

function later(before: number | null, now: number | null): number | null {
  return now ?? before
}

/** A total that decreases is invalid. */
function grown(before: number | null, now: number | null): number | null {
  return before === null || now === null || now >= before ? now : Number.NaN
}

function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0)
}

function merge(a: Counts, b: Counts, combine: (a: number | null, b: number | null) => number | null): Counts {
  return {
    input: combine(a.input, b.input),
    output: combine(a.output, b.output),
    cacheRead: combine(a.cacheRead, b.cacheRead),
    cacheWrite: combine(a.cacheWrite, b.cacheWrite),
    cacheWrite5m: combine(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: combine(a.cacheWrite1h, b.cacheWrite1h),
    thinking: combine(a.thinking, b.thinking),
    searches: combine(a.searches, b.searches),
    fast: combine(a.fast, b.fast),
    regional: combine(a.regional, b.regional),
  }
}

/** The usage of an answer with this reason of its end, and with this text. */
export function withRefusal(usage: Usage | null, stopReason: Json | undefined, text: string): Usage | null {
  return usage !== null && stopReason === 'refusal' && text === '' ? { ...usage, isRefused: true } : usage
}

/** Our prompt count includes cached tokens; the vendor's does not. `null` = counts are missing. */
export function toUsage(counts: Counts): Usage | null {
  const { input, output } = counts
  if (input === null || output === null) return null
  const cachedTokens = counts.cacheRead ?? 0
  const cacheWrite1hTokens = counts.cacheWrite1h ?? 0
  // Cache entries live five minutes by default.
  const cacheWriteTokens = counts.cacheWrite === null ? (counts.cacheWrite5m ?? 0) : counts.cacheWrite - cacheWrite1hTokens
  const usage = {
    promptTokens: input + cachedTokens + cacheWriteTokens + cacheWrite1hTokens,
    completionTokens: output,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens,
    reasoningTokens: Math.min(counts.thinking ?? 0, output),
    searches: counts.searches ?? 0,
  }
  if (!Object.values(usage).every(isCount)) return nonsense
  const isRegional = counts.regional !== null
  // An answer has one kind of cache, and only marks of the request write to one.
  const isCacheExplicit = cacheWriteTokens + cacheWrite1hTokens > 0
  return { ...noUsage, ...usage, serviceTier: counts.fast === null ? 'standard' : 'fast', isRegional, isCacheExplicit }
}
