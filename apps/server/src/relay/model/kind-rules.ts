import type { ServerResponse } from '@sluice/http1/response'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'
import type { ResponseContext } from '@sluice/vendors/core/response'
import type { Usage } from '@sluice/vendors/core/usage'
import type { ClientProtocol, ErrorTeller, StreamHead } from './client-protocol.ts'
import type { Multipart } from './form.ts'
import type { RequestParams } from './request-params.ts'

/** The parameters of a request's path. */
export type PathParts = Readonly<Record<string, string>>

/** Everything the relay knows about one kind of call. */
export interface KindRules {
  readonly kind: Kind
  /** Reads the fields that the relay acts on; others are forwarded. @throws AppError */
  read(body: JsonObject, path: PathParts): RequestParams
  /** The request in a body that may have it as a member; missing: the body is the request. */
  readonly requestIn?: (body: JsonObject) => JsonObject
  /** Whether the request may be sent again if it is not known whether the vendor received it. */
  readonly isRepeatable: boolean
  /** A call below the one of the kind, which only some vendors have: the end of its path, after a slash. */
  readonly subcall?: 'compact'
  /** Prefix of the id of a translated response. */
  readonly idPrefix: string
  /**
   * Converts a whole response to the stream that the client requested. `null`: the response is sent whole, as the vendor sends it to its own
   * clients. Missing: such a response is an error.
   */
  readonly asStream?: (response: Json, options: AsStreamOptions) => string | null
  /** The kind to use instead, and the request for it, decided by the body; `null`: this one. */
  readonly insteadFor?: (body: JsonObject) => { readonly rules: KindRules; readonly body: JsonObject } | null
  /** Its response in the form that the client reads; missing: the form of the kind. */
  readonly responsesAs?: (response: ServerResponse) => ServerResponse
  /** The input may refer to parts of earlier responses. */
  readonly refersToItems?: true
  /** If a stream is requested, the response always is one: its headers may be sent before the first event. */
  readonly isAlwaysStreamed?: true
  /** The protocol of the clients that make this call; missing: OpenAI's. */
  readonly protocol?: ClientProtocol
  /** Headers of the client, by names in lower case, that are passed on to vendors of its protocol. */
  readonly clientHeaders?: readonly string[]
  /** Reports errors in a stream, if they have another form than the protocol's. */
  readonly errorTeller?: (head: StreamHead) => ErrorTeller
  /**
   * Without a limit, vendors of this kind write little. So our own limit is sent only if it is lower than what the model can write;
   * otherwise a request without a limit would get more output than its client expects.
   */
  readonly isShortByDefault?: boolean
  /** Requests may be multipart forms; missing: they are JSON. */
  readonly form?: FormRules
  /** Content types of responses other than JSON. No other type is sent to the client. */
  readonly plain?: ReadonlyMap<string, 'text' | 'bytes'>
  /** Longest line of a stream, if the default for texts is too short. */
  readonly lineBytesMax?: number
}

/** A call below responses, as a refusal names it. */
export const nameOfSubcall = (subcall: NonNullable<KindRules['subcall']>): string => `POST /v1/responses/${subcall}`

export interface FormRules {
  /** JSON bodies are refused. */
  readonly isOnly: boolean
  /** The files that it may have; others are refused, because nothing here measures them. */
  readonly files: readonly FileField[]
  /** Reads the parameters that depend on the files. @throws AppError if a file is missing */
  inspect(form: Multipart): Partial<RequestParams>
}

export interface FileField {
  readonly name: RegExp
  /** The vendor takes several. Missing: one, because vendors differ in which of two they read. */
  readonly mayRepeat?: true
}

export interface AsStreamOptions {
  readonly usage: Usage | null
  readonly context: ResponseContext
  readonly wantsUsage: boolean
}
