import { authHeaders } from './build-request.ts'
import { chatDialects } from './dialect-table.ts'
import type { Vendor } from './vendor.ts'
import type { QueryContext, VendorQuery } from './vendor-query.ts'

/** The query that lists a vendor's models; `null` = it has no such list. */
export function modelQuery({ dialects }: Vendor): VendorQuery<readonly string[]> | null {
  return dialects.chat === undefined ? null : (chatDialects[dialects.chat].askModels ?? null)
}

/** The context of a vendor query for a channel. */
export function queryContextOf(vendor: Vendor, { baseUrl, key, nowMs }: Pick<QueryContext, 'baseUrl' | 'key' | 'nowMs'>): QueryContext {
  return { baseUrl, key, nowMs, headers: { ...vendor.headers, ...authHeaders(vendor, key) }, modelsPath: vendor.paths?.models }
}
