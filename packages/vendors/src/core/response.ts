import type { JsonObject } from './json.ts'
import type { Usage } from './usage.ts'

/** Values for a translated response that the vendor's response does not have. */
export interface ResponseContext {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  /** The model name that the client requested. */
  readonly model: string
  /** From the request: see `Outgoing`. */
  readonly toolNames?: Readonly<Record<string, string>> | undefined
  readonly unwrapTool?: string | undefined
  readonly callsFunctions?: true | undefined
  readonly echo?: JsonObject | undefined
  readonly outputMax?: number | undefined
  readonly stopWords?: readonly string[] | undefined
  readonly cutAt?: readonly string[] | undefined
  readonly oneCall?: true | undefined
  /** Our count of the prompt, for protocols whose streams begin with one. */
  readonly promptTokens?: number | undefined
  /**
   * The client's protocol has more than OpenAI's chats: signed reasoning is sent as each block of it ends (`thinking_blocks`), and so is the stop
   * sequence that ended the response (`stop_reason` of the choice; empty: one of them).
   */
  readonly isDetailed?: true | undefined
}

export interface ClientResponse {
  /** In OpenAI's form of the kind. */
  readonly response: JsonObject
  readonly usage: Usage | null
  /** See `StreamEnd`. */
  readonly isPartial?: true
  readonly items?: readonly ReferableItem[]
}

/** A whole response that is no JSON in the pivot form either: speech. */
export interface BytesResponse {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly usage: Usage | null
}

/** A part of a response that later requests may refer to. */
export interface ReferableItem {
  /** Empty = requests cannot refer to it by id. */
  readonly id: string
  /** An encrypted text of it that only its vendor can read. */
  readonly encrypted?: string
  /** The whole item, if the vendor does not store it. */
  readonly content?: JsonObject
  /** It is no text that a vendor reads: a container, or a file in it. */
  readonly isTextless?: true
}
