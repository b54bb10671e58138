import type { Call } from '../model/call.ts'
import type { RequestHash } from './model-health.ts'

/** Longer prompts are compared by length and limits only: serializing them again would take too long. */
const hashedTokensMax = 50_000

/** Equal for a request that is resent unchanged. */
export function requestHash({ body, params }: Pick<Call, 'body' | 'params'>): RequestHash {
  const { promptTokens, maxTokens, choices } = params
  if (promptTokens > hashedTokensMax) return Bun.hash(`${promptTokens} ${maxTokens} ${choices}`)
  return Bun.hash(JSON.stringify(body))
}
