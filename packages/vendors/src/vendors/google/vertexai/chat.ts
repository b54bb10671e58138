import type { ChatDialect } from '../../../core/dialect.ts'
import { messageOr } from '../../../core/failure-parts.ts'
import { isObject, textOr } from '../../../core/is-object.ts'
import { baseOf, withoutVersion } from '../../../core/join-url.ts'
import type { Json } from '../../../core/json.ts'
import { at, type VendorQuery } from '../../../core/vendor-query.ts'
import { geminiAt } from '../../../protocols/gemini/dialect.ts'
import { vertexAi } from './host.ts'

/** Google's models that the service lists, page by page (Google Cloud, "publishers.models.list", a stored copy read 2026-11-22). */
const askModels: VendorQuery<readonly string[]> = ({ baseUrl, headers }, responses) => {
  const last = responses.at(-1)
  const next = last === undefined ? '' : textOr(at(last, 'nextPageToken'), '')
  if (last === undefined || next !== '') {
    const page = next === '' ? '' : `&pageToken=${encodeURIComponent(next)}`
    const base = withoutVersion(baseOf(baseUrl))
    return { request: { method: 'GET', url: `${base}/v1beta1/publishers/google/models?pageSize=100${page}`, headers } }
  }
  const lists = responses.map((response) => at(response, 'publisherModels'))
  if (!lists.every(Array.isArray)) return { failed: messageOr(last, 'the response is not a list of models') }
  return { result: lists.flat().flatMap(nameIn) }
}

function nameIn(row: Json): readonly string[] {
  const name = isObject(row) ? textOr(row['name'], '') : ''
  return name === '' ? [] : [name.slice(name.lastIndexOf('/') + 1)]
}

/** Chats with Gemini's models at Google Cloud. */
export const vertexAiGemini: ChatDialect = { ...geminiAt(vertexAi), askModels }
