import { createHash } from 'node:crypto'
import { hasToken } from './fields.ts'
import type { IncomingRequest } from './incoming-request.ts'

/** The constant that both sides append to the key (RFC 6455, 1.3). */
const keySuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The value of `Sec-WebSocket-Accept` for the key of a handshake. */
export function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + keySuffix)
    .digest('base64')
}

/** Whether a request is a valid WebSocket handshake (RFC 6455, 4.2.1). A request with a body is not. */
export function isHandshake({ method, headers, body }: IncomingRequest): boolean {
  return (
    method === 'GET' &&
    body === null &&
    hasToken(headers.get('upgrade'), 'websocket') &&
    hasToken(headers.get('connection'), 'upgrade') &&
    headers.get('sec-websocket-version') === '13' &&
    /^[A-Za-z0-9+/]{22}==$/.test(headers.get('sec-websocket-key') ?? '')
  )
}
