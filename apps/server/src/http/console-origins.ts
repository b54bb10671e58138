import { expectedAccountHeader } from '@sluice/contract'
import type { FieldReader } from '@sluice/http1/fields'

// A console that is served from another origin than this server (`CONSOLE_ORIGINS`) calls the management API with CORS and credentials.

/** Methods and headers of the management API's calls, and what a console reads of a response besides its body. */
const allowed = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': `content-type, accept-language, authorization, ${expectedAccountHeader}`,
  'access-control-max-age': '600',
}
const exposed = 'content-disposition, retry-after, x-request-id'

/** The origin of the console that sends the request; `null` = it comes from none of these. Browsers set the header, pages cannot. */
export function consoleOriginOf(headers: FieldReader, consoleOrigins: readonly string[]): string | null {
  const origin = headers.get('origin')
  return origin !== null && consoleOrigins.includes(origin) ? origin : null
}

/** Lets pages of the origin read this response. `null` = only pages of this server may. */
export function setCorsHeaders(headers: Headers, origin: string | null): void {
  headers.append('vary', 'origin')
  if (origin === null) return
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-allow-credentials', 'true')
  headers.set('access-control-expose-headers', exposed)
}

/** The response to a browser that asks before a call (a CORS preflight). https://fetch.spec.whatwg.org/#http-cors-protocol, read 2026-11-22. */
export const preflightResponse = (): Response => new Response(null, { status: 204, headers: allowed })
