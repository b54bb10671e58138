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
  const promptTokens = count(value['prompt_tokens'])
  const completionTokens = count(value['completion_tokens'])
  if (promptTokens === null || completionTokens === null) return null
  const cached =
    count(part(value, 'prompt_tokens_details', 'cached_tokens') ?? value['prompt_cache_hit_tokens'] ?? value['cached_tokens']) ?? 0
  const reasoning = count(part(value, 'completion_tokens_details', 'reasoning_tokens')) ?? 0
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

function part(value: JsonObject, group: string, name: string): Json | undefined {
  const details = value[group]
  return isObject(details) ? details[name] : undefined
}

function count(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
