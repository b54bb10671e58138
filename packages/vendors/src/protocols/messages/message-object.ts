import { lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { believed, noUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'

const reasons: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

interface MessageEnding {
  /** Some vendors end a response with calls like any other. */
  readonly callsTools: boolean
  /** OpenAI ends a refusal in words like any other response. */
  readonly refuses: boolean
  /** The vendor says that one of the stop sequences ended it. */
  readonly isStopped: boolean
}

export function stopReason(finish: Json | undefined, { callsTools, refuses, isStopped }: MessageEnding): string {
  const reason = lookUp(reasons, textOr(finish, '')) ?? 'end_turn'
  if (reason !== 'end_turn') return reason
  if (callsTools) return 'tool_use'
  return refuses ? 'refusal' : isStopped ? 'stop_sequence' : reason
}

/** Anthropic counts what it read from and wrote to its cache beside the input; ours includes both. */
export function messageUsage(usage: Usage | null): JsonObject {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, cacheWrite1hTokens, searches } = believed(usage) ?? noUsage
  const written = cacheWriteTokens + cacheWrite1hTokens
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: cacheWrite1hTokens },
    output_tokens: completionTokens,
    server_tool_use: searches === 0 ? null : { web_search_requests: searches },
    service_tier: 'standard',
  }
}

interface Parts {
  readonly content: readonly JsonObject[]
  readonly usage: Usage | null
}

/** Anthropic API, "Messages", the message object before its end, read 2026-11-23. */
export function messageObject({ id, model }: ResponseContext, { content, usage }: Parts): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: messageUsage(usage),
  }
}
