import type { Failure, MadeItem, Usage } from '@sluice/vendors/dialect'
import type { AttemptFailure, ExceededTimeout } from './attempt-failure.ts'
import type { OpenAiError } from './open-ai-error.ts'
import type { SseEvent } from './sse-event.ts'

/** How an answer ended, as the log says it. */
export type EndReason = 'complete' | 'client_gone' | 'upstream_cut' | 'out_of_quota' | 'timed_out' | 'too_long' | 'shut_down' | 'failed'

/** What is known of an answer when it is over. */
export interface AnswerEnd {
  readonly reason: EndReason
  /** The vendor's count; `null` where it gave none. */
  readonly usage: Usage | null
  /** Output that was delivered, for counting where the vendor gave no usage. */
  readonly text: string
  /** What the vendor said where it ended its stream with a failure. */
  readonly failure?: Failure
  /** The wait that was too long, where one was. */
  readonly exceeded?: ExceededTimeout
  /** The id under which the vendor keeps the answer. */
  readonly storedId?: string | undefined
  /** Its parts that later requests may refer to. */
  readonly items?: readonly MadeItem[] | undefined
}

/** What one upstream event means to the client. */
export interface ViewStep {
  /** Bytes to send; `null` = nothing. */
  readonly out: Uint8Array | null
  readonly text: string
  readonly failure: Failure | null
  /** The vendor's own end of the stream: nothing follows. The client's terminator is not in `out`, because it waits for the settlement. */
  readonly isTerminator: boolean
  /** Nothing of an answer is in it. */
  readonly isEmpty?: boolean
}

/** What is left to send when the stream is over. */
export interface ViewEnd {
  /** Upstream said that it had finished: the client may see a success terminator. */
  readonly isComplete: boolean
  readonly usage: Usage | null
  /** Bytes that end the answer, sent after the settlement. */
  readonly tail: Uint8Array | null
  readonly storedId?: string | undefined
  readonly items?: readonly MadeItem[] | undefined
}

/** Turns the events of one upstream stream into the client's bytes. */
export interface StreamView {
  event(event: SseEvent): ViewStep
  end(): ViewEnd
  /** The event by which a stream ends badly; `null`: it cannot be told, so the connection is reset. */
  error(error: OpenAiError): Uint8Array | null
}

/** How the client gets what is not whole yet. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>
  /** What is sent while nothing comes; `null` = nothing. */
  readonly beat: Uint8Array | null
}

/** The answer of a channel, before anything of it reached the client. */
export type Answer =
  | {
      readonly kind: 'whole'
      readonly contentType: string
      readonly body: Uint8Array<ArrayBuffer> | string
      readonly usage: Usage | null
      readonly text: string
      readonly storedId?: string | undefined
      readonly items?: readonly MadeItem[] | undefined
    }
  | {
      readonly kind: 'stream'
      readonly view: StreamView
      readonly first: readonly ViewStep[]
      readonly source: StreamSource
      readonly frame: Frame
    }

/** Where the events of a stream go. */
export interface EventSink {
  events(events: readonly SseEvent[]): void
  /** Upstream ended. Nothing comes after it, nor after a failure. */
  end(): void
  fail(error: unknown): void
}

/** The rest of an upstream stream. */
export interface StreamSource {
  /** The next complete events, before they flow; `null` = upstream ended. @throws where it broke off */
  next(): Promise<readonly SseEvent[] | null>
  /** Everything else goes to the sink as it comes; what has come already comes first, at once. */
  flow(sink: EventSink): void
  /** Holds upstream back, until `resume`. */
  pause(): void
  resume(): void
  /** Upstream has finished: stops the clock, or what still comes although it has said so. */
  close(): void
  /** Stops upstream at once. */
  abort(): void
}

export type Attempt = { readonly isOk: true; readonly answer: Answer } | { readonly isOk: false; readonly failed: AttemptFailure }
