import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/** platform.minimaxi.com, "Embeddings", a stored copy read 2026-11-22: `texts` and a `type`, which is `db` or `query`, and the group. */
export const minimaxEmbeddings = {
  request(body, target) {
    const { input, type, dimensions } = body
    const { echo } = floatEmbeddings.request(body, target)
    const { other, config } = target.channel
    const group = other === '' ? (config.user_id ?? '') : other
    const upstreamBody = { model: target.model, texts: Array.isArray(input) ? input : [input ?? ''], type: type ?? 'db' }
    const refused = dimensions === undefined ? {} : { refused: 'dimensions' }
    return {
      path: `/v1/embeddings?${new URLSearchParams({ GroupId: group })}`,
      headers: {},
      body: upstreamBody,
      ...(echo === undefined ? {} : { echo }),
      ...refused,
    }
  },
  failure: readFailure,
  response(json, context) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { vectors, total_tokens: total } = json
    if (!Array.isArray(vectors)) return null
    const data = vectors.map((embedding, index) => ({ object: 'embedding', embedding, index }))
    const usage = { prompt_tokens: total ?? null, total_tokens: total ?? null }
    return floatEmbeddings.response({ object: 'list', data, model: context.model, usage }, context)
  },
} satisfies Dialect
