import type { Received } from '@sluice/http1/received'
import type { Usage } from '@sluice/vendors/dialect'
import type { Attempt, EndReason } from './answer.ts'
import type { AttemptFailure } from './attempt-failure.ts'
import type { Channel } from './channel.ts'

/** What a request turned out to ask for, once it has been routed: the model is one of ours. */
export interface RequestTarget {
  readonly kind: string
  readonly model: string
}

/** How a request with a reservation ended, decided but perhaps not committed yet. */
export interface Ended {
  readonly reason: EndReason
  /** What is charged for; `null` where nothing is. */
  readonly usage: Usage | null
  readonly quota: number
}

/** One request under watch. The relay carries it along; only whoever watches looks into it. Times are monotonic milliseconds. */
export interface RequestSpan {
  readonly startedMs: number
  target: RequestTarget | null
  /** Channel that is tried, or answered. */
  channel: Channel | null
  attempts: number
  attemptStartedMs: number
  /** 0 = no byte came. */
  firstByteMs: number
  /** A stream has begun whose end is still to come. */
  isStreaming: boolean
  /** Its status was sent while its answer was still awaited, so that it goes on until it has `ended`. */
  isWaiting: boolean
  /** HTTP status of the answer; 0 = it has not begun. */
  status: number
  /** Code of the error that was the answer; `null` where it was none. */
  code: string | null
  ended: Ended | null
  /** Nothing more happens to it, and it has been counted. */
  isClosed: boolean
  /** `null`: no spans of it will be sent. */
  readonly trace: Trace | null
}

/** What is kept of a request for its spans. */
export interface Trace {
  readonly traceId: string
  readonly spanId: string
  /** The client's own span; empty = it named none. */
  readonly parentSpanId: string
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** Milliseconds since the epoch at monotonic 0. */
  readonly epochMs: number
  readonly attempts: TracedAttempt[]
}

export interface TracedAttempt {
  readonly channel: Channel
  readonly startedMs: number
  readonly endedMs: number
  readonly failed: AttemptFailure | null
}

/** What the relay tells of its requests. Nothing of it waits or throws. */
export interface Telemetry {
  began(requestId: string, request: Received): RequestSpan
  routed(span: RequestSpan, target: RequestTarget): void
  trying(span: RequestSpan, channel: Channel): void
  tried(span: RequestSpan, attempt: Attempt): void
  /** The client gets its status and heartbeats before there is an answer. */
  waiting(span: RequestSpan): void
  /** The first byte for the client is there. */
  answering(span: RequestSpan, isStream: boolean): void
  /** Once for each request that had a reservation. */
  ended(span: RequestSpan, ended: Ended): void
  /** Once for each request: the answer's head. A stream that is `answering` goes on until it has `ended`. */
  answered(span: RequestSpan, status: number, code: string | null): void
}
