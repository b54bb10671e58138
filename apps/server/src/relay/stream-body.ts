import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deadline, Deadlines } from '../lib/deadlines.ts'
import type { Answer, AnswerEnd, EndReason, ViewStep } from './answer.ts'
import { openAiError } from './error-reply.ts'
import type { RelayLimits } from './relay-deps.ts'
import type { Budget } from './reserve.ts'
import { encodeEvent } from './stream-views.ts'

interface StreamBodyOptions {
  readonly answer: Extract<Answer, { kind: 'stream' }>
  readonly budget: Budget
  readonly requestId: string
  readonly deadlines: Deadlines
  readonly clock: Clock
  readonly limits: RelayLimits
  /** Settles. Called once, however the stream ends; its end is sent to the client only when this has resolved. */
  readonly conclude: (end: AnswerEnd) => Promise<void>
}

/** A stream on its way to the client. */
export interface RunningStream {
  readonly body: ReadableStream<Uint8Array>
  /** The client has gone: stops upstream and settles what was delivered. */
  leave(): void
  /** Ends the stream with an error event, because the server stops. */
  cut(): void
}

const heartbeat = new TextEncoder().encode(': keep-alive\n\n')

/** What the client is told when a stream ends other than well. */
const codeOf = {
  upstream_cut: 'upstream_stream_interrupted',
  out_of_quota: 'insufficient_user_quota',
  timed_out: 'upstream_timeout',
  shut_down: 'shutting_down',
} as const satisfies Partial<Record<EndReason, string>>

type BadEnd = keyof typeof codeOf

/**
 * The client's body. Upstream is read only when the client wants more, so a slow client slows its own upstream and nothing else.
 * Exactly one end: upstream's own terminator, one error event, or silence towards a client that has gone.
 */
export function runStream({ answer, budget, requestId, deadlines, clock, limits, conclude }: StreamBodyOptions): RunningStream {
  const { view, source } = answer
  let text = ''
  let isOver = false
  let sink: ReadableStreamDefaultController<Uint8Array> | null = null
  let lastPullMs = clock.monotonicMs()
  let isPulling = false
  const total = deadlines.start(limits.totalMs, () => void fail('timed_out'))
  const watch: Deadline = deadlines.start(limits.heartbeatMs, onWatch)

  /** A heartbeat to a client that waits; the end for one that takes nothing. */
  function onWatch(): void {
    if (isOver) return
    if (isPulling) sink?.enqueue(heartbeat)
    else if (clock.monotonicMs() - lastPullMs > limits.stallMs) leave()
    if (isOver) return
    Object.assign(watch, deadlines.start(limits.heartbeatMs, onWatch))
  }

  /** `false`: the stream had ended before. */
  function finish(): boolean {
    if (isOver) return false
    isOver = true
    deadlines.cancel(total)
    deadlines.cancel(watch)
    return true
  }

  async function complete(): Promise<void> {
    const end = view.end()
    if (!end.isComplete) return await fail('upstream_cut')
    if (!finish()) return
    await conclude({ reason: 'complete', usage: end.usage, text })
    if (end.tail !== null) sink?.enqueue(end.tail)
    sink?.close()
  }

  async function fail(reason: BadEnd, message?: string): Promise<void> {
    if (!finish()) return
    source.abort()
    await conclude({ reason, usage: view.end().usage, text })
    const error = new AppError(
      codeOf[reason],
      message === undefined ? {} : { upstream: { message, type: 'upstream_error', param: null, code: codeOf[reason] } },
    )
    sink?.enqueue(encodeEvent(openAiError(error, requestId)))
    sink?.close()
  }

  function leave(): void {
    if (!finish()) return
    source.abort()
    void conclude({ reason: 'client_gone', usage: view.end().usage, text })
  }

  /** Sends what the steps say. `true`: something was sent or the stream has ended, so the turn is over. */
  async function take(steps: readonly ViewStep[]): Promise<boolean> {
    let hasSent = false
    for (const step of steps) {
      if (step.out !== null) {
        sink?.enqueue(step.out)
        hasSent = true
      }
      text += step.text
      if (step.failure !== null) return await fail('upstream_cut', step.failure.message).then(() => true)
      if (step.isTerminator) return await complete().then(() => true)
      if (step.text !== '' && !budget.spend(step.text)) return await fail('out_of_quota').then(() => true)
    }
    return hasSent
  }

  async function pullNext(): Promise<void> {
    while (!isOver) {
      const events = await source.next()
      if (isOver) return
      if (events === null) return await complete()
      if (await take(events.map((event) => view.event(event)))) return
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        sink = controller
        await take(answer.first)
      },
      async pull() {
        isPulling = true
        try {
          await pullNext()
        } catch {
          await fail('upstream_cut')
        } finally {
          isPulling = false
          lastPullMs = clock.monotonicMs()
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  return { body, leave, cut: () => void fail('shut_down') }
}
