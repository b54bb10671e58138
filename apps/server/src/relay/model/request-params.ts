import type { ChatField } from '@sluice/vendors/core/dialect'
import type { Json } from '@sluice/vendors/core/json'
import type { ServiceTier } from '@sluice/vendors/core/usage'
import type { BodyUse } from '@sluice/vendors/protocols/bodies/body-use'
import type { NativeOnly } from '@sluice/vendors/protocols/responses/native-only'
import type { ByteSource } from './form.ts'

/**
 * The fields of a request that the relay acts on, parsed and checked. Reading them takes no longer than parsing the body: it decodes and
 * fetches nothing.
 */
export interface RequestParams extends BillableParams {
  readonly model: string
  readonly isStream: boolean
  /** The client requested the usage chunk. */
  readonly wantsUsage: boolean
  /** The client's limit of output tokens; `null`: none given. 0: this kind has no output tokens. */
  readonly maxTokens: number | null
  /** Number of responses to one prompt (`n`); each is charged. */
  readonly choices: number
  /** Our estimate of the prompt tokens. */
  readonly promptTokens: number
  /** The parts of it that are audio and images. */
  readonly audioTokens?: number
  readonly imageTokens?: number
  /** Media that these parameters do not count yet, so that they say the least that the request costs; missing: there is none. */
  readonly unmeasured?: UnmeasuredMedia | undefined
  /** What the vendor reads beside that, for the reservation; missing: nothing. */
  readonly uncounted?: UncountedInput | undefined
  /** The most in parts that only their vendor can read, such as reasoning of earlier responses; missing: there are none. */
  readonly sealedTokens?: number
  /** Of tools that the model sees only if it searches for them; missing: there are none. */
  readonly deferredTokens?: number
  /** Missing if the prompt has more than text. */
  readonly textPrompt?: TextPrompt | undefined
  /** The id of the previous response: only the channel that made it can continue it. */
  readonly follows?: string
  /** Items in the input that channels made: only their channel can read each. */
  readonly makers?: readonly Maker[]
  /** Encrypted reasoning in the input, with the id of the channel that can read it; `null`: none can. At any other it is left out. */
  readonly readableAt?: ReadonlyMap<string, number | null>
  /** The response may have output that its client does not get: reasoning, or a prediction that was wrong. */
  readonly mayHideOutput?: true
  /** Nothing of the response may be stored. */
  readonly isForgotten?: boolean
  /** A parameter that only vendors with native support for the kind can honour, if the request has one. */
  readonly nativeOnly?: NativeOnly
  /** Fields in the request that some vendors do not support. */
  readonly fields?: readonly ChatField[] | undefined
  /** The web search tool, if the request has it: some fallback kinds support it. */
  readonly webSearch?: NativeOnly
}

/**
 * Input tokens that the vendor may read beyond `promptTokens`: of files that it fetches or already has, of an earlier response, of what its tools
 * find. `Infinity`: as many as the model's context has room for.
 */
export interface UncountedInput {
  /** A request whose caller cannot pay for these is refused. */
  readonly least: number
  /** Reserved if the balance covers them. */
  readonly most: number
}

/** Media whose size or length must be read from their bytes. */
export interface UnmeasuredMedia {
  /** Images of a prompt, each with its bytes in a data URL. */
  readonly images: readonly Json[]
  /** Audio of a prompt, each in base64. */
  readonly audio: readonly string[]
  /** Other files of a prompt: documents, videos, texts. */
  readonly documents: readonly InlineFile[]
  /** Of the body that these take, in base64. */
  readonly characters?: number
  /** The audio file of a form; `null`: there is none. */
  readonly file: ByteSource | null
  /** Images of a form, and how closely the model is to look at them. */
  readonly imageFiles?: readonly ByteSource[]
  readonly fidelity?: string | undefined
}

/** A file whose bytes are in the request. */
export interface InlineFile {
  /** Media type, in lower case; empty: the request does not say. */
  readonly type: string
  /** In base64. */
  readonly data: string
}

/** A prompt that is text only. */
export interface TextPrompt {
  /** It has members that are not counted here, such as reasoning that goes back to the vendor. */
  readonly hasMore?: true
  /** Our estimate of its texts, without the chat template around them. */
  readonly tokens: number
  /** 0: a single text without a chat template. */
  readonly messages: number
}

/** The channel that made a part of an earlier response. */
export interface Maker {
  /** The id that the request uses for the part. */
  readonly id: string
  /** The whole text, if it is encrypted reasoning: a request goes on without it. */
  readonly encrypted?: string
  readonly channelId: number
  /** HMAC of the channel's key at that time. */
  readonly keyLookup: string
  /** LLM tokens of the part; `null`: not known. */
  readonly tokens: number | null
}

/** Billable parameters other than text tokens. Each was checked before it gets here. */
export interface BillableParams {
  /** Number of images, with size and quality as the client wrote them. */
  readonly images?: number
  readonly imageSize?: string
  readonly imageQuality?: string
  /** Characters to speak, and whether instructions say how. */
  readonly characters?: number
  readonly isInstructed?: boolean
  /** Length of the input audio, in whole milliseconds. */
  readonly audioMs?: number
  /** Billed calls or searches, if one request counts as several. */
  readonly calls?: number
  /** The most of them, if the vendor may count more than that; missing: it cannot. */
  readonly callsMax?: number
  /** The response is audio, which costs more than text. */
  readonly isSpoken?: boolean
  /** What its body makes the vendor bill beside the tokens of the model; missing: that was not read, as for sessions. */
  readonly use?: BodyUse
  readonly serviceTier?: ServiceTier
  /** It must stay within a region, which can have a price of its own. */
  readonly isRegional?: boolean
}
