import { messageOr } from '../../core/failure-parts.ts'
import { isObject } from '../../core/is-object.ts'
import { addressOf, askOnce, at, type VendorQuery } from '../../core/vendor-query.ts'

/** OpenAI's list of models (API reference, "List models", read 2026-11-21). Some compatible servers respond with a bare array. */
export const askOpenAiModels: VendorQuery<readonly string[]> = askOnce(
  ({ baseUrl, modelsPath }) => addressOf(baseUrl, modelsPath ?? '/v1/models'),
  (response) => {
    const rows = Array.isArray(response) ? response : at(response, 'data')
    if (!Array.isArray(rows)) return { failed: messageOr(response, 'the response is not a list of models') }
    return { result: rows.flatMap((row) => (isObject(row) && typeof row['id'] === 'string' ? [row['id']] : [])) }
  },
)
