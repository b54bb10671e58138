import type { Dialect } from '../../core/dialect.ts'
import { asNumber, isObject, textOr } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { objectsIn, omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { isFailure, resultOf, runAddress } from './run.ts'

/** Workers AI, the page of bge-reranker-base, a stored copy read 2026-11-23: documents are contexts, and results have no counts. */
export const cloudflareRerank = {
  request({ query, documents, top_n: most, return_documents: wantsTexts }, { model, channel }) {
    const texts = Array.isArray(documents) ? documents.map(textOf) : []
    return {
      path: runAddress(model, channel),
      headers: {},
      body: omitUndefined({ query, contexts: texts.map((text) => ({ text })), top_k: most }),
      ...(wantsTexts === true ? { echo: { documents: texts } } : {}),
    }
  },
  failure: readFailure,
  response(json, { id, model, echo }) {
    const result = resultOf(json)
    if (result === null || isFailure(result)) return result
    if (!Array.isArray(result['response'])) return null
    const texts = Array.isArray(echo?.['documents']) ? echo['documents'] : null
    const results = objectsIn(result['response']).map(({ id: index, score }) => ({
      index: index ?? 0,
      relevance_score: score ?? 0,
      ...(texts === null ? {} : { document: { text: texts[asNumber(index)] ?? '' } }),
    }))
    return { response: { id, model, results }, usage: null }
  },
} satisfies Dialect

const textOf = (document: Json): string => (isObject(document) ? textOr(document['text'], '') : textOr(document, ''))
