import type { Dialect } from '../../../core/dialect.ts'
import type { Failure } from '../../../core/failure.ts'
import { isObject } from '../../../core/is-object.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { noHeaders } from '../../../core/no-headers.ts'
import type { ClientResponse, ResponseContext } from '../../../core/response.ts'
import { numberOf } from '../../../core/vendor-query.ts'
import { embeddingList, formIn, textsIn } from '../../../protocols/gemini/embeddings.ts'
import { errorIn, readFailure } from '../../../protocols/gemini/failure.ts'
import { usageIn } from '../../../protocols/gemini/usage.ts'
import { omitUndefined } from '../../../protocols/shared/chat-parts.ts'
import { vertexAi } from './host.ts'

/** Texts of one request: models of Gemini take one (Google Cloud, "Text embeddings API", a stored copy read 2026-11-22). */
export const vertexTextsMax = (model: string): number => (model.startsWith('gemini-') ? 1 : 250)

/** The second generation has a call of its own. */
const hasOwnCall = /^gemini-embedding-[2-9]/

function bodyOf(texts: readonly string[], { dimensions, task_type: task, title }: JsonObject, model: string): JsonObject {
  if (hasOwnCall.test(model)) {
    const config = omitUndefined({ outputDimensionality: dimensions, taskType: task, title })
    return {
      content: { parts: texts.map((text) => ({ text })) },
      ...(Object.keys(config).length === 0 ? {} : { embedContentConfig: config }),
    }
  }
  const instances = texts.map((content) => omitUndefined({ content, task_type: task, title }))
  return { instances, ...(typeof dimensions === 'number' ? { parameters: { outputDimensionality: dimensions } } : {}) }
}

function fromPrediction(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const failure = errorIn(json)
  if (failure !== null) return failure
  if (!isObject(json)) return null
  const { embedding, predictions, usageMetadata } = json
  if (isObject(embedding)) return embeddingList([embedding['values'] ?? null], context, usageIn(usageMetadata)?.promptTokens ?? null)
  if (!Array.isArray(predictions)) return null
  const rows = predictions.map((row) => (isObject(row) && isObject(row['embeddings']) ? row['embeddings'] : {}))
  const counts = rows.map(({ statistics }) => numberOf(isObject(statistics) ? statistics['token_count'] : undefined))
  const isCounted = counts.every((count) => count !== null && Number.isSafeInteger(count) && count >= 0)
  const tokens = isCounted ? counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) : null
  return embeddingList(
    rows.map(({ values }) => values ?? null),
    context,
    tokens,
  )
}

/** Embeddings by `predict`, or by `embedContent`. */
export const vertexAiEmbeddings: Dialect = {
  request(body, target) {
    const texts = textsIn(body)
    const { model } = target
    const isRefused = texts === null || texts.length > vertexTextsMax(model)
    return {
      path: vertexAi.pathOf(target, hasOwnCall.test(model) ? 'embedContent' : 'predict'),
      headers: noHeaders,
      body: bodyOf(texts ?? [], body, model),
      echo: formIn(body),
      ...(isRefused ? { refused: 'input' } : {}),
    }
  },
  response: fromPrediction,
  failure: readFailure,
}
