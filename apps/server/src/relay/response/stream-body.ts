import type { ErrorCode } from '@sluice/contract/errors'
import type { ResponseStream } from '@sluice/http1/response'
import type { Failure } from '@sluice/vendors/core/failure'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import type { OutputBudget } from '../billing/output-budget.ts'
import type { ExceededTimeout } from '../model/attempt-failure.ts'
import { type RelayLimits, readOnMsOf } from '../model/limits.ts'
import type { SseEvent } from '../model/sse-event.ts'
import type { AttemptResponse, EndReason, EventSink, ResponseEnd, ViewStep } from '../model/upstream-response.ts'
import { UnpackedTooLarge } from '../upstream/http1/decode-body.ts'
import { ResponseTooLong, StreamIdle } from '../upstream/open-stream.ts'
import { clientError } from '../wire/error-response.ts'
import { SseLineTooLong } from '../wire/sse.ts'
import { timeoutError } from '../wire/timeout-error.ts'
import { streamFailure } from '../wire/vendor-error.ts'
import { DeliveredText } from './delivered-text.ts'

interface StreamBodyOptions {
  readonly response: Extract<AttemptResponse, { kind: 'stream' }>
  readonly budget: OutputBudget
  readonly countTokens: (text: string) => Promise<number>
  readonly requestId: string
  readonly deadlines: Deadlines
  readonly limits: RelayLimits
  readonly clock: Pick<Clock, 'monotonicMs'>
  /**
   * What the vendor bills is not all in what it streams, so that a client which leaves before the usage would not pay for the rest: its reasoning.
   * By `startedMs` the attempt began.
   */
  readonly unseen: { readonly startedMs: number } | null
  /** Removes secrets from the vendor's error. */
  readonly clean: (failure: Failure) => Failure
  /** Called for the events of each chunk. */
  readonly progressed: () => void
  /** Settles the request. Called once, however the stream ends; the client's terminator is sent after it resolves. */
  readonly conclude: (end: ResponseEnd) => Promise<void>
}

/** A stream being sent to the client. */
export interface RunningStream {
  /** Sends all data to this stream from now on. */
  start(out: ResponseStream): void
  /** The client disconnected: aborts upstream and settles what was delivered, or reads on for the usage. */
  onClientAbort(): void
  /** Ends the stream with an error event, because the server shuts down. */
  cut(): void
}

/** Why the relay ends a stream: for the log and for the client's error. */
interface Ending {
  readonly reason: EndReason
  readonly code: ErrorCode
  /** The vendor's error, if it sent one. */
  readonly failure?: Failure
  /** The timeout that expired, if one did. */
  readonly exceeded?: ExceededTimeout
}

/** Shorter pauses are those between the pieces of a text. */
const silenceMsMin = 1_000

const endings = {
  cut: { reason: 'upstream_cut', code: 'upstream_stream_interrupted' },
  lineTooLong: { reason: 'upstream_cut', code: 'upstream_line_too_long' },
  tooLong: { reason: 'too_long', code: 'upstream_answer_too_long' },
  outOfQuota: { reason: 'out_of_quota', code: 'insufficient_user_quota' },
  timedOut: { reason: 'timed_out', code: 'upstream_timeout' },
  shutDown: { reason: 'shut_down', code: 'shutting_down' },
} as const satisfies Record<string, Ending>

/** Whether an exact count ended the stream: output that waited for the count is then dropped. */
function isByCount({ reason }: Ending): boolean {
  return reason === 'too_long' || reason === 'out_of_quota'
}

function endingOf(error: unknown): Ending {
  if (error instanceof SseLineTooLong) return endings.lineTooLong
  if (error instanceof ResponseTooLong || error instanceof UnpackedTooLarge) return endings.tooLong
  return error instanceof StreamIdle ? { ...endings.timedOut, exceeded: error.exceeded } : endings.cut
}

/**
 * The client's body. Events are sent as they arrive; while a client does not read, only its own upstream is paused. It has exactly one end:
 * upstream's terminator, one error event, a reset, or nothing if the client disconnected.
 */
export function runStream(options: StreamBodyOptions): RunningStream {
  return new StreamBody(options)
}

class StreamBody implements RunningStream, EventSink {
  readonly #options: StreamBodyOptions
  readonly #text = new DeliveredText()
  readonly #total: Deadline
  #heartbeat: Deadline
  #out: ResponseStream | null = null
  /** Bytes to send together with adjacent bytes of the same chunk. */
  #unsent: Uint8Array | null = null
  /** The client's buffer is full. */
  #isFull = false
  /** Something was sent since the last heartbeat check. */
  #hasSent = false
  #isOver = false
  #ending: Ending | null = null
  #hasWords = false
  /** When words came last, or the attempt began, and how long there were none before that. */
  #lastOutputMs: number
  #silentMs = 0
  /** Set when the client has left and the rest is read for its usage. */
  #readingOn: Deadline | null = null
  /** Offset of the text that was not counted exactly, and the number of tokens before it. */
  #countedTo = 0
  #counted = 0
  /** Set while an exact count runs: later output waits here; its text begins at this offset. */
  #waiting: { readonly textFrom: number; readonly out: Uint8Array[]; isLast: boolean } | null = null

