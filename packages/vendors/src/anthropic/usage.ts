import { isCount, readCount, readCountIn } from '../count.ts'
import type { Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** The vendor's counts while a stream runs; `null` = not told so far, `NaN` = told, but no count. */
export interface Counts {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly cacheWrite1h: number | null
  readonly thinking: number | null
}

export const noCounts: Counts = { input: null, output: null, cacheRead: null, cacheWrite: null, cacheWrite1h: null, thinking: null }

/**
 * What is known after a `usage` object. Its counts are totals, so they overwrite (Messages API, "Streaming", read 2026-11-21).
 * Where it lists iterations, the request is billed for all of them, and the totals leave some out ("Compaction", "Understanding usage").
 */
export function withUsage(known: Counts, usage: Json | undefined): Counts {
  if (!isObject(usage)) return known
  const { iterations } = usage
  const parts = Array.isArray(iterations) ? iterations.filter(isObject).map(countsIn) : []
  const told = parts.length === 0 ? countsIn(usage) : { ...parts.reduce((a, b) => merge(a, b, sum)), thinking: countsIn(usage).thinking }
  return merge(known, told, (before, now) => now ?? before)
}

function countsIn(usage: JsonObject): Counts {
  const fiveMinutes = readCountIn(usage, 'cache_creation', 'ephemeral_5m_input_tokens')
  const hour = readCountIn(usage, 'cache_creation', 'ephemeral_1h_input_tokens')
  const written = readCount(usage['cache_creation_input_tokens'])
  return {
    input: readCount(usage['input_tokens']),
    output: readCount(usage['output_tokens']),
    cacheRead: readCount(usage['cache_read_input_tokens']),
    // The total covers both; five minutes are what an entry lives by default.
    cacheWrite: written === null ? fiveMinutes : written - (hour ?? 0),
    cacheWrite1h: hour,
    thinking: readCountIn(usage, 'output_tokens_details', 'thinking_tokens'),
  }
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
    cacheWrite1h: combine(a.cacheWrite1h, b.cacheWrite1h),
    thinking: combine(a.thinking, b.thinking),
  }
}

/** In our counts the prompt holds what was cached; in the vendor's it does not. `null`: counts are missing or are none. */
export function toUsage({ input, output, cacheRead, cacheWrite, cacheWrite1h, thinking }: Counts): Usage | null {
  if (input === null || output === null) return null
  const cached = { cachedTokens: cacheRead ?? 0, cacheWriteTokens: cacheWrite ?? 0, cacheWrite1hTokens: cacheWrite1h ?? 0 }
  const usage: Usage = {
    promptTokens: input + cached.cachedTokens + cached.cacheWriteTokens + cached.cacheWrite1hTokens,
    completionTokens: output,
    ...cached,
    reasoningTokens: Math.min(thinking ?? 0, output),
  }
  return Object.values(usage).every(isCount) ? usage : null
}
