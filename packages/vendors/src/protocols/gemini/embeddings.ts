import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import { vectorAs } from '../embeddings/form.ts'
import { omitUndefined } from '../shared/chat-parts.ts'
import { errorIn, readFailure } from './failure.ts'
import { developerApi } from './host.ts'
import { usageIn } from './usage.ts'

/** Texts of one request (Gemini API reference, "batchEmbedContents", a stored copy read 2026-11-22). */
export const geminiTextsMax = 100

/** The texts of OpenAI's `input`; `null` = it is none: tokens, which mean nothing to this vendor. */
export function textsIn({ input }: JsonObject): readonly string[] | null {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input) || input.length === 0) return null
  return input.every((text) => typeof text === 'string') ? input : null
}

/** Members of a request for each text, under the names of OpenAI's form and of the vendor's own. */
function settingsIn(body: JsonObject): JsonObject {
  const { dimensions, task_type: task, title } = body
  return omitUndefined({ outputDimensionality: dimensions, taskType: task, title })
}

/** The form of the numbers, for the response. */
export function formIn({ encoding_format: form }: JsonObject): JsonObject {
  return form === 'base64' ? { encoding_format: 'base64' } : {}
}

/** Embeddings in OpenAI's form. */
export function embeddingList(vectors: readonly Json[], context: ResponseContext, promptTokens: number | null): ClientResponse | null {
  const lists = vectors.filter(isVector)
  if (lists.length === 0 || lists.length !== vectors.length) return null
  const form = context.echo?.['encoding_format'] === 'base64' ? 'base64' : 'float'
  const data = lists.map((list, index) => ({ object: 'embedding', index, embedding: vectorAs(form, list) }))
  const usage = promptTokens === null ? {} : { usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } }
  return {
    response: { object: 'list', data, model: context.model, ...usage },
    usage: promptTokens === null ? null : { ...noUsage, promptTokens },
  }
}

function isVector(value: Json): value is readonly number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number')
}

function fromBatch(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const failure = errorIn(json)
  if (failure !== null) return failure
  if (!isObject(json) || !Array.isArray(json['embeddings'])) return null
  const vectors = json['embeddings'].map((row) => (isObject(row) ? (row['values'] ?? null) : null))
  return embeddingList(vectors, context, usageIn(json['usageMetadata'])?.promptTokens ?? null)
}

/** Gemini API, "Embeddings": all texts in one request. */
export const geminiEmbeddings: Dialect = {
  request(body, target) {
    const texts = textsIn(body)
    const model = target.model.includes('/') ? target.model : `models/${target.model}`
    const settings = settingsIn(body)
    const isRefused = texts === null || texts.length > geminiTextsMax
    return {
      path: developerApi.pathOf(target, 'batchEmbedContents'),
      headers: noHeaders,
      body: { requests: (texts ?? []).map((text) => ({ model, content: { parts: [{ text }] }, ...settings })) },
      echo: formIn(body),
      ...(isRefused ? { refused: 'input' } : {}),
    }
  },
  response: fromBatch,
  failure: readFailure,
}
