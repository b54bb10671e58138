import { lookUp } from '../is-object.ts'
import type { Json } from '../json.ts'

/** Reasons that vendors give and OpenAI's clients do not know (pages of Mistral, together.ai, DeepSeek and Zhipu, read 2026-11-22). */
const reasons: Readonly<Record<string, string>> = {
  eos: 'stop',
  model_length: 'length',
  insufficient_system_resource: 'length',
  sensitive: 'content_filter',
}

/** OpenAI's reason for a vendor's; the vendor's own if it has no other. */
export function finishReasonOf(reason: Json | undefined): Json | undefined {
  return typeof reason === 'string' ? (lookUp(reasons, reason) ?? reason) : reason
}
