import type { Dialect } from '../../core/dialect.ts'
import { asNumber, isObject, textOr } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import { objectsIn, omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { bedrockKeyOf } from './channel.ts'
import { readBedrockFailure } from './failures.ts'
import { bedrockIdOf } from './models.ts'
import { bedrockPath } from './request.ts'

/** Documents that one query pays for ("Amazon Bedrock pricing"), and that one request may have ("Rerank"). */
const documentsOfQuery = 100
const documentsMax = 1_000

/**
 * Rerank by InvokeModel, which API keys may call too; the Rerank of the agents may only be called with a signature (Amazon Bedrock user guide,
 * "Use a reranker model", a stored copy read 2026-11-23). Cohere's model wants its version.
 */
export const bedrockRerank = {
  request({ query, documents, top_n: most, return_documents: wantsTexts }, target) {
    const texts = Array.isArray(documents) ? documents.map(textOf) : []
    const isCohere = bedrockIdOf(target.model, bedrockKeyOf(target.channel)?.region ?? '').includes('cohere.')
    return {
      path: bedrockPath(target, 'invoke'),
      headers: { accept: 'application/json' },
      body: omitUndefined({ query, documents: texts, top_n: most ?? texts.length, api_version: isCohere ? 2 : undefined }),
      echo: { count: texts.length, ...(wantsTexts === true ? { documents: texts } : {}) },
      ...(texts.length > documentsMax ? { refused: 'documents' } : {}),
    }
  },
  failure: readBedrockFailure,
  response(json, { id, model, echo }) {
    if (!isObject(json) || !Array.isArray(json['results'])) return null
    const texts = Array.isArray(echo?.['documents']) ? echo['documents'] : null
    const results = objectsIn(json['results']).map(({ index, relevance_score: score }) => ({
      index: index ?? 0,
      relevance_score: score ?? 0,
      ...(texts === null ? {} : { document: { text: texts[asNumber(index)] ?? '' } }),
    }))
    const count = echo?.['count']
    return {
      response: { id, model, results },
      usage: { ...noUsage, calls: Math.ceil((typeof count === 'number' ? count : 1) / documentsOfQuery) },
    }
  },
} satisfies Dialect

const textOf = (document: Json): string => (isObject(document) ? textOr(document['text'], '') : textOr(document, ''))
