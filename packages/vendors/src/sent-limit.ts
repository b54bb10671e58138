import { objectsIn } from './chat-parts.ts'
import { isObject } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/** Where the vendors' forms of requests have the limit of output tokens, as the dialects write it. */
export const limitPlaces: ReadonlyArray<readonly string[]> = [
  ['max_tokens'],
  ['max_completion_tokens'],
  ['max_output_tokens'],
  // Gemini and Vertex AI, whose servers take both spellings.
  ['generationConfig', 'maxOutputTokens'],
  ['generationConfig', 'max_output_tokens'],
  ['generation_config', 'maxOutputTokens'],
  ['generation_config', 'max_output_tokens'],
  // Bedrock, Ollama, and iFlytek's sockets.
  ['inferenceConfig', 'maxTokens'],
  ['options', 'num_predict'],
  ['parameter', 'chat', 'max_tokens'],
]

/**
 * The largest limit of the output of one answer in a request as its vendor gets it, also of the models that may answer in place of its own
 * (Anthropic's `fallbacks`); `null` = it has none.
 */
export function sentLimitIn(body: JsonObject): number | null {
  const limits = [
    ...limitPlaces.map((path) => path.reduce<Json | undefined>((value, name) => (isObject(value) ? value[name] : undefined), body)),
    ...objectsIn(body['fallbacks']).map(({ max_tokens: limit }) => limit),
  ]
  return limits.reduce<number | null>((most, limit) => (typeof limit === 'number' && limit > 0 ? Math.max(limit, most ?? 0) : most), null)
}
