import type { Failure } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { BytesResponse, ClientResponse, ReferableItem } from './response.ts'
import type { Usage } from './usage.ts'

/** The translation of one upstream event. */
export interface StreamStep {
  /** Events to send to the client: for a chat, OpenAI's `chat.completion.chunk` objects without usage. */
  readonly chunks: readonly JsonObject[]
  /** Output text in this step, from which tokens are counted when usage is missing. */
  readonly text: string
  readonly failure: Failure | null
  /** The vendor said why its response ended: it is one, even if nothing of it is sent before the end. */
  readonly isFinished?: boolean
  /** The vendor's last event: the response is over, whether the connection closes or not. */
  readonly isLast?: boolean
}

/** The result of a finished upstream stream. */
export interface StreamEnd {
  /** Whether upstream sent its own end marker: only then may the client get a success terminator. */
  readonly complete: boolean
  readonly usage: Usage | null
  /** It is the sum of what was delivered, because the vendor reported none. */
  readonly isPartial?: true
  /** See `PassedEvent`. */
  readonly hasReasoning?: boolean
  readonly searches?: number
  /** Chunks of a complete chat that are still to be sent: what may only be said once nothing more comes. */
  readonly rest?: readonly JsonObject[]
  /** The final events that are still to be sent, for kinds whose streams end in such events. */
  readonly last?: readonly JsonObject[]
  /** Number of events before them. */
  readonly count?: number
  readonly items?: readonly ReferableItem[]
}

export interface ChatStream {
  /**
   * One complete event: the joined `data:` lines of server-sent events, a line of NDJSON, a message. Garbage never throws; it yields an
   * empty step or a failure. @param name of the event, if it came with one
   */
  event(data: string, name?: string): StreamStep
  end(): StreamEnd
  /**
   * The whole response, if one came as a stream although the client wants it whole: speech, messages. `null` = it is no response. Chats are
   * collected from their chunks.
   */
  whole?(): BytesResponse | ClientResponse | null
}
