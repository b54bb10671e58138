import type { ViewStep } from '../model/upstream-response.ts'

/** The steps of the events that one event had. */
export function oneStep(steps: readonly ViewStep[]): ViewStep {
  const out = steps.flatMap((step) => (step.out === null ? [] : [step.out]))
  return {
    out: out.length === 0 ? null : Buffer.concat(out),
    text: steps.map(({ text }) => text).join(''),
    failure: steps.find(({ failure }) => failure !== null)?.failure ?? null,
    isTerminator: steps.some(({ isTerminator }) => isTerminator),
    hasMedia: steps.some(({ hasMedia }) => hasMedia === true),
    isEmpty: steps.every((step) => step.isEmpty === true),
  }
}
