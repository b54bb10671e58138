import type { Failure, Usage } from '../dialect.ts'
import { lookUp } from '../is-object.ts'

/** Gemini API reference, "FinishReason", a stored copy read 2026-11-22. Every other reason becomes `stop`. */
const finishOf: Readonly<Record<string, string>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  // A filter of Vertex AI alone (pydantic/pydantic-ai #6679, read 2026-11-23).
  MODEL_ARMOR: 'content_filter',
}

/** The model wrote something that the vendor could not read; a second attempt often succeeds. */
const broken: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
])

export function finishReason(told: string, hasCalls: boolean): string {
  return lookUp(finishOf, told) ?? (hasCalls ? 'tool_calls' : 'stop')
}

/**
 * The failure of an answer that has nothing but this reason; `null` = it is a valid end. The vendor's message has what the model wrote, which an
 * error must not deliver.
 */
export function brokenBy(told: string, usage: Usage | null): Failure | null {
  if (!broken.has(told)) return null
  const failure = { kind: 'unavailable', message: `the model stopped with ${told}`, type: told, param: null, code: null } as const
  // Clients can make a model end so, and each attempt would be billed.
  return usage === null ? failure : { ...failure, unread: { usage, text: '' } }
}

export function isFiltered(told: string): boolean {
  return lookUp(finishOf, told) === 'content_filter'
}
