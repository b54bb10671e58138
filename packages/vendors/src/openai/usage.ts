import { isCount, readCount, readCountIn } from '../count.ts'
import type { Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { ownObject } from './own-object.ts'

/**
 * Reads a usage object. Vendors of this protocol agree on the two totals and differ on where cached input stands
 * (OpenAI API reference, "Usage", and the pages of compatible vendors, read 2026-11-21).
 * Numbers that cannot be counts make the whole worthless, and so do zeros, because nothing is answered for nothing: `null`, and the
 * gateway counts for itself.
 */
function readUsage(value: Json | undefined): Usage | null {
  if (!isObject(value)) return null
  const promptTokens = readCount(value['prompt_tokens'])
  const completionTokens = readCount(value['completion_tokens'])
  const cached =
    readCountIn(value, 'prompt_tokens_details', 'cached_tokens') ??
    readCount(value['prompt_cache_hit_tokens']) ??
    readCount(value['cached_tokens']) ??
    0
  const written = readCountIn(value, 'prompt_tokens_details', 'cache_write_tokens') ?? 0
  const reasoning = readCountIn(value, 'completion_tokens_details', 'reasoning_tokens') ?? 0
  if (!isCount(promptTokens) || !isCount(completionTokens) || ![cached, written, reasoning].every(isCount)) return null
  if (promptTokens + completionTokens === 0) return null
  const cachedTokens = Math.min(cached, promptTokens)
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(written, promptTokens - cachedTokens),
    cacheWrite1hTokens: 0,
    reasoningTokens: Math.min(reasoning, completionTokens),
  }
}

/** The usage of a reply or chunk: at the top, inside a vendor's own `x_...` object, or inside the choice. */
export function usageIn(body: JsonObject): Usage | null {
  const { usage, choices } = body
  if (usage !== undefined && usage !== null) return readUsage(usage)
  const own = ownObject(body, 'usage')
  if (own !== null) return readUsage(own['usage'])
  const [choice] = Array.isArray(choices) ? choices : []
  return isObject(choice) ? readUsage(choice['usage']) : null
}
