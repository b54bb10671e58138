import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from './chat-parts.ts'

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
 * The largest limit of the output of one response in a request as its vendor gets it, also of the models that may respond in place of its own
 * (Anthropic's `fallbacks`); `null` = it has none.
 */
export function upstreamLimitIn(body: JsonObject): number | null {
  let most = 0
  for (const path of limitPlaces) {
    let value: Json | undefined = body
    for (const name of path) value = isObject(value) ? value[name] : undefined
    most = larger(value, most)
  }
  const { fallbacks } = body
  if (fallbacks !== undefined) for (const { max_tokens: limit } of objectsIn(fallbacks)) most = larger(limit, most)
  return most === 0 ? null : most
}

const larger = (limit: Json | undefined, most: number): number => (typeof limit === 'number' && limit > most ? limit : most)
