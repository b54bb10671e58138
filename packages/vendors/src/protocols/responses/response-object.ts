import type { Json, JsonObject } from '../../core/json.ts'
import { believed } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'

/** The fields of a request that its response repeats, with their defaults. */
const echoed: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** Set beside the repeated fields: the vendor wants reasoning back that it did not sign. It is no part of a response. */
export const returnsReasoning = ' returns thoughts'

/** Set beside the repeated fields: the tools that the client has found before. It is no part of a response. */
export const discoveredToolsKey = ' found before'

/** The fields of a request that its response repeats. */
export function echoOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(echoed).map(([name, otherwise]) => [name, body[name] ?? otherwise]))
}

export interface ResponseParts {
  readonly status: 'in_progress' | 'completed' | 'incomplete'
  readonly output: readonly JsonObject[]
  readonly usage: Usage | null
  /** Why it is incomplete. */
  readonly reason?: string | null
}

/** A response (OpenAI API reference, "The response object", read 2026-11-21). */
export function responseObject({ id, created, model, echo = echoed }: ResponseContext, parts: ResponseParts): JsonObject {
  const { status, output, reason = null } = parts
  const { [returnsReasoning]: _reasoning, [discoveredToolsKey]: _found, ...repeated } = echo
  const usage = believed(parts.usage)
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    background: false,
    error: null,
    incomplete_details: reason === null ? null : { reason },
    model,
    output,
    ...repeated,
    usage: usage === null ? null : responseUsage(usage),
  }
}

function responseUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage): JsonObject {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}

/** Reasons of a chat's end that leave a response incomplete. */
const incomplete: Readonly<Record<string, string>> = { length: 'max_output_tokens', content_filter: 'content_filter' }

/** The status of a response, by the finish reason of its chat. */
export function endingOf(finishReason: Json | undefined): Pick<ResponseParts, 'status' | 'reason'> {
  const reason = typeof finishReason === 'string' && Object.hasOwn(incomplete, finishReason) ? (incomplete[finishReason] ?? null) : null
  return reason === null ? { status: 'completed', reason } : { status: 'incomplete', reason }
}
