import type { ReplyContext, Usage } from '@sluice/vendors/dialect'
import type { Json, JsonObject } from '@sluice/vendors/json'
import type { Kind } from '@sluice/vendors/kind'
import type { Multipart } from './form.ts'
import type { OpenAiError } from './open-ai-error.ts'
import type { RequestParams } from './request-params.ts'

/** What of a request stands in its path. */
export type PathParts = Readonly<Record<string, string>>

/** All that the relay knows of one kind of call. */
export interface KindRules {
  readonly kind: Kind
  /** Reads the fields that the relay acts on; every other field goes upstream as it came. A promise: files within it are read. @throws AppError */
  read(body: JsonObject, path: PathParts): RequestParams | Promise<RequestParams>
  /** Whether a vendor may see a request twice where it cannot be known that it has seen it at all. */
  readonly isRepeatable: boolean
  /** Begins the id of an answer that is translated. */
  readonly idPrefix: string
  /**
   * A whole answer as the stream that was asked for. `null`: it stays whole, as clients of the vendor itself get it. Missing: such an answer is
   * refused.
   */
  readonly asStream?: (reply: Json, options: AsStreamOptions) => string | null
  /** The kind that a request is after all, by its body; `null`: this one. */
  readonly insteadFor?: (body: JsonObject) => KindRules | null
  /** Its input may refer to parts of earlier answers. */
  readonly refersToItems?: true
  /** Where a stream is asked for, there is no other answer: its headers may be sent before anything of it has come. */
  readonly isAlwaysStreamed?: true
  /** The event by which a stream ends badly; missing: as a chat's does. */
  readonly streamError?: StreamError
  /**
   * Its vendors write little where no limit is named. So ours is sent only where it is less than what the model can write; otherwise a request
   * without a limit would bring more than anybody expects.
   */
  readonly isShortByDefault?: boolean
  /** Its requests may be forms with files; missing: they are JSON. */
  readonly form?: FormRules
  /** Answers that are no JSON, by their type. No other type reaches the client. */
  readonly plain?: ReadonlyMap<string, 'text' | 'bytes'>
  /** Longest line of a stream, where that is longer than a text's. */
  readonly lineBytesMax?: number
}

export interface FormRules {
  /** JSON is refused. */
  readonly isOnly: boolean
  /** What of the request is told by its files. @throws AppError where one is missing */
  inspect(form: Multipart): Promise<Partial<RequestParams>>
}

/** @param came events of the stream before it */
export type StreamError = (error: OpenAiError, came: number) => Uint8Array

export interface AsStreamOptions {
  readonly usage: Usage | null
  readonly context: ReplyContext
  readonly wantsUsage: boolean
}
