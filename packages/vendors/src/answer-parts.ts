import type { Failure, StreamStep } from './dialect.ts'

/**
 * Most tool calls and blocks of content of one answer, which are all kept until it ends. A model writes at most 128,000 tokens, and a call
 * takes more than a dozen of them.
 */
export const partsMax = 10_000

/** What an answer with more parts is. */
export const tooManyParts: Failure = {
  kind: 'unavailable',
  message: `the upstream service sent an answer of more than ${partsMax} tool calls or blocks of content`,
  type: null,
  param: null,
  code: null,
}

/** The step, or the end of an answer that has too many parts by now. */
export function withinParts(step: StreamStep, parts: number): StreamStep {
  return parts > partsMax && step.failure === null ? { chunks: [], text: '', failure: tooManyParts } : step
}
