import { isObject } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { addressOf, at, type VendorQuery } from '../../core/vendor-query.ts'
import { askOpenAiModels } from '../shared/model-list.ts'
import { apiVersion } from './request.ts'

/** Largest page that the API allows. */
const pageSize = 1_000

/** Anthropic's list of models, page by page (API reference, "List models", read 2026-11-21). Each page has the pivot's form. */
export const askAnthropicModels: VendorQuery<readonly string[]> = (context, responses) => {
  const last = responses.at(-1)
  const lastId = last === undefined || at(last, 'has_more') !== true ? undefined : at(last, 'last_id')
  if (last === undefined || typeof lastId === 'string') {
    const after = typeof lastId === 'string' ? `&after_id=${encodeURIComponent(lastId)}` : ''
    const url = addressOf(context.baseUrl, `${context.modelsPath ?? '/v1/models'}?limit=${pageSize}${after}`)
    return { request: { method: 'GET', url, headers: { ...apiVersion, ...context.headers } } }
  }
  return askOpenAiModels(context, [joined(responses)])
}

/** Joins all pages; a response that is not a page is returned unchanged, so that its reader reports the error. */
function joined(pages: readonly Json[]): Json {
  const lists = pages.map((page) => (isObject(page) ? page['data'] : undefined))
  return lists.every(Array.isArray) ? lists.flat() : (pages.at(-1) ?? null)
}
