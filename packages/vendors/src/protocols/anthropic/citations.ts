import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/**
 * The pages that a text cites, in OpenAI's form (Anthropic, "Citations" and "Web search tool", read 2026-11-23; OpenAI API reference, chat
 * completions, `annotations`, read 2026-11-22). Each cites the whole block; citations of the client's own documents have no address.
 * @param start place of the block in the text of the response
 */
export function annotationsOf(citations: Json | undefined, start: number, length: number): readonly JsonObject[] {
  const place = { start_index: start, end_index: start + length }
  return (Array.isArray(citations) ? citations.filter(isObject) : []).flatMap(({ url, source, title }) => {
    const address = textOr(url, '') || textOr(source, '')
    if (!/^https?:\/\//.test(address)) return []
    return [{ type: 'url_citation', url_citation: { url: address, title: textOr(title, '') || address, ...place } }]
  })
}

/** The URL citations in all blocks of a whole response, as annotations. */
export function annotationsIn(blocks: readonly JsonObject[]): readonly JsonObject[] {
  let start = 0
  return blocks.flatMap(({ text, citations }) => {
    const { length } = textOr(text, '')
    const annotations = annotationsOf(citations, start, length)
    start += length
    return annotations
  })
}
