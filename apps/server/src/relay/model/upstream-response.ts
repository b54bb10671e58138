import type { Failure } from '@sluice/vendors/core/failure'
import type { ReferableItem } from '@sluice/vendors/core/response'
import type { Usage } from '@sluice/vendors/core/usage'
import type { AttemptFailure, ExceededTimeout } from './attempt-failure.ts'
import type { ClientError } from './client-error.ts'
import type { SseEvent } from './sse-event.ts'

/** Why a response ended, as the log row stores it. */
export type EndReason = 'complete' | 'client_gone' | 'upstream_cut' | 'out_of_quota' | 'timed_out' | 'too_long' | 'shut_down' | 'failed'

/** What is known about a response after it ended. */
export interface ResponseEnd {
  readonly reason: EndReason
  /** The vendor's usage; `null` if it sent none. */
  readonly usage: Usage | null
  /** The usage is the sum of what parts of the response reported, because the response ended without the total. */
  readonly isPartial?: boolean | undefined
  /** The usage was compared with what is known of its turns. */
  readonly isJudged?: true
  /** The output that was delivered; it is counted if the vendor sent no usage. */
  readonly text: string
  /** Some of it is reasoning. */
  readonly hasReasoning?: boolean
  /** How long the vendor sent nothing while it may have worked; missing: it sends everything, or reported its usage. */
  readonly unseenMs?: number | undefined
  /** The vendor has begun to respond, so it bills the prompt. */
  readonly hasBegun?: true
  /** Tokens that its tools brought, which the model reads beside the prompt. */
  readonly toolTokens?: number | undefined
  /** A long response of which `text` is a part. */
  readonly isTextCut?: true | undefined
  /** See `Spent`. */
  readonly isUnread?: true
  /** The vendor's error, if it ended its stream with one. */
  readonly failure?: Failure
  /** The timeout that expired, if one did. */
  readonly exceeded?: ExceededTimeout
  /** The id under which the vendor stores the response. */
  readonly storedId?: string | undefined
  /** Parts of the response that later requests may refer to. */
  readonly items?: readonly ReferableItem[] | undefined
}

/** What the relay does for one upstream event. */
export interface ViewStep {
  /** Bytes to send; `null`: none. */
  readonly out: Uint8Array | null
  readonly text: string
  readonly failure: Failure | null
  /** The vendor's terminator: no event follows. The client's terminator is not in `out`; it is sent after the settlement. */
  readonly isTerminator: boolean
  /** It brings something other than text, such as audio. */
  readonly hasMedia?: boolean
  /** The event has no content of a response. */
  readonly isEmpty?: boolean
}

/** What is left to send after upstream ended. */
export interface ViewEnd {
  /** Upstream reported that the response is complete: the client may get a success terminator. */
  readonly isComplete: boolean
  readonly usage: Usage | null
  /** See `AnswerEnd`. */
  readonly isPartial?: boolean
  /** The last bytes of the response, sent after the settlement. */
  readonly tail: Uint8Array | null
  /** See `AnswerEnd`. */
  readonly toolTokens?: number
  readonly storedId?: string | undefined
  readonly items?: readonly ReferableItem[] | undefined
}

/** Converts the events of one upstream stream to the client's bytes. */
export interface StreamView {
  event(event: SseEvent): ViewStep
  end(): ViewEnd
  /** The event that reports an error to the client. `null`: the format has none, so the connection is reset. */
  error(error: ClientError): Uint8Array | null
}

/** The format of a streamed response. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>
  /** The heartbeat, sent while there is no data; `null`: the format has none. */
  readonly beat: Uint8Array | null
}

/** A channel's response, before any byte of it was sent to the client. */
export type AttemptResponse =
  | {
      readonly kind: 'whole'
      readonly contentType: string
      readonly body: Uint8Array<ArrayBuffer> | string
      readonly usage: Usage | null
      /** See `AnswerEnd`. */
      readonly isPartial?: true | undefined
      readonly text: string
      readonly isTextCut?: true | undefined
      readonly storedId?: string | undefined
      readonly items?: readonly ReferableItem[] | undefined
    }
  | {
      readonly kind: 'stream'
      readonly view: StreamView
      readonly first: readonly ViewStep[]
      readonly source: StreamSource
      readonly frame: Frame
    }

/** Measures audio while it passes by. */
export interface AudioLength {
  add(bytes: Uint8Array): void
  /** Milliseconds so far; 0: the format is not known. */
  ms(): number
}

/** Receives the events of a stream. */
export interface EventSink {
  events(events: readonly SseEvent[]): void
  /** Upstream ended. No call follows it, and none follows a failure. */
  end(): void
  fail(error: unknown): void
}

/** The part of an upstream stream that was not read yet. */
export interface StreamSource {
  /** The next complete events, before `flow` is called; `null`: upstream ended. @throws if it broke off */
  next(): Promise<readonly SseEvent[] | null>
  /** Sends all further events to the sink as they arrive; buffered events first, synchronously. */
  flow(sink: EventSink): void
  /** Stops reading from upstream until `resume`. */
  pause(): void
  resume(): void
  /** Upstream reported its end: ignores further data, and aborts if the connection does not end soon. */
  close(): void
  /** Aborts the upstream request. */
  abort(): void
}

export type Attempt =
  | { readonly isOk: true; readonly response: AttemptResponse }
  | { readonly isOk: false; readonly failed: AttemptFailure }
