import type { StreamSource, StreamView, ViewStep } from '../model/answer.ts'

/** Maximum number of events without content at the beginning of a stream. */
const emptyMax = 1_000

/**
 * Reads a stream up to the first events with content. `null`: it ended without any, with or without `[DONE]` or a usage: that is not an
 * answer, and another channel may have one.
 * @param alive called for events before that
 */
export async function firstSteps(source: StreamSource, view: StreamView, alive: () => void): Promise<readonly ViewStep[] | null> {
  const steps: ViewStep[] = []
  for (;;) {
    const events = await source.next()
    if (events === null) return null
    for (const event of events) {
      // Comments before the first event are dropped: a vendor may send a million of them.
      if (event.data !== null || steps.length > 0) steps.push(view.event(event))
    }
    if (steps.some(({ isEmpty }) => isEmpty !== true)) return steps
    if (steps.length > emptyMax || steps.some(({ isTerminator }) => isTerminator)) return null
    alive()
  }
}
