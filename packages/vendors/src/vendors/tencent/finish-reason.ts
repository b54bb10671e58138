import { textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

/** The vendor calls a filtered response `sensitive`. */
export function finishReason({ FinishReason: reason }: JsonObject): string {
  return reason === 'sensitive' ? 'content_filter' : textOr(reason, 'stop') || 'stop'
}
