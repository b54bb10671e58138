import type { ChannelFacts } from './channel-config.ts'
import type { CryptoFunctions } from './crypto-functions.ts'

/** A request that is ready but for its signature. */
export interface UnsignedRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Names in lower case. `host` is not among them. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface SigningContext {
  readonly channel: ChannelFacts
  readonly crypto: CryptoFunctions
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/**
 * The address and headers that carry the signature; each is missing if it stays as it was. Pure: the same arguments give the same
 * signature. @throws Error with a sentence for the administrator if the channel's key has not the form of its vendor
 */
export type Signer = (
  request: UnsignedRequest,
  context: SigningContext,
) => { readonly url?: string; readonly headers?: Readonly<Record<string, string>> }
