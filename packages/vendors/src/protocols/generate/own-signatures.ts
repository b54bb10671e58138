import type { Json, JsonObject } from '../../core/json.ts'
import { isCarried } from '../shared/carried-reasoning.ts'

/** The signature beside a part, in either case. It is looked up in every part, so no name is built for it. */
export function signatureOf({ thoughtSignature: camel, thought_signature: snake }: JsonObject): Json | undefined {
  return camel ?? snake
}

/** The part without a signature of ours, which only the vendor that it was made for reads; `null` = nothing else was in it. */
export function withoutOwnSignature(part: JsonObject): JsonObject | null {
  if (!isCarried(signatureOf(part))) return part
  const { thoughtSignature: _camel, thought_signature: _snake, ...rest } = part
  return rest['text'] === '' && Object.keys(rest).length === 1 ? null : rest
}
