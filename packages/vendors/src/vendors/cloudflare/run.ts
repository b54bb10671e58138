import type { ChannelFacts } from '../../core/channel-config.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { addressOf } from '../../core/vendor-query.ts'
import { errorIn } from '../../protocols/shared/openai-failure.ts'

/**
 * The address that runs a model (Cloudflare Workers AI, "Execute AI model", a stored copy read 2026-11-23). The AI Gateway has the model
 * right behind its base URL.
 */
export function runAddress(model: string, { baseUrl }: Pick<ChannelFacts, 'baseUrl'>): string {
  const name = model.split('/').map(encodeURIComponent).join('/').replaceAll('%40', '@')
  return addressOf(baseUrl, baseUrl.endsWith('/workers-ai') ? `/${name}` : `/run/${name}`)
}

/** What the model gave: `result` of the usual envelope. `null` = it is no response. */
export function resultOf(json: Json): JsonObject | Failure | null {
  if (!isObject(json)) return null
  const failure = errorIn(json)
  if (failure !== null) return failure
  const { result } = json
  return isObject(result) ? result : json
}

export function isFailure(read: JsonObject | Failure): read is Failure {
  return typeof read['kind'] === 'string' && 'message' in read
}
