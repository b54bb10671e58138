import { untypedFailure } from '@sluice/vendors/failure-parts'
import { parseJson } from '@sluice/vendors/is-object'
import type { StreamSource, StreamView, ViewStep } from '../model/answer.ts'
import type { SseEvent } from '../model/sse-event.ts'

/** Maximum number of events without content at the beginning of a stream. */
const emptyMax = 1_000

/**
 * Reads a stream up to the first events with content. `null`: it ended without any, with or without `[DONE]` or a usage: that is not an
 * answer, and another channel may have one. An event: the whole body is JSON.
 * @param alive called for events before that
 */
export async function firstSteps(
  source: StreamSource,
  view: StreamView,
  alive: () => void,
): Promise<readonly ViewStep[] | SseEvent | null> {
  const steps: ViewStep[] = []
  let last: string | null = null
  for (;;) {
    const events = await source.next()
    if (events === null) return failedStep(last)
    for (const event of events) {
      if (event.isWhole === true) return event
      last = event.data ?? last
      // Comments before the first event are dropped: a vendor may send a million of them.
      if (event.data !== null || steps.length > 0) steps.push(view.event(event))
    }
    if (steps.some(({ isEmpty }) => isEmpty !== true)) return steps
    if (isVain(steps)) return failedStep(last)
    alive()
  }
}

const isVain = (steps: readonly ViewStep[]): boolean => steps.length > emptyMax || steps.some(({ isTerminator }) => isTerminator)

/** What the last event of a stream without content says, if it is an error in a form that the protocol does not have. */
function failedStep(last: string | null): readonly ViewStep[] | null {
  const failure = last === null ? null : untypedFailure(parseJson(last))
  return failure === null ? null : [{ out: null, text: '', failure, isTerminator: false }]
}
