import { isObject, textOr } from '../is-object.ts'
import type { Json } from '../json.ts'

/** What ends a response early that a chat can tell. */
const knownReasons: ReadonlySet<string> = new Set(['max_output_tokens', 'content_filter'])
const unfinished: ReadonlySet<string> = new Set(['incomplete', 'cancelled', 'in_progress', 'queued'])

/** A whole response that is not complete for a reason that chats do not have, as one that was cut: it must not look finished. */
export function withEnd(response: Json): Json {
  if (!isObject(response) || !unfinished.has(textOr(response['status'], ''))) return response
  const { incomplete_details: details } = response
  const isKnown = isObject(details) && knownReasons.has(textOr(details['reason'], ''))
  return isKnown ? response : { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
}
