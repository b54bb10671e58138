import type { Clock } from '../lib/clock.ts'
import type { Sight, Watch } from '../relay/model/watch.ts'
import type { RelayFigures } from './relay-figures.ts'
import type { Tracer } from './tracer.ts'

interface WatchDeps {
  readonly clock: Clock
  readonly figures: RelayFigures
  /** `null`: no traces are sent. */
  readonly tracer: Tracer | null
}

/** Counts what the relay tells, and keeps what spans need of a request where they will be sent. */
export function createWatch({ clock, figures, tracer }: WatchDeps): Watch {
  /** Called where a request may be over: it has been answered, and no stream of it goes on. */
  function closeIfOver(sight: Sight): void {
    const goesOn = (sight.isStreaming || sight.isWaiting) && sight.ended === null
    if (sight.isClosed || sight.status === 0 || goesOn) return
    sight.isClosed = true
    const nowMs = clock.monotonicMs()
    figures.closed(sight, nowMs)
    if (sight.trace !== null) tracer?.finish(sight, sight.trace, nowMs)
  }

  return {
    began(requestId, request) {
      figures.began()
      return {
        startedMs: clock.monotonicMs(),
        asked: null,
        channel: null,
        attempts: 0,
        attemptStartedMs: 0,
        firstByteMs: 0,
        isStreaming: false,
        isWaiting: false,
        status: 0,
        code: null,
        ended: null,
        isClosed: false,
        trace: tracer === null ? null : tracer.begin(requestId, request),
      }
    },
    asked(sight, asked) {
      sight.asked = asked
    },
    trying(sight, channel) {
      sight.channel = channel
      sight.attempts += 1
      sight.attemptStartedMs = clock.monotonicMs()
    },
    tried(sight, attempt) {
      const failed = attempt.isOk ? null : attempt.failed
      const endedMs = clock.monotonicMs()
      figures.tried(sight, failed, endedMs)
      const { trace, channel, attemptStartedMs: startedMs } = sight
      if (trace !== null && channel !== null) trace.attempts.push({ channel, startedMs, endedMs, failed })
    },
    waiting(sight) {
      sight.isWaiting = true
    },
    answering(sight, isStream) {
      sight.firstByteMs = clock.monotonicMs()
      if (!isStream) return
      sight.isStreaming = true
      figures.streaming()
    },
    ended(sight, ended) {
      // Decided once; what comes after a commit that failed is no second end.
      if (sight.ended !== null) return
      sight.ended = ended
      closeIfOver(sight)
    },
    answered(sight, status, code) {
      sight.status = status
      sight.code = code
      closeIfOver(sight)
    },
  }
}
