import type { Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** The vendor's counts while a stream runs: each event overwrites what it names, because they are totals. */
export interface Counts {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cacheWrite1h: number
  readonly thinking: number
}

export const noCounts: Counts = { input: null, output: null, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, thinking: 0 }

/** Adds what a `usage` object names to what is known (Messages API, "Usage", read 2026-11-21). */
export function withUsage(known: Counts, usage: Json | undefined): Counts {
  if (!isObject(usage)) return known
  const written = count(usage['cache_creation_input_tokens'])
  const hour = count(part(usage, 'cache_creation', 'ephemeral_1h_input_tokens'))
  const cacheWrite1h = hour ?? known.cacheWrite1h
  return {
    input: count(usage['input_tokens']) ?? known.input,
    output: count(usage['output_tokens']) ?? known.output,
    cacheRead: count(usage['cache_read_input_tokens']) ?? known.cacheRead,
    cacheWrite: written === null ? known.cacheWrite : Math.max(0, written - cacheWrite1h),
    cacheWrite1h,
    thinking: count(part(usage, 'output_tokens_details', 'thinking_tokens')) ?? known.thinking,
  }
}

/** In our counts the prompt holds what was cached; in the vendor's it does not. */
export function toUsage({ input, output, cacheRead, cacheWrite, cacheWrite1h, thinking }: Counts): Usage | null {
  if (input === null || output === null) return null
  return {
    promptTokens: input + cacheRead + cacheWrite + cacheWrite1h,
    completionTokens: output,
    cachedTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    cacheWrite1hTokens: cacheWrite1h,
    reasoningTokens: Math.min(thinking, output),
  }
}

function part(usage: JsonObject, group: string, name: string): Json | undefined {
  const details = usage[group]
  return isObject(details) ? details[name] : undefined
}

function count(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
