import type { Failure } from '../../core/failure.ts'
import { lookUp } from '../../core/is-object.ts'
import type { Usage } from '../../core/usage.ts'
import { brokenEnd } from '../shared/response-parts.ts'

/**
 * Gemini API reference, "FinishReason", a stored copy read 2026-11-22. `OTHER` and `IMAGE_OTHER` are reported for what a filter removed (docs.apiyi.com,
 * "Why IMAGE_OTHER?", read 2026-11-30). Every other reason becomes `stop`.
 */
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
  IMAGE_OTHER: 'content_filter',
  OTHER: 'content_filter',
  // A filter of Vertex AI alone (pydantic/pydantic-ai #6679, read 2026-11-23).
  MODEL_ARMOR: 'content_filter',
}

/**
 * The model wrote something that the vendor could not read, whatever came before it; a second attempt often succeeds. `MALFORMED_FUNCTION_CALL`,
 * `MALFORMED_RESPONSE`, `UNEXPECTED_TOOL_CALL`, `TOO_MANY_TOOL_CALLS`, `MISSING_THOUGHT_SIGNATURE`, and what Google may add to them.
 */
const isBroken = /^(?:MALFORMED|UNEXPECTED|TOO_MANY|MISSING)_/

/** An image model has generated no image. It may have written text instead. */
const noImage = 'NO_IMAGE'

export function finishReason(reason: string, hasCalls: boolean): string {
  return lookUp(finishOf, reason) ?? (hasCalls ? 'tool_calls' : 'stop')
}

interface SoFar {
  /** What the vendor has counted. */
  readonly usage: Usage | null
  readonly hasContent: boolean
  /** All that the model wrote. */
  readonly text: string
}

/** The failure of a response that ends with this reason; `null` = it is a valid end. */
export function brokenBy(reason: string, { usage, hasContent, text }: SoFar): Failure | null {
  if (reason === '' || (!isBroken.test(reason) && (hasContent || reason !== noImage))) return null
  return brokenEnd(reason, { usage, text })
}

export function isFiltered(reason: string): boolean {
  return lookUp(finishOf, reason) === 'content_filter'
}
