import type { Auth } from './auth.ts'
import type { CallForm } from './call-form.ts'
import type { ChannelFacts, ConfigField } from './channel-config.ts'
import type { CredentialQuery } from './credential.ts'
import type { VendorBatches, VendorDialects, VendorTasks } from './dialects-of-vendor.ts'
import type { EmbeddingInputs } from './embedding-inputs.ts'
import type { FailureRules } from './failure-rules.ts'
import type { ChatFeature, Undocumented, VendorDocs } from './feature.ts'
import type { JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { MessagesInterface } from './messages-interface.ts'
import type { ChatExtra, Target } from './request.ts'
import type { RequestRule } from './request-rule.ts'
import type { ResponsesInterface } from './responses-interface.ts'
import type { Unsupported } from './unsupported.ts'
import type { VendorQuery } from './vendor-query.ts'

/** Tag colours of the console; each has a light and a dark pair there. */
export type VendorColor =
  | 'green'
  | 'olive'
  | 'teal'
  | 'blue'
  | 'violet'
  | 'purple'
  | 'pink'
  | 'red'
  | 'orange'
  | 'yellow'
  | 'brown'
  | 'grey'
  | 'black'

/** Where the channel form offers a vendor, in this order. Proxies sell access to other vendors. */
export const vendorGroups = ['global', 'china', 'proxies', 'media', 'self_hosted'] as const
export type VendorGroup = (typeof vendorGroups)[number]

/** The unit of a channel's balance: money, or units of the vendor's own quota. */
export interface BalanceUnit {
  readonly unit: '$' | '¥' | 'quota'
  /** Number of the vendor's units in one that is shown. */
  readonly divisor?: number
}

/** Headers that a raw proxy forwards, in lower case; it removes all others. */
export interface RawProxy {
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

/** What applies to chats of a vendor: what they take, and what is changed in them before they are sent. */
export interface VendorChat {
  /** Top-level fields of a chat that the vendor refuses; removed before sending. */
  readonly drop?: readonly string[]
  /** Top-level fields of a chat that the vendor names differently: ours -> theirs. */
  readonly rename?: Readonly<Record<string, string>>
  /** Whether `stream_options.include_usage` may be sent with a stream. Missing: it may not. */
  readonly streamUsage?: boolean
  /**
   * A change that `drop` and `rename` cannot express. Pure; gets the body after drop and rename.
   * @param readsFiles whether a model is known to read files such as PDFs
   */
  readonly patch?: ((body: JsonObject, readsFiles: (model: string) => boolean) => JsonObject) | undefined
  /** Its documentation has functions in the form before tools. For others they are translated to tools, and the calls back. */
  readonly takesFunctions?: true
  /** Features that none of its chats has: a request with one goes to another channel or is refused. */
  readonly lacks?: readonly ChatFeature[]
  /** What one of its models lacks beside them. */
  readonly lacksFor?: (model: string) => readonly ChatFeature[]
  /** What its chats in OpenAI's form hold beside OpenAI's own parts. What a client of another protocol sends of the rest is left out. */
  readonly extras?: readonly ChatExtra[]
  /** What its chats take of tools and calls, where that is not what most take. */
  readonly calls?: CallForm
  /** Takes images as data and not by address, so those behind an address are fetched first. */
  readonly needsImageBytes?: true
}

/** Where a vendor is reached, and what every call of it says. */
export interface VendorRoutes {
  /**
   * Hosts other than the channel's own that get its key, because the vendor's responses name addresses there: `bfl.ai` also stands for every
   * host below it.
   */
  readonly keyHosts?: readonly string[]
  /**
   * Without a trailing slash. `{region}` and other members of the configuration in braces stand for their values; a channel without them
   * must give its address. `null`: the vendor has no address of its own, so every channel must give one.
   */
  readonly baseUrl: string | null
  /** The address for a channel, with or without braces, where no single text says it; `baseUrl` is then what the form shows. */
  readonly addressFor?: (channel: Omit<ChannelFacts, 'baseUrl'>) => string | null
  /** kind (or the list of models) -> path under the base URL, if it differs from the dialect's. */
  readonly paths?: { readonly [K in Kind | 'models']?: string }
  /** The path or address of a call, made of the dialect's path: for vendors whose paths name the model or a version. */
  readonly pathFor?: (path: string, target: Pick<Target, 'kind' | 'model' | 'channel'> & { readonly body: JsonObject }) => string
  /** Fixed headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The header of an error that names its type, in lower case. */
  readonly errorHeader?: string
}

/** The models of a vendor. */
export interface VendorModels {
  /** Models offered by "fill related models" and by `GET /api/models`. Every one has a row in the price table. */
  readonly names: readonly string[]
  /** What a model of it does not take: the request is changed, unless the channel has switched that off. */
  readonly rulesFor?: ((model: string) => readonly RequestRule[]) | undefined
  /** The query for its models, if it is not that of its dialect of chats. */
  readonly ask?: VendorQuery<readonly string[]>
}

/** How a vendor is called. Vendors with an old and a new interface have two of these; all else about them is the same. */
export interface VendorInterface {
  /** The dialects of its kinds. A vendor with chats also has the kinds that are made of chats (`registry/dialect-of.ts`). */
  readonly dialects: VendorDialects
  /** The dialects of work that takes minutes. */
  readonly tasks?: VendorTasks
  /** Its batches of messages: in Anthropic's form, or files of chats. */
  readonly batches?: VendorBatches | undefined
  readonly routes: VendorRoutes
  /** Missing: its chats take all that its dialect sends, or it has none. */
  readonly chat?: VendorChat
  readonly auth: Auth
  /** The credential that is fetched with the channel's key, and sent in its place. */
  readonly credential?: CredentialQuery | undefined
  /** Errors that its dialect would classify otherwise. */
  readonly failures?: FailureRules
  /** A change to requests of its other kinds that no field above can express. Pure; gets the body after drop and rename. */
  readonly patches?: { readonly [K in Kind]?: (body: JsonObject) => JsonObject } | undefined
  /** What of a request the vendor cannot fulfil, beside the features that its chats lack (`VendorChat.lacks`). */
  readonly unsupported?: Unsupported | undefined
  /** Has the call below responses that shortens a conversation (`POST /v1/responses/compact`). */
  readonly compactsResponses?: true
  /** The forms of transcripts that a model has (`response_format`); `null` = those of OpenAI's whisper, or not known. */
  readonly transcriptForms?: (model: string) => readonly string[] | null
  /** What it takes as inputs of embeddings. A request with more of them is sent in parts. */
  readonly embeddingInputs?: EmbeddingInputs
  /** Anthropic's messages, where the vendor takes them beside its chats. What it does not cover is translated. */
  readonly messages?: MessagesInterface
  /** OpenAI's responses, where the vendor takes them beside its chats and stores none. What they do not cover is translated. */
  readonly responses?: ResponsesInterface
}

/** Members of an interface that are groups: what differs for a channel replaces single members of them. */
type InterfaceGroup = 'routes' | 'chat'

/** What differs for some channels of a vendor. Of a group it has only what differs; `undefined` there means that such channels have none. */
export type VendorVariant = Partial<Omit<VendorInterface, InterfaceGroup>> & {
  readonly [G in InterfaceGroup]?: Partial<NonNullable<VendorInterface[G]>>
}

/** The keys of a vendor's channels. */
export interface VendorKey {
  /** Its servers may need no key. */
  readonly isOptional?: true
  /** Placeholder for the key field of the channel form, and the shape that is named when a key has another one. */
  readonly hint: string
  /** `hint` in Chinese, where it has words. */
  readonly hintZh?: string
  /** Whether a key has the vendor's shape. Missing: any key may be right. */
  readonly isValid?: (key: string) => boolean
  /** Whether the vendor itself gives out such keys: channels with another address than the vendor's may have other keys. */
  readonly isOwn?: (key: string) => boolean
  /** How its keys begin, where those of no other vendor do: a channel that calls another vendor cannot have such a key. */
  readonly prefix?: string
  /** The key is these members of the configuration joined by `|`, so the form asks for them instead of a key. */
  readonly fields?: readonly ConfigField[]
}

/** One vendor: the only place in the product that has its name, address and special rules. */
export interface Vendor extends VendorInterface {
  /** Channel type number of the product specification, section 3. */
  readonly type: number
  readonly name: string
  /** Its Chinese name, if that differs. */
  readonly nameZh?: string
  readonly color: VendorColor
  /** Its documentation, for `docs/vendors.md`. A vendor without has `undocumented`. */
  readonly docs?: VendorDocs
  readonly undocumented?: Undocumented
  readonly group: VendorGroup
  /** What differs for a channel with an older interface, recognized by its key, address or further setting. `null`: nothing does. */
  readonly variant?: (channel: ChannelFacts) => VendorVariant | null
  /** Kinds that some of its servers lack, with the dialects that replace others at such a server: it gets the fallback kind. */
  readonly optionalKinds?: { readonly [K in Kind]?: VendorDialects }
  /** Clients address its channels by number, and requests are forwarded without being read. */
  readonly rawProxy?: RawProxy
  readonly key: VendorKey
  /** Members of the configuration that this vendor's channels have; the channel form asks for them. */
  readonly configFields?: readonly ConfigField[]
  /** What a channel's `other` is for this vendor, such as the version of its API. `undefined`: nothing, so the form does not show it. */
  readonly otherLabel?: { readonly en: string; readonly zh: string }
  /** A channel must have its `other`. */
  readonly needsOther?: true
  /** The default of a channel's `other`. */
  readonly otherDefault?: string
  /**
   * The query for a channel's balance. A channel's own address is always used if it has one: a key for a proxy must not be sent to the vendor behind it.
   * `undefined`: the vendor has none.
   */
  readonly askBalance?: VendorQuery<number>
  /** `undefined`: the list shows no balance (specification, section 9: only seven types have one). */
  readonly balance?: BalanceUnit
  /** How long its responses may be silent, if that differs from the default of the kind; a channel's own settings take precedence. */
  readonly timeouts?: { readonly firstByteMs: number; readonly idleMs: number }
  /** A refusal without any output is not billed. Missing: it is, or no page says that it is not. */
  readonly freeRefusals?: true
  /** Lines that its own clients write anew for each request (`client-lines.ts`) are for it. */
  readonly readsClientLines?: true
  /** Its usage says whether one of the fallback models that a request names served it because the requested one declined. */
  readonly reportsFallbacks?: true
  /** Its models are bots with prompts and knowledge of their own, which its counts include. */
  readonly hasOwnPrompts?: true
  /** Its limit of output tokens bounds the output text, and not the reasoning before it. */
  readonly thinksBeyondLimit?: true
  /** All its tools together run no more often for one response than `max_tool_calls` of the request says. Missing: no page says that it reads it. */
  readonly limitsToolCalls?: true
  /** A request with its web search searches at least once, and the response reports that at its end, or not at all. */
  readonly searchesAlways?: true
  /** Its usage reports what it charges (`reported-cost.ts`). */
  readonly reportsCost?: true
  /** Some of its servers are old: they may know only `max_tokens`, and may stream if `stream` is missing. */
  readonly isLegacyServer?: true
  readonly models: VendorModels
}
