import type { IncomingRequest } from '@sluice/http1/incoming-request'
import type { Usage } from '@sluice/vendors/core/usage'
import type { AttemptFailure } from './attempt-failure.ts'
import type { Channel } from './channel.ts'
import type { Attempt, EndReason } from './upstream-response.ts'

/** What a request asks for, known after routing: `model` is a configured name. */
export interface RequestTarget {
  readonly kind: string
  readonly model: string
}

/** How a request with a reservation ended: decided, perhaps not committed yet. */
export interface Ended {
  readonly reason: EndReason
  /** The charged usage; `null` if nothing is charged. */
  readonly usage: Usage | null
  readonly quota: number
}

/** The measurements of one request. The relay passes it along; only telemetry reads it. Times are monotonic milliseconds. */
export interface RequestSpan {
  readonly startedMs: number
  /** Where the watchdog finds the request. */
  readonly slot: number
  target: RequestTarget | null
  /** The channel being tried, or the one that responded. */
  channel: Channel | null
  attempts: number
  attemptStartedMs: number
  /** 0: no byte was received. */
  firstByteMs: number
  /** A stream has begun and has not ended. */
  isStreaming: boolean
  /** The status was sent before there was a response, so the request runs until it has `ended`. */
  isWaiting: boolean
  /** HTTP status of the response; 0: not begun. */
  status: number
  /** The error code of the response; `null`: no error. */
  code: string | null
  ended: Ended | null
  /** The request is finished and counted. */
  isClosed: boolean
  /** `null`: the request is not traced. */
  readonly trace: Trace | null
}

/** What is kept of a request for tracing. */
export interface Trace {
  readonly traceId: string
  readonly spanId: string
  /** The client's span id; empty: it sent none. */
  readonly parentSpanId: string
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** Milliseconds since the epoch at monotonic time 0. */
  readonly epochMs: number
  readonly attempts: TracedAttempt[]
}

export interface TracedAttempt {
  readonly channel: Channel
  readonly startedMs: number
  readonly endedMs: number
  readonly failed: AttemptFailure | null
}

/** The events that the relay reports. The methods neither block nor throw. */
export interface Telemetry {
  began(requestId: string, request: IncomingRequest): RequestSpan
  routed(span: RequestSpan, target: RequestTarget): void
  /** Work begins that is done only for callers who can pay: media are measured, files are read, or text is counted. */
  measuring(kind: string): void
  trying(span: RequestSpan, channel: Channel): void
  tried(span: RequestSpan, attempt: Attempt): void
  /** The client gets status and heartbeats before there is a response. */
  waiting(span: RequestSpan): void
  /** The first byte for the client is ready. */
  responding(span: RequestSpan, isStream: boolean): void
  /** The vendor's response, or more of it, has arrived and is worked on. */
  progressed(span: RequestSpan): void
  /** Called once per request that had a reservation. */
  ended(span: RequestSpan, ended: Ended): void
  /** Called once per request, with the head of the response. A stream that is `responding` continues until it has `ended`. */
  served(span: RequestSpan, status: number, code: string | null): void
}
