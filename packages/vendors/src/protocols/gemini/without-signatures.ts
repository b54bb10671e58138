import type { Failure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { withoutExtras } from '../shared/extra-content.ts'

/** The vendor's error message where a signature was made by another model, or through another kind of key ("Thought signatures", read 2026-11-22). */
const isForeign = /thought.?signature/i

/**
 * The chat without the signatures that the client sent back; what must have one then gets the one that is not checked. `null` = they are
 * not what was refused.
 */
export function withoutForeignSignatures(chat: JsonObject, { kind, message }: Failure): JsonObject | null {
  if (kind !== 'bad_request' || !isForeign.test(message)) return null
  const stripped = withoutExtras(chat, 'google')
  return stripped === chat ? null : stripped
}
