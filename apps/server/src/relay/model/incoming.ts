import type { Received } from '@sluice/http1/received'
import type { SocketHandlers } from '@sluice/http1/server-web-socket'
import type { RequestSpan } from './telemetry.ts'

/** One client request as the server hands it over. */
export interface Incoming {
  readonly request: Received
  readonly requestId: string
  /** The client's address, trusted proxies already resolved. Asked for only where a token is bound to subnets. */
  readonly address: () => string
  /** Makes a connection of messages of it. `false`: it could not be made, because the client has gone. */
  readonly upgrade: (handlers: SocketHandlers, headers: Readonly<Record<string, string>>) => boolean
}

/** The same on its way through the relay. */
export interface RelayRequest extends Incoming {
  readonly span: RequestSpan
  /** The servers that it has passed; empty = none. */
  readonly hops: string
}
