import type { JsonObject } from './json.ts'
import type { Usage } from './usage.ts'

/** Usage in the OpenAI form (API reference, "Usage", read 2026-11-21). */
export function usageObject(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}
