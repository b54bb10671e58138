import { authHeaders } from './auth.ts'
import type { ChannelFacts } from './channel-config.ts'
import type { CryptoFunctions } from './crypto-functions.ts'
import { dialectOf } from './dialects.ts'
import { signers } from './signing/signers.ts'
import type { Vendor } from './vendor.ts'
import type { QueryContext, VendorQuery, VendorQueryRequest } from './vendor-query.ts'

/** The query that lists a vendor's models; `null` = it has no such list. */
export function modelQuery(vendor: Vendor): VendorQuery<readonly string[]> | null {
  return vendor.askModels ?? dialectOf(vendor, 'chat')?.askModels ?? null
}

interface Asker {
  readonly facts: ChannelFacts
  /** What is sent in the place of the key, if the vendor gives such a credential; otherwise the key. */
  readonly credential: string
  readonly nowMs: number
  readonly crypto: CryptoFunctions
}

/** The context of a vendor query for a channel. */
export function queryContextOf(
  vendor: Pick<Vendor, 'auth' | 'headers' | 'paths'>,
  { facts, credential, nowMs, crypto }: Asker,
): QueryContext {
  const headers = { ...vendor.headers, ...authHeaders(vendor, credential) }
  const signed = ({ method, url, headers: own, body = '' }: VendorQueryRequest): Readonly<Record<string, string>> => {
    const sign = 'signer' in vendor.auth ? signers[vendor.auth.signer] : null
    return { ...own, ...sign?.({ method, url, headers: own, body }, { channel: facts, crypto, nowMs }).headers }
  }
  return { ...facts, nowMs, crypto, headers, signed, modelsPath: vendor.paths?.models }
}
