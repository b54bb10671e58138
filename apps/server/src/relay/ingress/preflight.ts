import type { Incoming } from '../model/incoming.ts'
import { relayHeaders } from '../wire/error-reply.ts'

/** A list of header names, as browsers send it. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:, ?[\w!#$%&'*+.^`|~-]+)*$/
const headerNamesMax = 2_000

/**
 * What a browser asks before a page of another site may send a request. Every header is allowed by its name, because the star that stands
 * for all of them leaves out `authorization`, and older browsers do not know it.
 */
export function preflight({ request, requestId }: Pick<Incoming, 'request' | 'requestId'>): Response {
  const asked = request.headers.get('access-control-request-headers') ?? ''
  const isList = asked.length <= headerNamesMax && headerNames.test(asked)
  const allowed = {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': isList ? asked : '*, authorization',
    'access-control-max-age': '86400',
    vary: 'access-control-request-headers',
  }
  return new Response(null, { status: 204, headers: { ...relayHeaders(requestId, 0), ...allowed } })
}
