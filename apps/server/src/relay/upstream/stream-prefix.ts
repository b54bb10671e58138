import { untypedFailure } from '@sluice/vendors/core/failure-parts'
import { parseJson } from '@sluice/vendors/core/is-object'
import type { SseEvent } from '../model/sse-event.ts'
import type { StreamSource, StreamView, ViewStep } from '../model/upstream-response.ts'

/** Maximum number of events without content at the beginning of a stream. */
const emptyMax = 1_000

/**
 * Reads a stream up to the first events with content. `null`: it ended without any, with or without `[DONE]` or a usage: that is not an
 * response, and another channel may have one. An event: the whole body is JSON.
 * @param alive called for events before that
 */
export async function firstSteps(
  source: StreamSource,
  view: StreamView,
  alive: () => void,
): Promise<readonly ViewStep[] | SseEvent | null> {
  const read: Beginning = { steps: [], last: null }
  for (;;) {
    const events = await source.next()
    if (events === null) return failedStep(read.last)
    const whole = take(events, view, read)
    if (whole !== null) return whole
    if (read.steps.some(({ isEmpty }) => isEmpty !== true)) return read.steps
    if (isVain(read.steps)) return failedStep(read.last)
    alive()
  }
}

/** What was read of a stream. */
interface Beginning {
  readonly steps: ViewStep[]
  /** The data of the last event. */
  last: string | null
}

/** @returns an event that is the whole body; `null`: none is */
function take(events: readonly SseEvent[], view: StreamView, read: Beginning): SseEvent | null {
  for (const event of events) {
    if (event.isWhole === true) return event
    read.last = event.data ?? read.last
    // Comments before the first event are dropped: a vendor may send a million of them.
    if (event.data !== null || read.steps.length > 0) read.steps.push(view.event(event))
  }
  return null
}

const isVain = (steps: readonly ViewStep[]): boolean => steps.length > emptyMax || steps.some(({ isTerminator }) => isTerminator)

/** What the last event of a stream without content says, if it is an error in a form that the protocol does not have. */
function failedStep(last: string | null): readonly ViewStep[] | null {
  const failure = last === null ? null : untypedFailure(parseJson(last))
  return failure === null ? null : [{ out: null, text: '', failure, isTerminator: false }]
}
