import { objectsIn } from '../chat-parts.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { lengthsIn } from '../text-places.ts'

/** Number of searches that the vendor charges (Gemini API, "Grounding with Google Search", "Pricing", a stored copy read 2026-11-22). */
export function searchesIn(grounding: JsonObject | null, chargesEach: boolean): number {
  const queries = [grounding?.['webSearchQueries'], grounding?.['imageSearchQueries']]
  const count = queries.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
  return chargesEach ? count : Math.min(count, 1)
}

/** OpenAI's annotations of the text, from the sources and the places that they support. Places are counted in bytes. */
export function citationsIn(grounding: JsonObject | null, text: string): readonly JsonObject[] {
  const sources = objectsIn(grounding?.['groundingChunks']).map((chunk) => (isObject(chunk['web']) ? chunk['web'] : {}))
  const supports = objectsIn(grounding?.['groundingSupports'])
  if (sources.length === 0 || supports.length === 0) return []
  const ends = supports.flatMap(({ segment }) => (isObject(segment) ? [segment['startIndex'], segment['endIndex']] : [])).filter(isNumber)
  const lengths = lengthsIn(text, ends)
  const lengthAt = (end: Json | undefined): number => (typeof end === 'number' ? (lengths.get(end) ?? 0) : 0)
  return supports.flatMap(({ segment, groundingChunkIndices: indices }) => {
    if (!isObject(segment) || !Array.isArray(indices)) return []
    const place = { start_index: lengthAt(segment['startIndex']), end_index: lengthAt(segment['endIndex']) }
    return indices.flatMap((index) => {
      const source = typeof index === 'number' ? sources[index] : undefined
      const url = textOr(source?.['uri'], '')
      return url === '' ? [] : [{ type: 'url_citation', url_citation: { url, title: textOr(source?.['title'], url), ...place } }]
    })
  })
}

const isNumber = (value: Json | undefined): value is number => typeof value === 'number'
