import type { Incoming } from '../model/incoming.ts'
import { relayHeaders } from '../wire/error-response.ts'

/** A list of header names, as browsers send it. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:, ?[\w!#$%&'*+.^`|~-]+)*$/
const headerNamesMax = 2_000

/**
 * Responds to a CORS preflight. Requested headers are allowed by name, because `*` does not cover `authorization` and is unknown to older
 * browsers.
 */
export function preflight({ request, requestId }: Pick<Incoming, 'request' | 'requestId'>): Response {
  const requestedHeaders = request.headers.get('access-control-request-headers') ?? ''
  const isList = requestedHeaders.length <= headerNamesMax && headerNames.test(requestedHeaders)
  const allowed = {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': isList ? requestedHeaders : '*, authorization',
    'access-control-max-age': '86400',
    vary: 'access-control-request-headers',
  }
  return new Response(null, { status: 204, headers: { ...relayHeaders(requestId, 0), ...allowed } })
}
