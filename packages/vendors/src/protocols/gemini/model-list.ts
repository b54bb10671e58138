import { messageOr } from '../../core/failure-parts.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import { baseOf, endsInVersion } from '../../core/join-url.ts'
import type { Json } from '../../core/json.ts'
import { at, type QueryContext, type VendorQuery } from '../../core/vendor-query.ts'

/** Largest page that the API allows. */
const pageSize = 1_000

/** The vendor's list of models, page by page (Gemini API reference, "models.list", a stored copy read 2026-11-22). */
export const askGeminiModels: VendorQuery<readonly string[]> = (context, responses) => {
  const last = responses.at(-1)
  const next = last === undefined ? '' : textOr(at(last, 'nextPageToken'), '')
  if (last === undefined || next !== '') {
    const page = next === '' ? '' : `&pageToken=${encodeURIComponent(next)}`
    return { request: { method: 'GET', url: `${addressOf(context)}/models?pageSize=${pageSize}${page}`, headers: context.headers } }
  }
  const lists = responses.map((response) => at(response, 'models'))
  if (!lists.every(Array.isArray)) return { failed: messageOr(last, 'the response is not a list of models') }
  return { result: lists.flat().flatMap(nameIn) }
}

function addressOf({ baseUrl, other }: QueryContext): string {
  const base = baseOf(baseUrl)
  return endsInVersion(base) ? base : `${base}/${other === '' ? 'v1beta' : other}`
}

function nameIn(row: Json): readonly string[] {
  const name = isObject(row) ? textOr(row['name'], '') : ''
  return name === '' ? [] : [name.replace(/^models\//, '')]
}
