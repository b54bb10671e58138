import { lookUp } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'

/**
 * Reasons that compatible vendors give and OpenAI's clients do not know, from the references of their chats (read 2026-11-22). The last ones are those
 * of other protocols, which servers in front of them may pass on.
 */
const reasons: Readonly<Record<string, string>> = {
  eos: 'stop',
  // Before there were tools. A client of that form gets it back (`legacy-functions.ts`).
  function_call: 'tool_calls',
  model_length: 'length',
  insufficient_system_resource: 'length',
  aborted: 'length',
  network_error: 'length',
  model_context_window_exceeded: 'length',
  sensitive: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
  image_safety: 'content_filter',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
}

/** OpenAI's reason for a vendor's; the vendor's own if it has no other. */
export function finishReasonOf(reason: Json | undefined): Json | undefined {
  if (typeof reason !== 'string') return reason
  // Some add what was found.
  return lookUp(reasons, reason.toLowerCase()) ?? (reason.startsWith('content_filter') ? 'content_filter' : reason)
}
