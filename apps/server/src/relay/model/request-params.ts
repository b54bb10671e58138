import type { ChatField, ServiceTier } from '@sluice/vendors/dialect'
import type { NativeOnly } from '@sluice/vendors/responses/native-only'
import type { ToolUsage } from '@sluice/vendors/responses/tools'

/** What a client wants: the fields of its request that the relay acts on, read and checked. */
export interface RequestParams extends BillableParams {
  readonly model: string
  readonly isStream: boolean
  /** The client asked for the usage chunk itself. */
  readonly wantsUsage: boolean
  /** Most output tokens the client lets the model write; `null` = it did not say. 0: its kind writes none. */
  readonly maxTokens: number | null
  /** Answers that the client wants to one question; each is paid for. */
  readonly choices: number
  /** Our estimate of its prompt. */
  readonly promptTokens: number
  /** Missing where the prompt is more than text. */
  readonly textPrompt?: TextPrompt | undefined
  /** The id of the answer that it goes on from: only the channel that made it can. */
  readonly follows?: string
  /** What its input refers to that one channel made: only that one understands it. */
  readonly madeBy?: readonly Maker[]
  /** Nothing of its answer may be kept. */
  readonly isForgotten?: boolean
  /** A parameter that only a vendor who has the kind itself can honour, where the request has one. */
  readonly nativeOnly?: NativeOnly
  /** Fields that it has and that not every vendor does. */
  readonly fields?: readonly ChatField[]
  /** The tool for searching the web, where it asks for it: some of those who stand in have it. */
  readonly webSearch?: NativeOnly
}

/** A prompt of text alone. */
export interface TextPrompt {
  /** Our estimate of its texts, without what is around them. */
  readonly tokens: number
  /** 0: it is one text, which no template surrounds. */
  readonly messages: number
}

/** The channel that made a part of an earlier answer. */
export interface Maker {
  /** As the request names the part. */
  readonly id: string
  readonly channelId: number
  /** HMAC of the key that the channel had. */
  readonly keyLookup: string
}

/** What a request asks for that is paid by the piece, and what its price depends on. Each is checked before it gets here. */
export interface BillableParams {
  /** Pictures to make, and their size and quality as the client wrote them. */
  readonly images?: number
  readonly pictureSize?: string
  readonly pictureQuality?: string
  /** Characters to speak. */
  readonly characters?: number
  /** Length of the sound to understand, in whole milliseconds. */
  readonly audioMs?: number
  /** Searches or calls that one request counts as, where it counts as several. */
  readonly calls?: number
  /** The answer is spoken, which costs more than words. */
  readonly isSpoken?: boolean
  /** What a tool takes that the request insists on. */
  readonly tool?: ToolUsage
  readonly serviceTier?: ServiceTier
}
