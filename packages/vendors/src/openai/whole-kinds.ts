import { isCount, readCount } from '../count.ts'
import type { Passthrough, Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { nonsense, noUsage } from '../no-usage.ts'
import { errorIn } from './failure.ts'
import { passing } from './passing.ts'

/**
 * Looks at an answer that is never a stream. It is one when it has the list that all of its kind have.
 * @param usageOf the vendor's count; `null`: it gave none
 */
function whole(list: string, usageOf: (reply: JsonObject) => Usage | null): Passthrough {
  return {
    reply(json) {
      if (!isObject(json)) return null
      const failure = errorIn(json)
      if (failure !== null) return failure
      return Array.isArray(json[list]) ? { usage: usageOf(json), text: '' } : null
    },
    event: () => ({ usage: null, text: '', finished: false, usageOnly: false, failure: null }),
  }
}

/** A count of input alone, under the names that vendors give it. */
function inputUsage(usage: Json | undefined): Usage | null {
  if (!isObject(usage)) return null
  const tokens = readCount(usage['prompt_tokens']) ?? readCount(usage['input_tokens']) ?? readCount(usage['total_tokens'])
  if (tokens === null) return null
  return isCount(tokens) ? { ...noUsage, promptTokens: tokens } : nonsense
}

/** OpenAI API reference, "Embeddings", read 2026-11-21. */
export const embeddings = passing(
  '/v1/embeddings',
  whole('data', ({ usage }) => inputUsage(usage)),
)

/** OpenAI API reference, "Moderations", read 2026-11-21: it tells no usage. */
export const moderations = passing(
  '/v1/moderations',
  whole('results', () => null),
)

/**
 * Cohere, "Rerank API (v2)", a stored copy read 2026-11-21: `results`, and under `meta` what is billed. That tokens stand there too, under
 * `meta.tokens`, and that Jina counts them under `usage` in an answer of the same form, is from pages of resellers, not the vendors' own.
 */
export const rerank = passing(
  '/v1/rerank',
  whole('results', ({ usage, meta }) => inputUsage(usage) ?? inputUsage(isObject(meta) ? meta['tokens'] : undefined)),
)
