import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Outgoing } from '../../core/request.ts'
import { responseAs, vectorFormIn } from '../embeddings/form.ts'
import { embeddings } from './unstreamed-kinds.ts'

const { passthrough } = embeddings

/**
 * Embeddings of vendors that respond with lists of numbers only. OpenAI's clients want base64 by default, so no format is sent to the vendor, and the
 * numbers are encoded here (OpenAI API reference, "Embeddings", read 2026-11-21).
 */
export const floatEmbeddings = {
  request({ encoding_format: form, ...body }, target): Outgoing {
    const { path, headers, body: upstreamBody } = embeddings.request(body, target)
    return { path, headers, body: upstreamBody, ...(form === 'base64' ? { echo: { encoding_format: form } } : {}) }
  },
  failure: embeddings.failure,
  response(json, { echo }) {
    const seen = passthrough.response(json)
    if (seen === null || 'kind' in seen) return seen
    return isObject(json) ? { response: responseAs(vectorFormIn(echo ?? {}) ?? 'float', json), usage: seen.usage } : null
  },
} satisfies Dialect
