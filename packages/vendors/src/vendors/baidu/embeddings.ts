import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { failureIn } from './chat.ts'
import { pathOf } from './models.ts'

/** Embeddings of the interface of 2023 (cloud.baidu.com, "Embedding-V1", a stored copy read 2026-11-22): OpenAI's form, always a list. */
export const baiduEmbeddings = {
  ...floatEmbeddings,
  request(body, target) {
    const { body: upstreamBody, ...outgoing } = floatEmbeddings.request(body, target)
    const { model: _inPath, input, ...rest } = upstreamBody
    const list = Array.isArray(input) ? input : [input ?? '']
    return { ...outgoing, path: pathOf('embeddings', target.model), body: { ...rest, input: list } }
  },
  response(json, context) {
    return (isObject(json) ? failureIn(json) : null) ?? floatEmbeddings.response(json, context)
  },
} satisfies Dialect
