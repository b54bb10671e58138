import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { actionHeaders, failureIn, tencentFailure } from './envelope.ts'

/** Texts of one request. */
export const tencentTextsMax = 200

/** GetEmbedding (cloud.tencent.com, "Hunyuan: GetEmbedding", a stored copy read 2026-11-22): 1024 numbers for each text, at most 200 texts. */
export const tencentEmbeddings = {
  request(body, target) {
    const { input, dimensions } = body
    const { echo } = floatEmbeddings.request(body, target)
    const texts = Array.isArray(input) ? { InputList: input } : { Input: input ?? '' }
    const kept = echo === undefined ? {} : { echo }
    const refused = dimensions !== undefined && dimensions !== 1024 ? { refused: 'dimensions' } : {}
    return { path: '/', headers: actionHeaders('GetEmbedding'), body: texts, ...kept, ...refused }
  },
  failure: tencentFailure,
  response(json, context) {
    const response = isObject(json) && isObject(json['Response']) ? json['Response'] : null
    if (response === null) return null
    const failure = failureIn(response)
    if (failure !== null) return failure
    const data = objectsIn(response['Data']).map(({ Embedding: embedding, Index: index }) => ({
      object: 'embedding',
      embedding: embedding ?? [],
      index: index ?? 0,
    }))
    const { PromptTokens: prompt, TotalTokens: total } = isObject(response['Usage']) ? response['Usage'] : {}
    const usage = { prompt_tokens: prompt ?? total ?? null, total_tokens: total ?? null }
    return floatEmbeddings.response({ object: 'list', data, model: context.model, usage }, context)
  },
} satisfies Dialect
