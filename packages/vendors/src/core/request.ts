import type { CallForm } from './call-form.ts'
import type { ChannelFacts } from './channel-config.ts'
import type { Failure } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { Rewrites } from './rewrites.ts'

/** A file that the client sent. */
export interface UploadedFile {
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
  readonly files?: readonly UploadedFile[]
  /** Whether `stream_options.include_usage` may be sent. */
  readonly streamUsage: boolean
  /** Parts of the pivot beside OpenAI's own that the vendor's chats hold (`VendorChat.extras`). */
  readonly extras?: readonly ChatExtra[] | undefined
  /** What the vendor's chats take of tools and calls (`VendorChat.calls`). */
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
  /** What the vendor refused in the request before this one (`Dialect.retryWithout`). */
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
  /** Milliseconds from one of these messages to the next, for audio that must come as it is spoken. Missing: they are sent at once. */
  readonly messageEveryMs?: number
  /** Tool names that the vendor would refuse: sent name -> the client's name. */
  readonly toolNames?: Readonly<Record<string, string>>
  /** A parameter that the client sent, that would change the response, and that the vendor's form cannot hold: the request is refused. */
  readonly refused?: string
  /** The tool that carries structured output: its input is the content that the client requested. */
  readonly unwrapTool?: string
  /** The client declared functions in the deprecated form, so calls are returned in that form. */
  readonly callsFunctions?: true
  /** Fields of the request that its response repeats. */
  readonly echo?: JsonObject
  /** The client's limit of output tokens, which the vendor's form cannot hold: the response is cut there. */
  readonly outputMax?: number
  /** The client's stop words, if the vendor's response ends with the one that stopped it: it is removed. */
  readonly stopWords?: readonly string[]
  /** The client's stop sequences, which the model does not have: the gateway ends the response before the first of them. */
  readonly cutAt?: readonly string[]
  /** The chat that another kind was translated to, before the vendor's own form. */
  readonly chat?: JsonObject
  /** The kind of the vendor's interface that it is sent to, if the dialect is one of another kind. */
  readonly upstreamKind?: Kind
  /** The client wants one call at a time, and the vendor has no switch for it: further calls are left out of the response. */
  readonly oneCall?: true
  /** The schema that the model got only as text in its prompt: its output is validated. */
  readonly schemaInPrompt?: JsonObject
}
