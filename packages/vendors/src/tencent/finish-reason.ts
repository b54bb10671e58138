import { textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

/** The vendor calls a filtered answer `sensitive`. */
export function finishReason({ FinishReason: reason }: JsonObject): string {
  return reason === 'sensitive' ? 'content_filter' : textOr(reason, 'stop') || 'stop'
}
