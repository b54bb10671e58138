import { messageOr } from '../../core/failure-parts.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { at, type QueryContext, type VendorQuery } from '../../core/vendor-query.ts'
import { signBedrock } from './sign.ts'

/** The lists of the control plane: models, and the inference profiles through which the newer ones are called. */
const lists = [
  { path: '/foundation-models?byOutputModality=TEXT', rows: 'modelSummaries', id: 'modelId' },
  { path: '/inference-profiles?maxResults=1000', rows: 'inferenceProfileSummaries', id: 'inferenceProfileId' },
] as const

/** Amazon Bedrock API reference, "ListFoundationModels" and "ListInferenceProfiles", stored copies read 2026-11-22. */
export const askBedrockModels: VendorQuery<readonly string[]> = (context, responses) => {
  const failed = responses.find((response, index) => !Array.isArray(at(response, lists[index]?.rows ?? '')))
  if (failed !== undefined) return { failed: messageOr(failed, 'the response is not a list of models') }
  const next = lists[responses.length]
  if (next !== undefined) return { request: signed(context, next.path) }
  return { result: responses.flatMap((response, index) => idsIn(response, lists[index] ?? lists[0])) }
}

function signed(context: QueryContext, path: string) {
  const url = context.baseUrl.replace('://bedrock-runtime', '://bedrock') + path
  const { headers = {} } = signBedrock({ method: 'GET', url, headers: {}, body: '' }, { ...context, channel: context })
  return { method: 'GET', url, headers } as const
}

function idsIn(response: Json, { rows, id }: { readonly rows: string; readonly id: string }): readonly string[] {
  const list = at(response, rows)
  return (Array.isArray(list) ? list : []).flatMap((row) => (isObject(row) && typeof row[id] === 'string' ? [row[id]] : []))
}
