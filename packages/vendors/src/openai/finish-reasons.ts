import { lookUp } from '../is-object.ts'
import type { Json } from '../json.ts'

/** Reasons that compatible vendors give and OpenAI's clients do not know, from the references of their chats (read 2026-11-22). */
const reasons: Readonly<Record<string, string>> = {
  eos: 'stop',
  model_length: 'length',
  insufficient_system_resource: 'length',
  aborted: 'length',
  network_error: 'length',
  model_context_window_exceeded: 'length',
  sensitive: 'content_filter',
}

/** OpenAI's reason for a vendor's; the vendor's own if it has no other. */
export function finishReasonOf(reason: Json | undefined): Json | undefined {
  if (typeof reason !== 'string') return reason
  // Some add what was found.
  return lookUp(reasons, reason) ?? (reason.startsWith('content_filter') ? 'content_filter' : reason)
}
