import type { DialectNames } from './dialect-table.ts'
import type { JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { VendorQuery } from './vendor-query.ts'

/** How the channel key travels: `Authorization: Bearer KEY`, a header of the vendor's own, or `Authorization` as it is. */
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

/** Members of a channel's configuration (specification, section 3). */
export type ConfigField = 'region' | 'ak' | 'sk' | 'user_id' | 'vertex_ai_project_id' | 'vertex_ai_adc'

/** What the balance of a channel counts: money, or units of the vendor's own quota. */
export interface BalanceUnit {
  readonly unit: '$' | '¥' | 'quota'
  /** How many of the vendor's units make one that is shown. */
  readonly divisor?: number
}

/** Headers that pass through a raw proxy, in small letters; no other does. */
export interface RawProxy {
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

/** One vendor: the only place in the product that knows its name, address and habits. */
export interface Vendor {
  /** Channel type number of the product specification, section 3. */
  readonly type: number
  readonly name: string
  /** Its name in Chinese, where that is another. */
  readonly nameZh?: string
  readonly color: VendorColor
  /** kind -> dialect. The type allows only dialects that `dialects.ts` implements. */
  readonly dialects: DialectNames
  /** Kinds that not all of its servers have: one that says so is asked for what can stand in. */
  readonly optionalKinds?: readonly Kind[]
  /** Without a trailing slash. `null`: the vendor has no address of its own, so the channel must give one. */
  readonly baseUrl: string | null
  /** kind (or the list of models) -> path under the base URL, where it differs from the dialect's own. */
  readonly paths?: { readonly [K in Kind | 'models']?: string }
  readonly auth: Auth
  /** Its channels are called by their number, and what is sent to them is not understood here. */
  readonly rawProxy?: RawProxy
  /** Servers of it may ask for no key. */
  readonly isKeyOptional?: true
  /** Placeholder for the key field of the channel form. */
  readonly keyHint: string
  /** Members of the configuration that this vendor's channels have; the channel form asks for them. */
  readonly configFields?: readonly ConfigField[]
  /** The key is these members of the configuration joined by `|`, so the form asks for them and for no key. */
  readonly keyFields?: readonly ConfigField[]
  /** What `other` of a channel is where it is left empty, such as a version of the vendor's interface. */
  readonly otherDefault?: string
  /** How the balance of a channel is asked: a row of `balances/balances.ts`. `undefined`: the vendor tells none. */
  readonly askBalance?: VendorQuery<number>
  /** `undefined`: the list shows no balance, as the specification's section 9 says of all but seven types. */
  readonly balance?: BalanceUnit
  /** Fixed headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long its answers may be silent, where that differs from what the kind of call has; a channel's own settings come first. */
  readonly timeouts?: { readonly firstByteMs: number; readonly idleMs: number }
  /** Top-level fields of a chat that the vendor refuses; removed before sending. */
  readonly drop?: readonly string[]
  /** Top-level fields of a chat that the vendor names differently: ours -> theirs. */
  readonly rename?: Readonly<Record<string, string>>
  /** Its servers are of many ages: some know a limit of output tokens by its older name only, and some stream where nothing is said. */
  readonly isOfManyAges?: true
  /** Whether `stream_options.include_usage` may be asked for in a stream. */
  readonly streamUsage: boolean
  /** Models offered by "fill related models" and by `GET /api/models`. Every one has a row in the price table. */
  readonly models: readonly string[]
  /** The one deviation of its chats that no field above can say. Pure; gets the body after drop and rename. */
  readonly patch?: (body: JsonObject) => JsonObject
}
