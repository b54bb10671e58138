import type { Failure } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import type { BytesResponse, ReferableItem, ResponseContext } from './response.ts'
import type { ClientMessage, CutTexts, SessionEvent } from './session.ts'
import type { Usage } from './usage.ts'

/** What was read of one event of a passed-through stream. */
export interface PassedEvent {
  readonly usage: Usage | null
  /** Output text in this event (content, reasoning, tool arguments). */
  readonly text: string
  /** A choice carried a finish reason: the response is complete even if the terminator is lost. */
  readonly finished: boolean
  /** An event that exists only because usage was requested; removed if the client did not request it. */
  readonly usageOnly: boolean
  /** It has no part of a response; a stream with only such events has no response. */
  readonly isEmpty?: boolean
  readonly failure: Failure | null
  /** The event that ends the stream: it is held back until the charge is settled. */
  readonly isLast?: boolean
  /**
   * A separate response, such as one of several images: their counts are summed. It is held back until the next event or the end of the stream,
   * when the charge is settled.
   */
  readonly isOutputBlock?: boolean
  /** `usage` is of this event only. The sum of these is used if the stream ends before it reports its whole usage. */
  readonly isPart?: boolean
  /** The images and the audio in it: see `withMedia`. */
  readonly media?: Usage
  /** See `Passthrough.response`. */
  readonly storedId?: string | undefined
  readonly items?: readonly ReferableItem[] | undefined
  /** Web searches of the whole response, as far as this event reports them. */
  readonly searches?: number
  /** It names sources on the web, so the vendor has searched, although only its usage reports how often. */
  readonly isSourced?: boolean
  /** Tokens that a tool of the vendor brought with this event, which the model reads beside the prompt. */
  readonly toolTokens?: number
  /** It has tool calls, or parts of them. */
  readonly callsTools?: boolean
  /** It has reasoning, which may change the price of all output. */
  readonly hasReasoning?: boolean | undefined
  /** It has text in another form than OpenAI's, or pages that were found, so it is rewritten. */
  readonly needsRewrite?: boolean
  /** The event, if it was parsed. */
  readonly chunk?: JsonObject
}

/** Adds fields and events that clients need and a server leaves out of a stream. */
export interface StreamRepair {
  /** The event to send instead; `null` = forward the received bytes. */
  event(event: { readonly data: string | null }, seen: PassedEvent): JsonObject | null
  /** Events that the server left out at the end of a complete response. */
  end(): readonly JsonObject[]
}

/** What was read of a whole response that is passed through. */
export interface ReadResponseParts {
  readonly usage: Usage | null
  readonly text: string
  /** The images and the audio in it: see `withMedia`. */
  readonly media?: Usage
  /** The id under which the vendor stores it, so that it can be retrieved later. */
  readonly storedId?: string | undefined
  readonly items?: readonly ReferableItem[] | undefined
}

/** A part of a repaired response, and the bytes of the response that were read for it. */
export interface RepairedPart {
  readonly bytes: Uint8Array
  readonly readBytes: number
}

export interface Passthrough {
  /** The `data:` of an event that only ends a stream; missing if the kind's streams have none. */
  readonly terminator?: string
  response(json: Json): ReadResponseParts | Failure | null
  event(data: string): PassedEvent
  /** The whole response of the events of a stream; `null` = they are no complete response. Missing: the dialect translates them (`Dialect.stream`). */
  readonly joined?: (events: readonly JsonObject[]) => JsonObject | null
  /** A reader of the events of one stream, where some can be read only with those before them. @param note is called with each event that it reads */
  open?(note?: (event: JsonObject) => void): (data: string) => PassedEvent
  /** The event that ends a stream, for servers that leave it out. */
  readonly closing?: JsonObject
  /**
   * Names of the members of an event that change while the others stay: those that hold the text, of which an event has one, one of
   * random padding, and totals of a usage that each event reports. Missing if the events of a stream change in more.
   */
  readonly changing?: { readonly text: readonly string[]; readonly padding?: string; readonly counts?: readonly string[] }
  /** Missing if streams of the kind need no repairs. */
  readonly repair?: (context: ResponseContext, wantsUsage: boolean) => StreamRepair
  /** Repairs a whole response; `null` = it needs none. */
  readonly repairResponse?: (response: JsonObject, context: ResponseContext) => JsonObject | null
  /** A whole response that came as a bare list, as the object that clients know; `null` = it is none. */
  readonly fromList?: (list: readonly Json[], context: ResponseContext) => JsonObject | null
  /** A whole response that came as JSON, in the form that the client wants; `null` = it wants JSON. */
  readonly asText?: (response: JsonObject, usage: Usage | null, context: ResponseContext) => BytesResponse | Failure | null
  /** The bytes of a whole response with what has to be changed in them, part by part: it may be too long to be parsed. `null` = nothing has. */
  readonly repairBytes?: (bytes: Uint8Array, context: ResponseContext) => Iterable<RepairedPart> | null
  /** Reads messages of a session from the client, and from the vendor; missing if the kind has no sessions. */
  readonly readClientMessage?: (data: string, cut: CutTexts) => ClientMessage
  readonly readVendorMessage?: (data: string, cut: CutTexts) => SessionEvent | null
}
