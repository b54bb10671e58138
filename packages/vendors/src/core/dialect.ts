import type { CallForm } from './call-form.ts'
import type { ChannelFacts } from './channel-config.ts'
import type { Json, JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { Rewrites } from './rewrites.ts'
import type { TextFiles } from './text-file-form.ts'
import type { VendorQuery } from './vendor-query.ts'

/**
 * Usage of one answer. All counts are whole numbers >= 0. The parts of `promptTokens` (cached, written, audio, image) do not overlap,
 * and neither do those of `completionTokens` (audio, image); the remainder is plain text.
 */
export interface Usage {
  /** All input, including reads from and writes to a prompt cache. */
  readonly promptTokens: number
  /** All output, including reasoning. */
  readonly completionTokens: number
  /** The part of `promptTokens` that was read from the vendor's cache: text, audio and images. */
  readonly cachedTokens: number
  /** The part of `promptTokens` that was written to a cache for five minutes. */
  readonly cacheWriteTokens: number
  /** The part of `promptTokens` that was written to a cache for an hour. */
  readonly cacheWrite1hTokens: number
  /** The part of `completionTokens` that was reasoning. For display; priced as output. */
  readonly reasoningTokens: number
  /** The parts of `promptTokens` that were audio and images, and not read from a cache. */
  readonly audioInputTokens: number
  readonly imageInputTokens: number
  /** The parts of `completionTokens` that were audio and images. */
  readonly audioOutputTokens: number
  readonly imageOutputTokens: number
  /** Length of the input or output audio, for models that are priced by it. */
  readonly audioMs: number
  /** Characters that were turned into speech. */
  readonly characters: number
  /** Generated images. Their size and quality are in the request. */
  readonly images: number
  /** Calls, for models that are priced by the call. */
  readonly calls: number
  /** Web searches, and searches in the client's files, that the vendor ran for the answer. */
  readonly searches: number
  readonly fileSearches: number
  /** Gigabytes of the containers in which the vendor ran code for the answer, as far as the answer shows their size; one if not. */
  readonly containers: number
  /** How many they were; 0: their memory has no price. */
  readonly containerCount: number
  /** Usage of other models for the answer: images of a tool, transcribed speech. */
  readonly delegated: readonly Delegated[]
  /** The service tier that the vendor reports. */
  readonly serviceTier: ServiceTier
  /** The vendor kept the work within the region that was asked for, which has a price of its own. */
  readonly isRegional: boolean
  /** `cachedTokens` are of a cache that the request asked for by marks, and not of one that the vendor keeps on its own. */
  readonly isCacheExplicit: boolean
  /** The vendor refused to answer and wrote nothing; whether it bills that is in its record (`Vendor.freeRefusals`). */
  readonly isRefused: boolean
  /** The model that answered, where a request may name several; `null` = the answer does not tell. A vendor's text. */
  readonly answeredBy: string | null
  /** Prompt and output of the longest call of the model, where the vendor tells its calls apart; `null` = it does not. */
  readonly largestCall: number | null
  /** What the vendor says that it charged, in billionths of a dollar; `null` = it does not say. */
  readonly costNanos: number | null
  /** The vendor sent invalid counts. They are left out here; the gateway counts itself. */
  readonly isSuspect: boolean
}

/** Work that one model delegated to another; priced as the other model. */
export interface Delegated {
  /** The model that did it, and one whose price is used if that has none. */
  readonly models: readonly [string, string]
  /** Set when the vendor reports no tokens: an image is then priced by size and quality. */
  readonly size?: string
  readonly quality?: string
  /** Its usage in tokens or in pieces. */
  readonly usage: Usage
}

/** Service tiers with prices of their own. Every other tier costs the same as `standard`. */
export type ServiceTier = 'standard' | 'flex' | 'priority' | 'fast' | 'ultrafast' | 'batch'

/**
 * Classes of upstream failures, with what routing does:
 * bad_request (the client's fault: passed on, not retried), bad_key and no_quota (the channel's key: disable),
 * forbidden (refused for a reason other than the key, by the vendor or a proxy before it; try another channel),
 * model_not_found (try another channel), rate_limited (cool down), unavailable (try another channel).
 */
export type FailureKind = 'bad_request' | 'bad_key' | 'no_quota' | 'forbidden' | 'model_not_found' | 'rate_limited' | 'unavailable'

export interface Failure {
  readonly kind: FailureKind
  /** The vendor's text, or a sentence of ours if it sent none. Untrusted: shown as text only. */
  readonly message: string
  /** `type`, `param` and `code` of the vendor's error in the OpenAI form. */
  readonly type: string | null
  readonly param: string | null
  readonly code: string | null
  /** When the vendor wants to be asked again, if its error says so and no header does. */
  readonly retryAfterSeconds?: number
  /** The answer is beyond our own limits, and this much of it was read: the vendor has made it, and bills it. */
  readonly unread?: UnreadAnswer
  /** What the vendor counts for an answer that it ended so, and bills. */
  readonly usage?: Usage
}

/** What is known of an answer that cannot be sent. */
export interface UnreadAnswer {
  readonly usage: Usage | null
  readonly text: string
}

/** A file that the client sent. */
export interface SentFile {
  /** The field of the form. */
  readonly name: string
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Parts of the pivot that OpenAI's chats do not have, and that some vendors read. */
export type ChatExtra =
  | 'cache_control'
  | 'extra_content'
  | 'images'
  | 'reasoning_content'
  /** `strict` functions with parameters that are optional, which OpenAI refuses. */
  | 'strict_options'
  | 'thinking_blocks'
  | 'thinking_budget'
  | 'top_k'

/** Parameters of an upstream request that are not in its body. */
export interface Target {
  readonly kind: Kind
  /** The upstream model name, after mapping. */
  readonly model: string
  readonly stream: boolean
  readonly channel: ChannelFacts
  /** The client's files, for dialects that read them (`Dialect.readsFiles`). */
  readonly files?: readonly SentFile[]
  /** Whether `stream_options.include_usage` may be sent. */
  readonly streamUsage: boolean
  /** Parts of the pivot beside OpenAI's own that the vendor's chats hold (`Vendor.chatExtras`). */
  readonly extras?: readonly ChatExtra[] | undefined
  /** What the vendor's chats take of tools and calls (`Vendor.calls`). */
  readonly calls?: CallForm | undefined
  /** Headers of the client that the kind passes on, by names in lower case. */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined
  /**
   * Our limit of output tokens, if the client named none: the amount in the hold. The dialect writes it into its own field, and asks for
   * nothing that would need more. Missing if the client named a limit, or output is free.
   */
  readonly outputLimit?: number | undefined
  /** Our limit of searches by the vendor, if the client names none: the balance covers no more. Missing: it covers any number. */
  readonly searchesMax?: number | undefined
  /** What the vendor refused in the request before this one (`Dialect.mended`). */
  readonly refusal?: Failure | undefined
  /** What may be changed in the request so that the vendor takes it, and where the dialect notes what it changed. */
  readonly rewrites: Rewrites
}

export interface Outgoing {
  /** Under the channel's base URL, beginning with a slash; or an absolute address. */
  readonly path: string
  /** Names in lower case. They replace those that are sent with every JSON request. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** Sent instead of `body`; `headers` then name its content type. */
  readonly bytes?: Uint8Array
  /** Fields of the client's form that are sent with these values. */
  readonly formFields?: Readonly<Record<string, string>>
  /** The client's form is sent as it came, although its files were read: the dialect only judges them. */
  readonly sendsForm?: true
  /** The address is one of a WebSocket: these are the messages that open the exchange, and every message that comes is an event. */
  readonly messages?: readonly string[]
  /** Milliseconds from one of these messages to the next, for sound that must come as it is spoken. Missing: they are sent at once. */
  readonly messageEveryMs?: number
  /** Tool names that the vendor would refuse: sent name -> the client's name. */
  readonly toolNames?: Readonly<Record<string, string>>
  /** A parameter that the client sent, that would change the answer, and that the vendor's form cannot hold: the request is refused. */
  readonly refused?: string
  /** The tool that carries a structured answer: its input is the content that the client asked for. */
  readonly unwrapTool?: string
  /** The client declared functions in the deprecated form, so calls are returned in that form. */
  readonly callsFunctions?: true
  /** Fields of the request that its answer repeats. */
  readonly echo?: JsonObject
  /** The client's limit of output tokens, which the vendor's form cannot hold: the answer is cut there. */
  readonly outputMax?: number
  /** The client's stop words, if the vendor's answer ends with the one that stopped it: it is removed. */
  readonly stopWords?: readonly string[]
  /** The client's stop sequences, which the model does not have: the gateway ends the answer before the first of them. */
  readonly cutAt?: readonly string[]
  /** The chat that another kind was translated to, before the vendor's own form. */
  readonly chat?: JsonObject
  /** The kind of the vendor's interface that it is sent to, if the dialect is one of another kind. */
  readonly sentAs?: Kind
  /** The client wants one call at a time, and the vendor has no switch for it: further calls are left out of the answer. */
  readonly oneCall?: true
  /** The schema that the model was only told in words: its answer is checked. */
  readonly toldSchema?: JsonObject
}

/** Values for a translated answer that the vendor's answer does not have. */
export interface ReplyContext {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  /** The model name the client asked for. */
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
   * The client's protocol has more than OpenAI's chats: signed thoughts are told as each of them ends (`thinking_blocks`), and which stop
   * sequence ended the answer (`stop_reason` of the choice; empty: one of them).
   */
  readonly isDetailed?: true | undefined
}

export interface Reply {
  /** In OpenAI's form of the kind. */
  readonly reply: JsonObject
  readonly usage: Usage | null
  /** See `StreamEnd`. */
  readonly isPartial?: true
  readonly items?: readonly ReferableItem[]
}

/** A whole answer that is no JSON in the pivot form either: speech. */
export interface BytesReply {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly usage: Usage | null
}

/** A part of an answer that later requests may refer to. */
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

/** The translation of one upstream event. */
export interface StreamStep {
  /** Events to send to the client: for a chat, OpenAI's `chat.completion.chunk` objects without usage. */
  readonly chunks: readonly JsonObject[]
  /** Output text in this step, from which tokens are counted when usage is missing. */
  readonly text: string
  readonly failure: Failure | null
  /** The vendor said why its answer ended: it is one, even if nothing of it is sent before the end. */
  readonly isFinished?: boolean
  /** The vendor's last event: the answer is over, whether the connection closes or not. */
  readonly isLast?: boolean
}

/** The result of a finished upstream stream. */
export interface StreamEnd {
  /** Whether upstream sent its own end marker: only then may the client get a success terminator. */
  readonly complete: boolean
  readonly usage: Usage | null
  /** It is the sum of what was delivered, because the vendor told none. */
  readonly isPartial?: true
  /** See `PassedEvent`. */
  readonly hasThoughts?: boolean
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
   * The whole answer, if one came as a stream although the client wants it whole: speech, messages. `null` = it is no answer. Chats are
   * collected from their chunks.
   */
  whole?(): BytesReply | Reply | null
}

/** Fields of a chat that change its answer, and that not all dialects support. */
export type ChatField = 'n' | 'logprobs' | 'top_logprobs'

/** Translates between the pivot of a kind (OpenAI's form) and one vendor protocol. All functions are pure; ids and times are arguments. */
export interface Dialect {
  /** How its chats take files that are text. Missing: as texts. */
  readonly textFiles?: TextFiles
  request(body: JsonObject, target: Target): Outgoing
  /** Classifies a non-2xx answer. The body may be anything: JSON, HTML, nothing. @param type of the error, from `Vendor.errorHeader` */
  failure(status: number, body: string, type?: string): Failure
  /**
   * The request without what the vendor refused in it and does not need, such as a proof of thoughts that another vendor made; it is then sent
   * once more, with `Target.refusal` for what only `request` can change. `null` = the failure says nothing of that kind, or the request has no
   * such part.
   * @param model the upstream model name, after mapping
   */
  mended?(body: JsonObject, failure: Failure, model: string): JsonObject | null
  /** Names of the models that a key may use; missing if the protocol has no such list. */
  readonly askModels?: VendorQuery<readonly string[]>
  /** How many tokens a request has as input, for free. Missing if the protocol cannot be asked. */
  readonly askTokens?: (body: JsonObject, target: Pick<Target, 'model' | 'clientHeaders'>) => VendorQuery<number>
  /** Present if the client uses the same protocol: the bytes are forwarded, and these functions only read them. */
  readonly passthrough?: Passthrough
  /** Present for another protocol. A 2xx body that is really an error returns a `Failure`; `null` = not an answer of the protocol. */
  reply?(json: Json, context: ReplyContext): Reply | BytesReply | Failure | null
  /** Requests are in OpenAI's form, although answers are not passed on. */
  readonly isOpenAIForm?: boolean
  /** Present for another protocol, if the kind has streams. */
  stream?(context: ReplyContext): ChatStream
  /** A 2xx body in another type than JSON, where the client expects JSON: a picture. `null` = not an answer of the protocol. */
  fromBytes?(bytes: Uint8Array, contentType: string, context: ReplyContext): Reply | null
  /** The vendor lacks the kind; requests are sent as this kind instead. */
  readonly fallbackKind?: Kind
  /** Fields of a chat, as clients of the kind know them: for refusals of a kind that is made of chats. */
  readonly fieldNames?: Readonly<Record<string, string>>
  /** Fields of a chat that it does not support: a request with one goes to another channel or is refused. */
  readonly lacks?: readonly ChatField[]
  /** Accepts OpenAI's web search tool. */
  readonly searchesWeb?: true
  /** Takes the bytes of pictures and no addresses: pictures behind an address are fetched before `request`, and put in as data addresses. */
  readonly needsPictureBytes?: true
  /** `request` gets the client's files, and sends their content itself. */
  readonly readsFiles?: true
  /** Its vendors store the items of answers for the account of the key, and take them from there if a request has only their ids. */
  readonly storesItems?: true
}

/** Translates between OpenAI's chat completions and one vendor protocol. */
export interface ChatDialect extends Dialect {
  /**
   * Parts of the pivot beside OpenAI's own that it takes, whatever the vendor's record says. For OpenAI's form; other dialects take what they know, but
   * for pictures of the model, which few do.
   */
  readonly holds?: readonly ChatExtra[]
  /** Dialects of other kinds where clients speak the vendor's own protocol. The others are made of its chats. */
  readonly native?: { readonly [K in Kind]?: Dialect }
  reply(json: Json, context: ReplyContext): Reply | Failure | null
  stream(context: ReplyContext): ChatStream
}

/** Bytes that were cut off strings of a long message, by name of the member; the message keeps the beginning of each. */
export type CutTexts = ReadonlyMap<string, number>

/** The meaning of one message of a session, from either side. `unread` = bytes of its text that were cut off. */
export type SessionEvent =
  /** Session settings: text that every answer reads, bytes a second of audio, transcription model. Missing members do not change. */
  | {
      readonly kind: 'settings'
      readonly text?: string
      readonly unread: number
      readonly bytesInPerSecond?: number
      readonly bytesOutPerSecond?: number
      readonly transcriber?: string
    }
  /** Added to the conversation, and read by the next answer. */
  | { readonly kind: 'input'; readonly text: string; readonly unread: number; readonly bytes: number; readonly pictures: readonly Json[] }
  /** Audio of the speaker. It becomes input when it is committed. */
  | { readonly kind: 'sound'; readonly bytes: number }
  /** Position in the audio at which speech begins or ends, in milliseconds. */
  | { readonly kind: 'speech'; readonly fromMs?: number; readonly toMs?: number }
  | { readonly kind: 'committed' }
  | { readonly kind: 'cleared' }
  /** An answer begins. */
  | { readonly kind: 'begun' }
  /** A piece of the answer. */
  | {
      readonly kind: 'output'
      readonly text: string
      readonly unread: number
      readonly bytes: number
      /** The item that it belongs to. */
      readonly item?: string
      /** All that was written of the item, which may have come in pieces before. */
      readonly isWhole?: true
      /** What a server's tool brought, which the next answer reads. */
      readonly brought?: { readonly text: string; readonly unread: number }
    }
  /** The answer is over; `null` = the vendor reports no usage. */
  | { readonly kind: 'done'; readonly usage: Usage | null }
  /** A transcription of the input audio begins, and ends. */
  | { readonly kind: 'transcribing' }
  | { readonly kind: 'transcribed'; readonly usage: Usage | null }

/** What was read of a client's message in a session. */
export interface SentMessage {
  /** `null` = it costs nothing. */
  readonly event: SessionEvent | null
  /** Members to be judged before they are forwarded; none of a message that is audio alone. `null` = it is no JSON object. */
  readonly body: JsonObject | null
}

/** What was read of one event of a passed-through stream. */
export interface PassedEvent {
  readonly usage: Usage | null
  /** Output text in this event (content, reasoning, tool arguments). */
  readonly text: string
  /** A choice carried a finish reason: the answer is complete even if the terminator is lost. */
  readonly finished: boolean
  /** An event that exists only because usage was requested; removed if the client did not request it. */
  readonly usageOnly: boolean
  /** It has no part of an answer; a stream with only such events has no answer. */
  readonly isEmpty?: boolean
  readonly failure: Failure | null
  /** The event that ends the stream: it is held back until the charge is settled. */
  readonly isLast?: boolean
  /**
   * A separate answer, such as one of several images: their counts add up. It is held back until the next event or the end of the stream,
   * when the charge is settled.
   */
  readonly isAnswer?: boolean
  /** `usage` is of this event only. The sum of these is used if the stream ends before it reports its whole usage. */
  readonly isPart?: boolean
  /** The pictures and the sound in it: see `withMedia`. */
  readonly media?: Usage
  /** See `Passthrough.reply`. */
  readonly storedId?: string | undefined
  readonly items?: readonly ReferableItem[] | undefined
  /** Web searches of the whole answer, as far as this event tells. */
  readonly searches?: number
  /** It names sources on the web, so the vendor has searched, although it tells how often in its usage only. */
  readonly isSourced?: boolean
  /** Tokens that a tool of the vendor brought with this event, which the model reads beside the prompt. */
  readonly toolTokens?: number
  /** It has tool calls, or parts of them. */
  readonly callsTools?: boolean
  /** It has thoughts, which may change the price of all output. */
  readonly hasThoughts?: boolean | undefined
  /** It has text in another form than OpenAI's, or pages that were found, so it is rewritten. */
  readonly isOdd?: boolean
  /** The event, if it was parsed. */
  readonly chunk?: JsonObject
}

/** Adds fields and events that clients need and a server leaves out of a stream. */
export interface StreamRepair {
  /** The event to send instead; `null` = forward the received bytes. */
  event(event: { readonly data: string | null }, seen: PassedEvent): JsonObject | null
  /** Events that the server left out at the end of a complete answer. */
  end(): readonly JsonObject[]
}

/** What was read of a whole answer that is passed through. */
export interface ReadReplyParts {
  readonly usage: Usage | null
  readonly text: string
  /** The pictures and the sound in it: see `withMedia`. */
  readonly media?: Usage
  /** The id under which the vendor stores it, so that it can be retrieved later. */
  readonly storedId?: string | undefined
  readonly items?: readonly ReferableItem[] | undefined
}

/** A part of a repaired answer, and the bytes of the answer that were read for it. */
export interface RepairedPart {
  readonly bytes: Uint8Array
  readonly readBytes: number
}

export interface Passthrough {
  /** The `data:` of an event that only ends a stream; missing if the kind's streams have none. */
  readonly terminator?: string
  reply(json: Json): ReadReplyParts | Failure | null
  event(data: string): PassedEvent
  /** The whole answer of the events of a stream; `null` = they are no complete answer. Missing: the dialect translates them (`Dialect.stream`). */
  readonly joined?: (events: readonly JsonObject[]) => JsonObject | null
  /** A reader of the events of one stream, where some can be read only with those before them. @param note is told of each event that it reads */
  open?(note?: (event: JsonObject) => void): (data: string) => PassedEvent
  /** The event that ends a stream, for servers that leave it out. */
  readonly closing?: JsonObject
  /**
   * Names of the members of an event that change while the others stay: those that hold the text, of which an event has one, one of
   * random padding, and totals of a usage that each event tells. Missing if the events of a stream change in more.
   */
  readonly changing?: { readonly text: readonly string[]; readonly padding?: string; readonly counts?: readonly string[] }
  /** Missing if streams of the kind need no repairs. */
  readonly repair?: (context: ReplyContext, wantsUsage: boolean) => StreamRepair
  /** The same for a whole answer; `null` = it needs none. */
  readonly repairReply?: (reply: JsonObject, context: ReplyContext) => JsonObject | null
  /** A whole answer that came as a bare list, as the object that clients know; `null` = it is none. */
  readonly fromList?: (list: readonly Json[], context: ReplyContext) => JsonObject | null
  /** A whole answer that came as JSON, in the form that the client wants; `null` = it wants JSON. */
  readonly asText?: (reply: JsonObject, usage: Usage | null, context: ReplyContext) => BytesReply | Failure | null
  /** The bytes of a whole answer with what has to be changed in them, part by part: it may be too long to be parsed. `null` = nothing has. */
  readonly repairBytes?: (bytes: Uint8Array, context: ReplyContext) => Iterable<RepairedPart> | null
  /** Reads messages of a session from the client, and from the vendor; missing if the kind has no sessions. */
  readonly sent?: (data: string, cut: CutTexts) => SentMessage
  readonly came?: (data: string, cut: CutTexts) => SessionEvent | null
}
