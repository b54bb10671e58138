import { asNumber, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'

/**
 * Results of a rerank as a bare list: SGLang ("Rerank", `score`, with the document as a text, not cut to `top_n`) and text-embeddings-inference
 * (`score`), read 2026-11-30. They are in no order that a client could rely on. `null` = the list is something else.
 */
export function rankedList(list: readonly Json[], { model, echo }: ResponseContext): JsonObject | null {
  const rows = list.map(rowOf).filter((row) => row !== null)
  if (rows.length === 0 || rows.length !== list.length) return null
  const best = rows.toSorted((one, other) => scoreOf(other) - scoreOf(one))
  const most = echo?.['top_n']
  return { model, results: typeof most === 'number' && most >= 0 ? best.slice(0, most) : best }
}

/** A response whose results have their scores under the usual name; `null` = they have it, or there are none. */
export function withScores(response: JsonObject): JsonObject | null {
  const { results } = response
  if (!Array.isArray(results) || !results.some((row) => isObject(row) && row['relevance_score'] === undefined && isScore(row['score'])))
    return null
  return { ...response, results: results.map((row) => rowOf(row) ?? row) }
}

const isScore = (value: Json | undefined): value is number => typeof value === 'number'

const scoreOf = (row: JsonObject): number => asNumber(row['relevance_score'])

/** A result with its score under the usual name, and its document in an object. `null` = it is none. */
function rowOf(row: Json): JsonObject | null {
  if (!isObject(row)) return null
  const { score, relevance_score: named = score, index, document, text = document, ...rest } = row
  if (!isScore(named) || typeof index !== 'number') return null
  const documentField = text === undefined || text === null ? {} : { document: typeof text === 'string' ? { text } : text }
  return { index, relevance_score: named, ...documentField, ...rest }
}
