import { authHeaders } from './auth.ts'
import type { ChannelFacts } from './channel-config.ts'
import type { CryptoFunctions } from './crypto-functions.ts'
import { dialectOf } from './dialects.ts'
import type { Vendor } from './vendor.ts'
import type { QueryContext, VendorQuery } from './vendor-query.ts'

/** The query that lists a vendor's models; `null` = it has no such list. */
export function modelQuery(vendor: Vendor): VendorQuery<readonly string[]> | null {
  return dialectOf(vendor, 'chat')?.askModels ?? null
}

interface Asker {
  readonly facts: ChannelFacts
  /** What is sent in the place of the key, if the vendor gives such a credential; otherwise the key. */
  readonly credential: string
  readonly nowMs: number
  readonly crypto: CryptoFunctions
}

/** The context of a vendor query for a channel. */
export function queryContextOf(vendor: Vendor, { facts, credential, nowMs, crypto }: Asker): QueryContext {
  const headers = { ...vendor.headers, ...authHeaders(vendor, credential) }
  return { ...facts, nowMs, crypto, headers, modelsPath: vendor.paths?.models }
}
