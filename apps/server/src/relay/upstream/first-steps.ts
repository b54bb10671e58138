import type { StreamSource, StreamView, ViewStep } from '../model/answer.ts'

/** Events without anything of an answer that a stream may begin with. */
const emptyMax = 1_000

/**
 * The beginning of a stream, up to the first events that have something of an answer. `null`: it ended without any, whether it said so
 * (`[DONE]` alone, a count alone) or not: that is no answer, and another channel may have one.
 * @param alive called for what comes before
 */
export async function firstSteps(source: StreamSource, view: StreamView, alive: () => void): Promise<readonly ViewStep[] | null> {
  const steps: ViewStep[] = []
  for (;;) {
    const events = await source.next()
    if (events === null) return null
    for (const event of events) {
      // Comments before the first event have said all that they say: a vendor may send a million of them.
      if (event.data !== null || steps.length > 0) steps.push(view.event(event))
    }
    if (steps.some(({ isEmpty }) => isEmpty !== true)) return steps
    if (steps.length > emptyMax || steps.some(({ isTerminator }) => isTerminator)) return null
    alive()
  }
}
