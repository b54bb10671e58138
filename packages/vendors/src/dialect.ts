import type { Json, JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { VendorQuery } from './vendor-query.ts'

/**
 * What one answer used. All counts are whole numbers >= 0. The parts of `promptTokens` (cached, written, audio, image) do not overlap,
 * and neither do those of `completionTokens` (audio, image): what is left over is plain text.
 */
export interface Usage {
  /** All input, including what was read from or written to a prompt cache. */
  readonly promptTokens: number
  /** All output, including reasoning. */
  readonly completionTokens: number
  /** The part of `promptTokens` that was read from the vendor's cache, whatever it was. */
  readonly cachedTokens: number
  /** The part of `promptTokens` that was written to a cache for five minutes. */
  readonly cacheWriteTokens: number
  /** The part of `promptTokens` that was written to a cache for an hour. */
  readonly cacheWrite1hTokens: number
  /** The part of `completionTokens` that was reasoning. For display; priced as output. */
  readonly reasoningTokens: number
  /** The parts of `promptTokens` that were sound and pictures, and not read from a cache. */
  readonly audioInputTokens: number
  readonly imageInputTokens: number
  /** The parts of `completionTokens` that were sound and pictures. */
  readonly audioOutputTokens: number
  readonly imageOutputTokens: number
  /** Length of the sound that was understood or made, where that is what is paid for. */
  readonly audioMs: number
  /** Characters that were spoken. */
  readonly characters: number
  /** Pictures that were made. Their size and quality are the request's. */
  readonly images: number
  /** Calls of a model that is paid by the call. */
  readonly calls: number
  /** Searches of the web, and in the client's files, that the vendor made for the answer. */
  readonly searches: number
  readonly fileSearches: number
  /** Gigabytes of the containers in which the vendor ran code for the answer. */
  readonly containers: number
  /** What other models did for the answer: pictures that a tool drew, speech that was written down. */
  readonly delegated: readonly Delegated[]
  /** What the vendor says it answered at. */
  readonly serviceTier: ServiceTier
  /** The vendor gave counts that make no sense. Those are left out here, and counted by the gateway. */
  readonly isSuspect: boolean
}

/** What one model had another one do: it costs what the other one costs. */
export interface Delegated {
  /** The model that did it, and where it has no price, one to reckon with. */
  readonly models: readonly [string, string]
  /** Where the vendor tells no tokens, a picture is paid by its size and quality. */
  readonly size?: string
  readonly quality?: string
  /** What it took, in tokens or in pieces. */
  readonly usage: Usage
}

/** Speeds that have prices of their own. What is none of them costs what `standard` does. */
export type ServiceTier = 'standard' | 'flex' | 'priority' | 'fast'

/**
 * What went wrong upstream, in the words that routing acts on:
 * bad_request (the client's fault: passed on, not retried), bad_key and no_quota (the channel's key: disable),
 * forbidden (refused without a word of the key: by the vendor or by something before it; try another channel),
 * model_not_found (try another channel), rate_limited (cool down), unavailable (try another channel).
 */
export type FailureKind = 'bad_request' | 'bad_key' | 'no_quota' | 'forbidden' | 'model_not_found' | 'rate_limited' | 'unavailable'

export interface Failure {
  readonly kind: FailureKind
  /** The vendor's own text, or a plain sentence where it gave none. Untrusted: shown as text only. */
  readonly message: string
  /** `type`, `param` and `code` of the vendor's error where it has them, in the OpenAI form. */
  readonly type: string | null
  readonly param: string | null
  readonly code: string | null
}

/** What an upstream request is made for. */
export interface Target {
  /** The upstream model name, after mapping. */
  readonly model: string
  readonly stream: boolean
  /** Whether `stream_options.include_usage` may be asked for. */
  readonly streamUsage: boolean
  /**
   * Most output tokens of one answer, where the client named no limit: what was reserved for it. The dialect writes it into its own field, and
   * asks for nothing that would need more. Missing: the client named a limit, or output costs nothing.
   */
  readonly outputLimit?: number
}

export interface Outgoing {
  /** Under the channel's base URL, beginning with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** Tool names that the vendor would refuse: what was sent -> what the client called it. */
  readonly toolNames?: Readonly<Record<string, string>>
  /** A tool that stands for a structured answer: its input is the content the client asked for. */
  readonly unwrapTool?: string
  /** The client knows functions in their old form only, so that they are called so. */
  readonly callsFunctions?: true
  /** What of the request its answer repeats. */
  readonly echo?: JsonObject
}

/** What a translated answer carries that the vendor does not give. */
export interface ReplyContext {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  /** The model name the client asked for. */
  readonly model: string
  /** From the request: see `Outgoing`. */
  readonly toolNames?: Readonly<Record<string, string>>
  readonly unwrapTool?: string
  readonly callsFunctions?: true
  readonly echo?: JsonObject
}

export interface Reply {
  /** In OpenAI's form of the kind. */
  readonly reply: JsonObject
  readonly usage: Usage | null
  readonly items?: readonly MadeItem[]
}

/** A part of an answer that later requests may refer to. */
export interface MadeItem {
  /** Empty: it cannot be named. */
  readonly id: string
  /** A text of it that only the vendor that made it can read. */
  readonly encrypted?: string
  /** All of it, where the vendor does not keep it. */
  readonly content?: JsonObject
}

/** What one upstream event means. */
export interface StreamStep {
  /** Events of the kind to send to the client: of a chat, OpenAI's `chat.completion.chunk` objects without usage. */
  readonly chunks: readonly JsonObject[]
  /** Output text in this step, for counting what was delivered when usage is missing. */
  readonly text: string
  readonly failure: Failure | null
  /** The vendor's own last event: nothing of the answer comes after it, whether the connection closes or not. */
  readonly isLast?: boolean
}

/** What is known when the upstream stream is over. */
export interface StreamEnd {
  /** Whether upstream said its own "finished": only then may the client see a success terminator. */
  readonly complete: boolean
  readonly usage: Usage | null
  /** Where the kind's streams end in events of their own: those that are left. */
  readonly last?: readonly JsonObject[]
  /** Events before them. */
  readonly count?: number
  readonly items?: readonly MadeItem[]
}

export interface ChatStream {
  /** One complete event: the joined `data:` lines. Garbage never throws; it yields an empty step or a failure. */
  event(data: string): StreamStep
  end(): StreamEnd
}

/** Fields of a chat that change its answer, and that not everybody has. */
export type ChatField = 'n' | 'logprobs' | 'top_logprobs'

/** Between the pivot of a kind (OpenAI's form of it) and one vendor protocol. All functions are pure; ids and times are arguments. */
export interface Dialect {
  request(body: JsonObject, target: Target): Outgoing
  /** Classifies a non-2xx answer. The body may be anything: JSON, HTML, nothing. */
  failure(status: number, body: string): Failure
  /** Names of the models that a key may use; missing where the protocol has no such list. */
  readonly askModels?: VendorQuery<readonly string[]>
  /** Present where the client speaks the same protocol: bytes pass through and these only look. */
  readonly passthrough?: Passthrough
  /** Where it is another protocol: a 2xx body that is really an error comes back as a `Failure`. `null`: not an answer of it at all. */
  reply?(json: Json, context: ReplyContext): Reply | Failure | null
  /** Where it is another protocol and the kind has streams. */
  stream?(context: ReplyContext): ChatStream
  /** The vendor does not have the kind; it is asked for this one, which stands in as far as it can. */
  readonly fallbackKind?: Kind
  /** Fields of a chat that it cannot honour: a request that has one goes elsewhere or is refused. */
  readonly lacks?: readonly ChatField[]
  /** Takes OpenAI's tool for searching the web. */
  readonly searchesWeb?: true
}

/** Between OpenAI's chat completions and one vendor protocol. */
export interface ChatDialect extends Dialect {
  reply(json: Json, context: ReplyContext): Reply | Failure | null
  stream(context: ReplyContext): ChatStream
}

/** What one message of a session tells, from whichever side it comes. */
/** Bytes that were cut off texts of a long message, by the name of the member; the message has the beginning of each. */
export type CutTexts = ReadonlyMap<string, number>

/** `unread`: bytes of its text that were cut off. */
export type SessionEvent =
  /** How the session is set up: what every answer reads, sound as bytes a second, and which model writes down what is said. What is missing stays. */
  | {
      readonly kind: 'settings'
      readonly text?: string
      readonly unread: number
      readonly bytesInPerSecond?: number
      readonly bytesOutPerSecond?: number
      readonly transcriber?: string
    }
  /** It goes into the conversation, and the next answer reads it. */
  | { readonly kind: 'input'; readonly text: string; readonly unread: number; readonly bytes: number; readonly pictures: readonly Json[] }
  /** Sound that a person speaks. It is read when it is committed. */
  | { readonly kind: 'sound'; readonly bytes: number }
  /** Where in all the sound somebody begins or ends to speak, in milliseconds. */
  | { readonly kind: 'speech'; readonly fromMs?: number; readonly toMs?: number }
  | { readonly kind: 'committed' }
  | { readonly kind: 'cleared' }
  /** An answer is begun. */
  | { readonly kind: 'begun' }
  /** A piece of it. */
  | { readonly kind: 'output'; readonly text: string; readonly unread: number; readonly bytes: number }
  /** It is over; `null`: the vendor does not count it. */
  | { readonly kind: 'done'; readonly usage: Usage | null }
  /** What was spoken is being written down, and was. */
  | { readonly kind: 'transcribing' }
  | { readonly kind: 'transcribed'; readonly usage: Usage | null }

/** What one event of a passed-through stream is. */
export interface PassedEvent {
  readonly usage: Usage | null
  /** Output text in this event (content, reasoning, tool arguments). */
  readonly text: string
  /** A choice carried a finish reason: the answer is complete even if the terminator is lost. */
  readonly finished: boolean
  /** An event that exists only because usage was asked for; taken out where the client did not ask. */
  readonly usageOnly: boolean
  /** Nothing of an answer is in it: a stream that has only such events has no answer. */
  readonly isEmpty?: boolean
  readonly failure: Failure | null
  /** Nothing comes after it, and it says so: it is held back until the answer is paid for. */
  readonly isLast?: boolean
  /**
   * An answer of its own, such as one of several pictures: counts of these add up. It is held back until another event comes or the stream
   * ends, and the answer is paid for.
   */
  readonly isAnswer?: boolean
  /** `usage` is only what this event tells of; it adds up, and counts where the stream ends before its whole usage is told. */
  readonly isPart?: boolean
  /** See `Passthrough.reply`. */
  readonly storedId?: string
  readonly items?: readonly MadeItem[]
  /** It carries tool calls, or parts of them. */
  readonly callsTools?: boolean
  /** The event, where it was parsed. */
  readonly chunk?: JsonObject
}

/** Adds what a server leaves out of one stream and clients of the protocol need. */
export interface StreamRepair {
  /** What the client gets in place of an event; `null`: the bytes that came. */
  event(data: string, seen: PassedEvent): JsonObject | null
  /** Events that the server left out at the end of a complete answer. */
  end(): readonly JsonObject[]
}

/** What is seen of an answer that passes through whole. */
export interface SeenReply {
  readonly usage: Usage | null
  readonly text: string
  /** The id under which the vendor keeps it, so that it can be asked for again. */
  readonly storedId?: string
  readonly items?: readonly MadeItem[]
}

export interface Passthrough {
  /** The `data:` of an event that ends a stream and carries nothing else; missing where streams end otherwise. */
  readonly terminator?: string
  reply(json: Json): SeenReply | Failure | null
  event(data: string): PassedEvent
  /** The same for the events of one stream in their order, where that is faster than each by itself. */
  readonly events?: () => (data: string) => PassedEvent
  /** Missing: streams of the kind need no repairs. */
  readonly repair?: (context: ReplyContext, wantsUsage: boolean) => StreamRepair
  /** The same for a whole answer; `null`: it needs none. */
  readonly repairReply?: (reply: JsonObject, context: ReplyContext) => JsonObject | null
  /** What messages of a session mean that a client sends, and that come from the vendor; missing where the kind has no sessions. */
  readonly sent?: (data: string, cut: CutTexts) => SessionEvent | null
  readonly came?: (data: string, cut: CutTexts) => SessionEvent | null
}
