import type { ActivityBoard } from '../lib/activity-board.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestSpan, Telemetry } from '../relay/model/telemetry.ts'
import type { RelayFigures } from './relay-figures.ts'
import type { Tracer } from './tracer.ts'

interface TelemetryDeps {
  readonly clock: Clock
  readonly activities: ActivityBoard
  readonly figures: RelayFigures
  /** `null`: tracing is off. */
  readonly tracer: Tracer | null
}

/** Counts the relay's events, shows the watchdog what runs, and records what the spans of traced requests need. */
export function createTelemetry({ clock, activities, figures, tracer }: TelemetryDeps): Telemetry {
  /** Closes the span if its request is over: the response was sent, and no stream of it is running. */
  function closeIfOver(span: RequestSpan): void {
    const goesOn = (span.isStreaming || span.isWaiting) && span.ended === null
    if (span.isClosed || span.status === 0 || goesOn) return
    span.isClosed = true
    activities.remove(span.slot)
    const nowMs = clock.monotonicMs()
    figures.closed(span, nowMs)
    if (span.trace !== null) tracer?.finish(span, span.trace, nowMs)
  }

  return {
    began(requestId, request) {
      figures.began()
      const { method, url, bodyLength: bytes } = request
      const startedMs = clock.monotonicMs()
      return {
        startedMs,
        slot: activities.add({ id: requestId, method, url, bytes, startedMs }),
        target: null,
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
    routed(span, target) {
      span.target = target
      activities.setTarget(span.slot, target)
    },
    measuring: figures.measuring,
    trying(span, channel) {
      activities.setChannel(span.slot, channel.id)
      span.channel = channel
      span.attempts += 1
      span.attemptStartedMs = clock.monotonicMs()
    },
    tried(span, attempt) {
      activities.touch(span.slot)
      const failed = attempt.isOk ? null : attempt.failed
      const endedMs = clock.monotonicMs()
      figures.tried(span, failed, endedMs)
      const { trace, channel, attemptStartedMs: startedMs } = span
      if (trace !== null && channel !== null) trace.attempts.push({ channel, startedMs, endedMs, failed })
    },
    waiting(span) {
      span.isWaiting = true
    },
    responding(span, isStream) {
      activities.touch(span.slot)
      span.firstByteMs = clock.monotonicMs()
      if (!isStream) return
      span.isStreaming = true
      figures.streaming()
    },
    progressed(span) {
      activities.touch(span.slot)
    },
    ended(span, ended) {
      // The first end counts; a failed commit may report another one.
      if (span.ended !== null) return
      span.ended = ended
      closeIfOver(span)
    },
    served(span, status, code) {
      span.status = status
      span.code = code
      closeIfOver(span)
    },
  }
}
