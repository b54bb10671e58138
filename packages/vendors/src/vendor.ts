import type { DialectNames } from './dialect-table.ts'
import type { JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { VendorQuery } from './vendor-query.ts'

/** How the channel key is sent: `Authorization: Bearer KEY`, the header `x-api-key`, or `Authorization` with the bare key. */
export type Auth = 'bearer' | 'x-api-key' | 'raw'

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

/** Members of a channel's configuration (specification, section 3). */
export type ConfigField = 'region' | 'ak' | 'sk' | 'user_id' | 'vertex_ai_project_id' | 'vertex_ai_adc'

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

/** One vendor: the only place in the product that has its name, address and special rules. */
export interface Vendor {
  /** Channel type number of the product specification, section 3. */
  readonly type: number
  readonly name: string
  /** Its Chinese name, if that differs. */
  readonly nameZh?: string
  readonly color: VendorColor
  readonly group: VendorGroup
  /** kind -> dialect. The type allows only dialects that `dialects.ts` implements. */
  readonly dialects: DialectNames
  /** Kinds that some of its servers lack: a server that reports so gets the fallback kind. */
  readonly optionalKinds?: readonly Kind[]
  /** Without a trailing slash. `null`: the vendor has no address of its own, so the channel must give one. */
  readonly baseUrl: string | null
  /** kind (or the list of models) -> path under the base URL, if it differs from the dialect's. */
  readonly paths?: { readonly [K in Kind | 'models']?: string }
  readonly auth: Auth
  /** Clients address its channels by number, and requests are forwarded without being read. */
  readonly rawProxy?: RawProxy
  /** Its servers may need no key. */
  readonly isKeyOptional?: true
  /** Placeholder for the key field of the channel form. */
  readonly keyHint: string
  /** Members of the configuration that this vendor's channels have; the channel form asks for them. */
  readonly configFields?: readonly ConfigField[]
  /** The key is these members of the configuration joined by `|`, so the form asks for them instead of a key. */
  readonly keyFields?: readonly ConfigField[]
  /** What a channel's `other` is for this vendor, such as the version of its API. `undefined`: nothing, so the form does not show it. */
  readonly otherLabel?: { readonly en: string; readonly zh: string }
  /** The default of a channel's `other`. */
  readonly otherDefault?: string
  /** The query for a channel's balance: a row of `balances/balances.ts`. `undefined`: the vendor has none. */
  readonly askBalance?: VendorQuery<number>
  /** `undefined`: the list shows no balance (specification, section 9: only seven types have one). */
  readonly balance?: BalanceUnit
  /** Fixed headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long its answers may be silent, if that differs from the default of the kind; a channel's own settings take precedence. */
  readonly timeouts?: { readonly firstByteMs: number; readonly idleMs: number }
  /** Top-level fields of a chat that the vendor refuses; removed before sending. */
  readonly drop?: readonly string[]
  /** Top-level fields of a chat that the vendor names differently: ours -> theirs. */
  readonly rename?: Readonly<Record<string, string>>
  /** Some of its servers are old: they may know only `max_tokens`, and may stream if `stream` is missing. */
  readonly isOfManyAges?: true
  /** Whether `stream_options.include_usage` may be sent with a stream. */
  readonly streamUsage: boolean
  /** Models offered by "fill related models" and by `GET /api/models`. Every one has a row in the price table. */
  readonly models: readonly string[]
  /** A change to its chats that no field above can express. Pure; gets the body after drop and rename. */
  readonly patch?: (body: JsonObject) => JsonObject
}
