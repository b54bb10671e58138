import type { ChatField } from '@sluice/vendors/dialect'
import type { JsonObject } from '@sluice/vendors/json'
import type { NativeOnly } from '@sluice/vendors/responses/native-only'
import type { WantedPieces } from './charge.ts'
import type { KindRules } from './kinds/kind-rules.ts'
import type { Multipart } from './multipart.ts'
import type { OutputBudget } from './output-budget.ts'

/** What a client wants: the fields of its request that the relay acts on, read and checked. */
export interface Wanted extends WantedPieces {
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

/** A request on its way upstream. */
export interface Call {
  readonly requestId: string
  readonly rules: KindRules
  readonly wanted: Wanted
  /** What the client sent. Nothing keeps it once an answer has begun: a thousand long prompts would fill the memory. */
  readonly body: JsonObject
  /** The form with files that it came in, which then goes upstream in place of the body. */
  readonly form: Multipart | null
  /** The servers that it has passed before this one; empty = none. */
  readonly hops: string
  /** Seconds since the epoch. */
  readonly created: number
  /** Whether a vendor may see it twice where it cannot be known that it has seen it at all. */
  readonly isRepeatable: boolean
  /** What its answer may write; missing: nobody pays. */
  readonly budget?: OutputBudget
  /** Where the last attempt went. */
  address: string
  /** Cancels the attempt that runs now. */
  cancel: ((reason: CancelReason) => void) | null
  /** How often a vendor was sent it once more, because it had closed a kept connection just then. */
  resends: number
  /** Set once the client has gone: nothing more is tried. */
  isClientGone: boolean
}

/** Why we stopped an attempt ourselves. */
export type CancelReason = 'client_gone' | 'timed_out' | 'not_wanted' | 'shut_down'
