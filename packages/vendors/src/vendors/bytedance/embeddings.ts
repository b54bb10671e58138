import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Outgoing } from '../../core/request.ts'
import { usageIn } from '../../protocols/openai/usage.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/**
 * Models that embed texts and images together (Volcano Engine Ark, "Multimodal embeddings", as clients of 2026 call it, read 2026-11-23): the
 * parts of the input become one vector, so a list of several texts, which wants one vector for each, is refused.
 */
export const bytedanceEmbeddings = {
  request(body, { model }) {
    const input = partsOf(body['input'])
    return {
      path: '/v1/embeddings/multimodal',
      headers: noHeaders,
      body: { ...body, model, input: input ?? [] },
      ...(input === null ? { refused: 'input' } : {}),
    } satisfies Outgoing
  },
  failure: readFailure,
  response(json, { model }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { data, usage } = json
    const row = Array.isArray(data) ? data[0] : data
    if (!isObject(row) || row['embedding'] === undefined) return null
    const response = { object: 'list', model, data: [{ object: 'embedding', index: 0, embedding: row['embedding'] }], usage: usage ?? null }
    return { response, usage: usageIn(json) }
  },
} satisfies Dialect

/** The parts of the input; `null` = it has several texts. Clients that know the vendor send its own parts. */
function partsOf(input: Json | undefined): readonly JsonObject[] | null {
  const list = Array.isArray(input) ? input : [input]
  if (list.length > 0 && list.every(isObject)) return list
  const [text] = list
  return list.length === 1 && typeof text === 'string' ? [{ type: 'text', text }] : null
}
