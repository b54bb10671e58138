import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { bytesBefore, lengthsIn } from '../../core/text-places.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** Number of searches that the vendor charges (Gemini API, "Grounding with Google Search", "Pricing", a stored copy read 2026-11-22). */
export function searchesIn(grounding: JsonObject | null, chargesEach: boolean): number {
  const queries = [grounding?.['webSearchQueries'], grounding?.['imageSearchQueries']]
  const count = queries.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
  return chargesEach ? count : Math.min(count, 1)
}

/**
 * OpenAI's annotations of the text, from the sources and the places that they support. Places are counted in bytes, from the beginning of a part
 * ("Segment", `partIndex`, read 2026-11-30).
 * @param partStarts length of the text where each part begins
 */
export function citationsIn(grounding: JsonObject | null, text: string, partStarts: readonly number[] = []): readonly JsonObject[] {
  const sources = objectsIn(grounding?.['groundingChunks']).map((chunk) => (isObject(chunk['web']) ? chunk['web'] : {}))
  const supports = objectsIn(grounding?.['groundingSupports'])
  if (sources.length === 0 || supports.length === 0) return []
  const segments = supports.map(({ segment }) => (isObject(segment) ? segment : null))
  const placeOf = placesIn(
    text,
    segments.filter((segment) => segment !== null),
    partStarts,
  )
  return supports.flatMap(({ groundingChunkIndices: indices }, at) => {
    const segment = segments[at] ?? null
    if (segment === null || !Array.isArray(indices)) return []
    const place = placeOf(segment)
    return indices.flatMap((index) => {
      const source = typeof index === 'number' ? sources[index] : undefined
      const url = textOr(source?.['uri'], '')
      return url === '' ? [] : [{ type: 'url_citation', url_citation: { url, title: textOr(source?.['title'], url), ...place } }]
    })
  })
}

interface Place extends JsonObject {
  readonly start_index: number
  readonly end_index: number
}

/** The places of segments in the text, which are all converted together. */
function placesIn(text: string, segments: readonly JsonObject[], partStarts: readonly number[]): (segment: JsonObject) => Place {
  const startOf = ({ partIndex: part }: JsonObject): number => (typeof part === 'number' ? (partStarts[part] ?? 0) : 0)
  const starts = bytesBefore(text, segments.map(startOf))
  const endsFrom = (start: number, { startIndex, endIndex }: JsonObject): readonly number[] =>
    [startIndex, endIndex].map((end) => (typeof end === 'number' ? start + end : start))
  const bytesOf = (segment: JsonObject): number => starts.get(startOf(segment)) ?? 0
  const lengths = lengthsIn(
    text,
    segments.flatMap((segment) => [...endsFrom(bytesOf(segment), segment), ...endsFrom(0, segment)]),
  )
  const placeFrom = (start: number, segment: JsonObject): Place => {
    const [from = 0, to = 0] = endsFrom(start, segment).map((end) => lengths.get(end) ?? 0)
    return { start_index: from, end_index: to }
  }
  return (segment) => {
    const place = placeFrom(bytesOf(segment), segment)
    const { text: cited } = segment
    // The cited text is reported, too: if it is not at this place, the vendor counted from the start of the whole text.
    return typeof cited !== 'string' || text.startsWith(cited, place.start_index) ? place : placeFrom(0, segment)
  }
}
