import type { Dialect } from '../../core/dialect.ts'
import { isGiven, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import type { Passthrough } from '../../core/passthrough.ts'
import type { Outgoing } from '../../core/request.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount, readCountIn } from '../../core/usage-count.ts'
import { bytesAs } from '../embeddings/bytes-as.ts'
import { vectorFormIn } from '../embeddings/form.ts'
import { errorIn } from '../shared/openai-failure.ts'
import { rankedList, withScores } from './rerank-results.ts'
import { passing } from './stream-usage.ts'

/**
 * Reads responses of a kind without streams. They are valid if they have the list of their kind.
 * @param usageOf the vendor's count; `null` = it sent none
 */
function whole(list: string, usageOf: (response: JsonObject) => Usage | null): Passthrough {
  return {
    response(json) {
      if (!isObject(json)) return null
      const failure = errorIn(json)
      if (failure !== null) return failure
      return Array.isArray(json[list]) ? { usage: usageOf(json), text: '' } : null
    },
    event: () => ({ usage: null, text: '', finished: false, usageOnly: false, failure: null }),
  }
}

/** A count of input only, under the names that vendors use. */
function inputUsage(usage: Json | undefined): Usage | null {
  if (!isObject(usage)) return null
  const tokens = readCount(usage['prompt_tokens']) ?? readCount(usage['input_tokens']) ?? readCount(usage['total_tokens'])
  if (tokens === null) return null
  return isCount(tokens) ? { ...noUsage, promptTokens: tokens } : nonsense
}

/** OpenAI API reference, "Embeddings", read 2026-11-21. */
const plainEmbeddings = passing('/v1/embeddings', {
  ...whole('data', ({ usage }) => inputUsage(usage)),
  // Some servers know one form only.
  repairBytes(bytes, { echo }) {
    const form = vectorFormIn(echo ?? {})
    return form === null ? null : bytesAs(form, bytes)
  },
})

export const embeddings = {
  ...plainEmbeddings,
  request(body, target): Outgoing {
    const { encoding_format: form } = body
    const outgoing = plainEmbeddings.request(body, target)
    return isGiven(form) ? { ...outgoing, echo: { encoding_format: form ?? null } } : outgoing
  },
} satisfies Dialect

/** OpenAI API reference, "Moderations", read 2026-11-21: they have no usage. */
export const moderations = passing(
  '/v1/moderations',
  whole('results', () => null),
)

/**
 * Cohere, "Rerank API (v2)", a stored copy read 2026-11-21: `results`, and the billed units under `meta`. Only pages of resellers, not the
 * vendors' own, say that tokens are under `meta.tokens`, and that Jina has the same form with tokens under `usage`.
 */
const plainRerank = passing('/v1/rerank', {
  ...whole('results', ({ usage, meta }) => {
    const tokens = inputUsage(usage) ?? inputUsage(isObject(meta) ? meta['tokens'] : undefined)
    const searches = readCountIn(isObject(meta) ? meta : {}, 'billed_units', 'search_units')
    return searches === null || !isCount(searches) ? tokens : { ...(tokens ?? noUsage), calls: searches }
  }),
  fromList: rankedList,
  repairResponse: withScores,
})

export const rerank = {
  ...plainRerank,
  request(body, target): Outgoing {
    const { top_n: most } = body
    const outgoing = plainRerank.request(body, target)
    return typeof most === 'number' ? { ...outgoing, echo: { top_n: most } } : outgoing
  },
} satisfies Dialect
