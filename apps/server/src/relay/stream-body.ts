import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { Answer, AnswerEnd, EndReason, ViewStep } from './answer.ts'
import { createDelivered } from './delivered.ts'
import { openAiError } from './error-reply.ts'
import type { RelayLimits } from './relay-deps.ts'
import type { Budget } from './reserve.ts'
import { encodeEvent } from './stream-views.ts'

interface StreamBodyOptions {
  readonly answer: Extract<Answer, { kind: 'stream' }>
  readonly budget: Budget
  readonly requestId: string
  readonly deadlines: Deadlines
  readonly limits: RelayLimits
  /** Settles. Called once, however the stream ends; its end is sent to the client only when this has resolved. */
  readonly conclude: (end: AnswerEnd) => Promise<void>
}

/** A stream on its way to the client. */
export interface RunningStream {
  readonly body: AsyncGenerator<Uint8Array, void>
  /** The client has gone: stops upstream and settles what was delivered. */
  leave(): void
  /** Ends the stream with an error event, because the server stops. */
  cut(): void
}

/** A sign of life for a client that waits. */
const heartbeat: ViewStep = { out: new TextEncoder().encode(': keep-alive\n\n'), text: '', failure: null, isTerminator: false }

/** What the client is told when a stream ends other than well. */
const codeOf = {
  upstream_cut: 'upstream_stream_interrupted',
  out_of_quota: 'insufficient_user_quota',
  timed_out: 'upstream_timeout',
  shut_down: 'shutting_down',
} as const satisfies Partial<Record<EndReason, string>>

type BadEnd = keyof typeof codeOf

/** Why a stream must end now, other than by upstream's own end. */
interface Ending {
  readonly reason: BadEnd
  /** The vendor's words, where it gave some. */
  readonly message?: string
}

/**
 * The client's body. A generator is asked for the next piece only when the client has taken the last, so a slow client slows its
 * own upstream and nothing else. Exactly one end: upstream's own terminator, one error event, or silence towards a client that left.
 */
export function runStream({ answer, budget, requestId, deadlines, limits, conclude }: StreamBodyOptions): RunningStream {
  const { view, source } = answer
  const text = createDelivered()
  let isOver = false
  /** Set from outside the generator; it ends at its next turn. */
  let ending: Ending | null = null
  const total = deadlines.start(limits.totalMs, () => stop({ reason: 'timed_out' }))
  let watch = deadlines.start(limits.heartbeatMs, onWatch)

  function onWatch(): void {
    watch = deadlines.start(limits.heartbeatMs, onWatch)
    source.beat()
  }

  function stop(why: Ending): void {
    ending ??= why
    source.abort()
    source.beat()
  }

  /** `false`: the stream had ended before. */
  function finish(): boolean {
    if (isOver) return false
    isOver = true
    deadlines.cancel(total)
    deadlines.cancel(watch)
    return true
  }

  /** Takes note of what a step says. `false`: nothing of the stream comes after it. */
  function note({ failure, isTerminator, text: piece }: ViewStep): boolean {
    if (failure !== null) ending ??= { reason: 'upstream_cut', message: failure.message }
    if (piece !== '') {
      text.add(piece)
      if (!budget.spend(piece)) ending ??= { reason: 'out_of_quota' }
    }
    return !isTerminator && ending === null
  }

  function isRunning(): boolean {
    return !isOver && ending === null
  }

  /** The next steps, or a heartbeat where they take their time; `null` at the end, proper or not, which the view tells apart. */
  async function nextSteps(): Promise<readonly ViewStep[] | null> {
    try {
      const events = await source.next()
      if (events === null || !isRunning()) return null
      return events.length === 0 ? [heartbeat] : events.map((event) => view.event(event))
    } catch {
      ending ??= { reason: 'upstream_cut' }
      return null
    }
  }

  /** Settles and says how the stream ends. @returns the client's last bytes */
  async function conclusion(): Promise<Uint8Array | null> {
    const end = view.end()
    if (ending === null && !end.isComplete) ending = { reason: 'upstream_cut' }
    if (!finish()) return null
    if (ending === null) {
      source.close()
      await conclude({ reason: 'complete', usage: end.usage, text: text.whole() })
      return end.tail
    }
    source.abort()
    await conclude({ reason: ending.reason, usage: end.usage, text: text.whole() })
    return encodeEvent(openAiError(errorFor(ending), requestId))
  }

  function leave(): void {
    if (!finish()) return
    source.abort()
    source.beat()
    conclude({ reason: 'client_gone', usage: view.end().usage, text: text.whole() }).catch(() => {})
  }

  /** The pieces of upstream's stream. */
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    for (let steps: readonly ViewStep[] | null = answer.first; steps !== null; steps = await nextSteps()) {
      for (const step of steps) {
        const goesOn = note(step)
        if (step.out !== null) yield step.out
        if (!goesOn) return
      }
    }
  }

  async function* run(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* pieces()
      const last = isOver ? null : await conclusion()
      if (last !== null) yield last
    } finally {
      // Left in the middle, by a client that closed its connection.
      leave()
    }
  }

  return { body: run(), leave, cut: () => stop({ reason: 'shut_down' }) }
}

function errorFor({ reason, message }: Ending): AppError {
  const code = codeOf[reason]
  return message === undefined
    ? new AppError(code)
    : new AppError(code, { upstream: { message, type: 'upstream_error', param: null, code } })
}
