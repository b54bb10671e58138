import type { Call } from '../model/call.ts'
import type { RequestHash } from './model-health.ts'

/** Prompts beyond it are told apart by their length: writing them out once more would take too long. */
const hashedTokensMax = 50_000

/** The same for a request that is sent again as it was. */
export function requestHash({ body, params }: Pick<Call, 'body' | 'params'>): RequestHash {
  const { promptTokens, maxTokens, choices } = params
  if (promptTokens > hashedTokensMax) return Bun.hash(`${promptTokens} ${maxTokens} ${choices}`)
  return Bun.hash(JSON.stringify(body))
}
