import { isCount, readCount, readCountIn } from '../count.ts'
import type { Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/**
 * Reads a usage object. Vendors of this protocol agree on the two totals and differ on where cached input stands
 * (OpenAI API reference, "Usage", and the pages of compatible vendors, read 2026-11-21).
 * Numbers that cannot be counts make the whole worthless: `null`, and the gateway counts for itself.
 */
export function readUsage(value: Json | undefined): Usage | null {
  if (!isObject(value)) return null
  const promptTokens = readCount(value['prompt_tokens'])
  const completionTokens = readCount(value['completion_tokens'])
  const cached =
    readCountIn(value, 'prompt_tokens_details', 'cached_tokens') ??
    readCount(value['prompt_cache_hit_tokens']) ??
    readCount(value['cached_tokens']) ??
    0
  const reasoning = readCountIn(value, 'completion_tokens_details', 'reasoning_tokens') ?? 0
  if (!isCount(promptTokens) || !isCount(completionTokens) || !isCount(cached) || !isCount(reasoning)) return null
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(cached, promptTokens),
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: Math.min(reasoning, completionTokens),
  }
}

/** The usage of a reply or chunk: at the top, or inside a vendor's own `x_...` object. */
export function usageIn(body: JsonObject): Usage | null {
  const { usage } = body
  if (usage !== undefined && usage !== null) return readUsage(usage)
  for (const key in body) {
    if (!key.startsWith('x_')) continue
    const own = body[key]
    if (isObject(own) && isObject(own['usage'])) return readUsage(own['usage'])
  }
  return null
}
