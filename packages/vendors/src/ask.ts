import { authHeaders } from './build-request.ts'
import { chatDialects } from './dialect-table.ts'
import type { Asked, LookUp } from './look-up.ts'
import type { Vendor } from './vendor.ts'

/** How a vendor's models are listed; `null`: nobody can ask it. */
export function modelLookUp({ speaks }: Vendor): LookUp<readonly string[]> | null {
  return speaks.chat === undefined ? null : (chatDialects[speaks.chat].askModels ?? null)
}

/** What a look-up may know of a channel. */
export function askedOf(vendor: Vendor, { baseUrl, key, nowMs }: Pick<Asked, 'baseUrl' | 'key' | 'nowMs'>): Asked {
  return { baseUrl, key, nowMs, headers: { ...vendor.headers, ...authHeaders(vendor, key) }, modelsPath: vendor.paths?.models }
}