  constructor(options: StreamBodyOptions) {
    const { deadlines, limits } = options
    this.#options = options
    this.#lastOutputMs = options.unseen?.startedMs ?? 0
    this.#total = deadlines.start(limits.totalMs, () =>
      this.#stop({ ...endings.timedOut, exceeded: { setting: 'total_seconds', ms: limits.totalMs } }),
    )
    this.#heartbeat = this.#startHeartbeat()
  }

  start(out: ResponseStream): void {
    if (this.#isOver) {
      out.reset()
      return
    }
    const { response, clock } = this.#options
    this.#out = out
    out.drained = () => {
      this.#isFull = false
      // The vendor was not read meanwhile.
      this.#lastOutputMs = clock.monotonicMs()
      if (this.#waiting === null) response.source.resume()
    }
    if (this.#takeSteps(response.first)) response.source.flow(this)
    else this.#endWhenCounted()
  }

  events(events: readonly SseEvent[]): void {
    if (this.#isOver) return
    this.#options.progressed()
    if (!this.#takeEvents(events)) this.#endWhenCounted()
  }

  end(): void {
    this.#endWhenCounted()
  }

  fail(error: unknown): void {
    this.#ending ??= endingOf(error)
    void this.#conclude()
  }

  onClientAbort(): void {
    if (this.#isOver || this.#readingOn !== null) return
    const { unseen, limits, deadlines } = this.#options
    const readOnMs = this.#hasWords ? readOnMsOf(limits) : limits.abandonedMs
    if (unseen === null || readOnMs === 0) this.#leave()
    else this.#readOn(deadlines.start(readOnMs, () => this.#leave()))
  }

  cut(): void {
    this.#stop(endings.shutDown)
  }

  #readOn(until: Deadline): void {
    this.#out = null
    this.#isFull = false
    this.#readingOn = until
    if (this.#waiting === null) this.#options.response.source.resume()
  }

  /** Settles a stream whose client has left. */
  #leave(): void {
    if (!this.#finish()) return
    const { response, conclude, unseen } = this.#options
    const { usage, isPartial, isComplete, toolTokens } = response.view.end()
    if (isComplete) response.source.close()
    else response.source.abort()
    const text = this.#readingOn === null ? this.#deliveredText() : this.#text.between(0, this.#text.length)
    const isTold = usage !== null && isPartial !== true
    this.#endSilence()
    const unseenMs = unseen === null || isTold ? undefined : this.#silentMs
    conclude({ reason: 'client_gone', usage, isPartial, text, unseenMs, hasBegun: true, toolTokens }).catch(() => {})
  }

  /** Ends a time without output: a model that works unseen may have worked in it. */
  #endSilence(): void {
    const now = this.#options.clock.monotonicMs()
    if (now - this.#lastOutputMs >= silenceMsMin) this.#silentMs += now - this.#lastOutputMs
    this.#lastOutputMs = now
    this.#hasWords = true
  }

  /** `false`: the stream ends after these events. */
  #takeEvents(events: readonly SseEvent[]): boolean {
    const { view } = this.#options.response
    try {
      for (const event of events) if (!this.#take(view.event(event))) return false
      this.#flush()
      return true
    } catch (error) {
      this.#ending ??= endingOf(error)
      return false
    }
  }

  #takeSteps(steps: readonly ViewStep[]): boolean {
    for (const step of steps) if (!this.#take(step)) return false
    this.#flush()
    return true
  }

  /** Applies a step and sends its output. `false`: the stream ends after it. */
  #take({ failure, isTerminator, text, out, hasMedia }: ViewStep): boolean {
    if (failure !== null) this.#ending ??= { ...endings.cut, failure: this.#options.clean(failure) }
    if (text !== '' || hasMedia === true) this.#endSilence()
    if (text !== '') {
      const textFrom = this.#text.length
      this.#text.add(text)
      if (!this.#options.budget.spend(text)) this.#countExactly(textFrom)
    }
    if (out !== null) this.#send(out)
    return !isTerminator && this.#ending === null
  }

  /** Counts the delivered text exactly; until the result is there, upstream is paused and nothing is sent. */
  #countExactly(textFrom: number): void {
    if (this.#waiting !== null) return
    const { source } = this.#options.response
    this.#flush()
    this.#waiting = { textFrom, out: [], isLast: false }
    source.pause()
    this.#count().catch((error: unknown) => this.fail(error))
  }

  async #count(): Promise<void> {
    const { budget, countTokens, response } = this.#options
    // Events of the same chunk, or already on their way, are counted with it.
    while (!this.#isOver && this.#countedTo < this.#text.length) {
      const to = this.#text.length
      this.#counted += await countTokens(this.#text.between(this.#countedTo, to))
      this.#countedTo = to
    }
    if (this.#isOver) return
    await budget.fund(this.#counted)
    if (this.#isOver) return
    const stop = budget.counted(this.#counted)
    if (stop !== null) {
      this.#stop(stop === 'too_long' ? endings.tooLong : endings.outOfQuota)
      return
    }
    const isLast = this.#waiting?.isLast === true
    this.#sendWaiting()
    if (isLast) await this.#conclude()
    else if (!this.#isFull) response.source.resume()
  }

  /** Upstream ended. A pending count may still decide whether the rest is sent. */
  #endWhenCounted(): void {
    if (this.#waiting === null) void this.#conclude()
    else this.#waiting.isLast = true
  }

  #sendWaiting(): void {
    const out = this.#waiting?.out ?? []
    this.#waiting = null
    for (const bytes of out) this.#send(bytes)
    this.#flush()
  }

  /** The text that was sent. */
  #deliveredText(): string {
    return this.#text.between(0, this.#waiting?.textFrom ?? this.#text.length)
  }

  /** Merges adjacent slices of the same chunk into one write. */
  #send(bytes: Uint8Array): void {
    if (this.#waiting !== null) {
      this.#waiting.out.push(bytes)
      return
    }
    const before = this.#unsent
    // The offsets are compared first, because the runtime creates the object of a buffer on first access.
    if (before !== null && before.byteOffset + before.length === bytes.byteOffset && before.buffer === bytes.buffer) {
      this.#unsent = new Uint8Array(before.buffer, before.byteOffset, before.length + bytes.length)
      return
    }
    this.#flush()
    this.#unsent = bytes
  }

  #flush(): void {
    const bytes = this.#unsent
    if (bytes === null || this.#out === null) return
    this.#unsent = null
    this.#hasSent = true
    if (this.#out.write(bytes) || this.#isFull) return
    this.#isFull = true
    this.#options.response.source.pause()
  }

  #startHeartbeat(): Deadline {
    const { deadlines, limits } = this.#options
    return deadlines.start(limits.heartbeatMs, () => this.#onHeartbeat())
  }

  /** Sends a heartbeat if nothing was sent. */
  #onHeartbeat(): void {
    this.#heartbeat = this.#startHeartbeat()
    const { beat } = this.#options.response.frame
    if (beat !== null && !this.#hasSent && !this.#isFull) this.#out?.write(beat)
    this.#hasSent = false
  }

  #stop(why: Ending): void {
    this.#ending ??= why
    void this.#conclude()
  }

  /** `false`: the stream had ended before. */
  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    const { deadlines } = this.#options
    deadlines.cancel(this.#total)
    deadlines.cancel(this.#heartbeat)
    if (this.#readingOn !== null) deadlines.cancel(this.#readingOn)
    return true
  }

  /** Settles, then sends the end of the stream. */
  async #conclude(): Promise<void> {
    if (this.#readingOn !== null) return this.#leave()
    if (!this.#finish()) return
    const { response, conclude, requestId } = this.#options
    const { usage, isPartial, isComplete, tail, storedId, items, toolTokens } = response.view.end()
    if (!isComplete) this.#ending ??= endings.cut
    const ending = this.#ending
    if (ending === null || !isByCount(ending)) this.#sendWaiting()
    const text = this.#deliveredText()
    try {
      if (ending === null) {
        response.source.close()
        await conclude({ reason: 'complete', usage, isPartial, text, storedId, items, toolTokens })
        return this.#close(tail)
      }
      response.source.abort()
      await conclude({ ...ending, usage, isPartial, text, toolTokens })
      const errorBytes = response.view.error(clientError(errorFor(ending), requestId))
      if (errorBytes === null) this.#out?.reset()
      else this.#close(errorBytes)
    } catch {
      // The settlement failed, so the stream must not look complete.
      this.#out?.reset()
    }
  }

  #close(last: Uint8Array | null): void {
    this.#flush()
    if (last !== null) this.#out?.write(last)
    this.#out?.end()
  }
}

function errorFor({ code, failure, exceeded }: Ending): AppError {
  if (exceeded !== undefined) return timeoutError(exceeded)
  return failure === undefined ? new AppError(code) : streamFailure(failure)
}
