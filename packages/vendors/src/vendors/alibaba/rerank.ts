import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import { noUsage } from '../../core/no-usage.ts'
import { isCount } from '../../core/usage-count.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { errorInside, outputOf } from './native.ts'

/** Alibaba Cloud Model Studio, "Text rerank API reference", a stored copy read 2026-11-22: parameters and results are a level deeper. */
export const alibabaRerank = {
  request({ query, documents, top_n, return_documents }, { model }) {
    const body = { model, input: omitUndefined({ query, documents }), parameters: omitUndefined({ top_n, return_documents }) }
    return { path: '/api/v1/services/rerank/text-rerank/text-rerank', headers: {}, body }
  },
  failure: readFailure,
  response(json, { id, model }) {
    if (!isObject(json)) return null
    const failure = errorInside(json)
    if (failure !== null) return failure
    const results = outputOf(json)?.['results']
    if (!Array.isArray(results)) return null
    const tokens = isObject(json['usage']) ? json['usage']['total_tokens'] : null
    if (!isCount(tokens)) return { response: { id, model, results }, usage: null }
    const usage = { prompt_tokens: tokens, total_tokens: tokens }
    return { response: { id, model, results, usage }, usage: { ...noUsage, promptTokens: tokens } }
  },
} satisfies Dialect
