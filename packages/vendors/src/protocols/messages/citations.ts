import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { ownMark } from '../shared/gateway-marks.ts'

/** Pages that a chat cites, as citations of a web search (Anthropic, "Web search tool", read 2026-11-23). */
export function citationsOf(annotations: Json | undefined): readonly JsonObject[] {
  return objectsIn(annotations).flatMap(({ url_citation: cited }) => {
    if (!isObject(cited)) return []
    const { url, title } = cited
    return [
      {
        type: 'web_search_result_location',
        url: textOr(url, ''),
        title: textOr(title, '') || textOr(url, ''),
        encrypted_index: ownMark,
        cited_text: '',
      },
    ]
  })
}
