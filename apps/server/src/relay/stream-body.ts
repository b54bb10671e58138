import type { ErrorCode } from '@sluice/contract/errors'
import type { Failure } from '@sluice/vendors/dialect'
import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { Answer, AnswerEnd, EndReason, ViewStep } from './answer.ts'
import { createDelivered } from './delivered.ts'
import { openAiError } from './error-reply.ts'
import { UnpackedTooLarge } from './http1/decode-body.ts'
import { AnswerTooLong, StreamIdle } from './open-stream.ts'
import type { RelayLimits } from './relay-deps.ts'
import type { Budget } from './reserve.ts'
import { SseLineTooLong } from './sse.ts'

interface StreamBodyOptions {
  readonly answer: Extract<Answer, { kind: 'stream' }>
  readonly budget: Budget
  /** Output tokens that the client allows; `null` = it did not say. */
  readonly outputTokens: number | null
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

/** Why a stream must end now, other than by upstream's own end: for the log, and what the client is told. */
interface Ending {
  readonly reason: EndReason
  readonly code: ErrorCode
  /** The vendor's words, where it gave some. */
  readonly failure?: Failure
}

const endings = {
  cut: { reason: 'upstream_cut', code: 'upstream_stream_interrupted' },
  lineTooLong: { reason: 'upstream_cut', code: 'upstream_line_too_long' },
  tooLong: { reason: 'too_long', code: 'upstream_answer_too_long' },
  outOfQuota: { reason: 'out_of_quota', code: 'insufficient_user_quota' },
  timedOut: { reason: 'timed_out', code: 'upstream_timeout' },
  shutDown: { reason: 'shut_down', code: 'shutting_down' },
} as const satisfies Record<string, Ending>

function endingOf(error: unknown): Ending {
  if (error instanceof SseLineTooLong) return endings.lineTooLong
  if (error instanceof AnswerTooLong || error instanceof UnpackedTooLarge) return endings.tooLong
  return error instanceof StreamIdle ? endings.timedOut : endings.cut
}

/** Beyond what the client allowed: what may come on top of it, because we count otherwise than the vendor. */
const overShare = 1.5
const overTokens = 1_000

/**
 * The client's body. A generator is asked for the next piece only when the client has taken the last, so a slow client slows its
 * own upstream and nothing else. Exactly one end: upstream's own terminator, one error event or a reset, or silence towards a client that
 * left.
 */
export function runStream({ answer, budget, outputTokens, requestId, deadlines, limits, conclude }: StreamBodyOptions): RunningStream {
  const { view, source, frame } = answer
  const text = createDelivered()
  const tokensMax = outputTokens === null ? Number.POSITIVE_INFINITY : outputTokens * overShare + overTokens
  let isOver = false
  /** Set from outside the generator; it ends at its next turn. */
  let ending: Ending | null = null
  const total = deadlines.start(limits.totalMs, () => stop(endings.timedOut))
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
    if (failure !== null) ending ??= { ...endings.cut, failure }
    if (piece !== '') {
      text.add(piece)
      if (!budget.spend(piece)) ending ??= endings.outOfQuota
      if (budget.used() > tokensMax) ending ??= endings.tooLong
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
      return events.length === 0 ? frame.beat : events.map((event) => view.event(event))
    } catch (error) {
      ending ??= endingOf(error)
      return null
    }
  }

  /** Settles and says how the stream ends. @returns the client's last bytes */
  async function conclusion(): Promise<Uint8Array | null> {
    const end = view.end()
    if (ending === null && !end.isComplete) ending = endings.cut
    if (!finish()) return null
    if (ending === null) {
      source.close()
      await conclude({ reason: 'complete', usage: end.usage, text: text.whole(), keptAs: end.keptAs })
      return end.tail
    }
    source.abort()
    await conclude({ ...ending, usage: end.usage, text: text.whole() })
    const told = view.error(openAiError(errorFor(ending), requestId))
    // What is thrown resets the connection; an error would be printed as well.
    return told ?? (await Promise.reject())
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

  return { body: run(), leave, cut: () => stop(endings.shutDown) }
}

function errorFor({ code, failure }: Ending): AppError {
  return failure === undefined
    ? new AppError(code)
    : new AppError(code, { upstream: { message: failure.message, type: 'upstream_error', param: null, code } })
}
