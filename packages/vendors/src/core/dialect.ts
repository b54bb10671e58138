import type { Failure } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { Passthrough } from './passthrough.ts'
import type { ChatExtra, Outgoing, Target } from './request.ts'
import type { BytesResponse, ClientResponse, ResponseContext } from './response.ts'
import type { ChatStream } from './stream.ts'
import type { TextFiles } from './text-file-form.ts'
import type { VendorQuery } from './vendor-query.ts'

/** Fields of a chat that change its response, and that not all dialects support. */
export type ChatField = 'n' | 'logprobs' | 'top_logprobs'

/** Translates between the pivot of a kind (OpenAI's form) and one vendor protocol. All functions are pure; ids and times are arguments. */
export interface Dialect {
  /** How its chats take files that are text. Missing: as texts. */
  readonly textFiles?: TextFiles
  request(body: JsonObject, target: Target): Outgoing
  /** Classifies a non-2xx response. The body may be anything: JSON, HTML, nothing. @param type of the error, from `VendorRoutes.errorHeader` */
  failure(status: number, body: string, type?: string): Failure
  /**
   * The request without what the vendor refused in it and does not need, such as a proof of reasoning that another vendor made; it is then sent
   * once more, with `Target.refusal` for what only `request` can change. `null` = the failure says nothing of that kind, or the request has no
   * such part.
   * @param model the upstream model name, after mapping
   */
  retryWithout?(body: JsonObject, failure: Failure, model: string): JsonObject | null
  /** Names of the models that a key may use; missing if the protocol has no such list. */
  readonly askModels?: VendorQuery<readonly string[]>
  /** How many tokens a request has as input, for free. Missing if the protocol has no such query. */
  readonly askTokens?: (body: JsonObject, target: Pick<Target, 'model' | 'clientHeaders'>) => VendorQuery<number>
  /** Present if the client uses the same protocol: the bytes are forwarded, and these functions only read them. */
  readonly passthrough?: Passthrough
  /** Present for another protocol. A 2xx body that is really an error returns a `Failure`; `null` = not a response of the protocol. */
  response?(json: Json, context: ResponseContext): ClientResponse | BytesResponse | Failure | null
  /** Requests are in OpenAI's form, although responses are not passed through. */
  readonly isOpenAIForm?: boolean
  /** Present for another protocol, if the kind has streams. */
  stream?(context: ResponseContext): ChatStream
  /** A 2xx body in another type than JSON, where the client expects JSON: an image. `null` = not a response of the protocol. */
  fromBytes?(bytes: Uint8Array, contentType: string, context: ResponseContext): ClientResponse | null
  /** The vendor lacks the kind; requests are sent as this kind instead. */
  readonly fallbackKind?: Kind
  /** Fields of a chat, as clients of the kind know them: for refusals of a kind that is made of chats. */
  readonly fieldNames?: Readonly<Record<string, string>>
  /** Fields of a chat that it does not support: a request with one goes to another channel or is refused. */
  readonly lacks?: readonly ChatField[]
  /** Accepts OpenAI's web search tool. */
  readonly searchesWeb?: true
  /** Takes the bytes of images and no addresses: images behind an address are fetched before `request`, and put in as data addresses. */
  readonly needsImageBytes?: true
  /** `request` gets the client's files, and sends their content itself. */
  readonly readsFiles?: true
  /** Its vendors store the items of responses for the account of the key, and take them from there if a request has only their ids. */
  readonly storesItems?: true
}

/** Translates between OpenAI's chat completions and one vendor protocol. */
export interface ChatDialect extends Dialect {
  /**
   * Parts of the pivot beside OpenAI's own that it takes, whatever the vendor's record says. For OpenAI's form; other dialects take what they know, but
   * for images of the model, which few do.
   */
  readonly holds?: readonly ChatExtra[]
  /** Dialects of other kinds where clients speak the vendor's own protocol. The others are made of its chats. */
  readonly native?: { readonly [K in Kind]?: Dialect }
  response(json: Json, context: ResponseContext): ClientResponse | Failure | null
  stream(context: ResponseContext): ChatStream
}
