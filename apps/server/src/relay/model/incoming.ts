import type { IncomingRequest } from '@sluice/http1/incoming-request'
import type { SocketHandlers } from '@sluice/http1/server-web-socket'
import type { Caller } from './caller.ts'
import type { ClientProtocol } from './client-protocol.ts'
import type { RequestSpan } from './telemetry.ts'

/** One client request as the HTTP server passes it on. */
export interface Incoming {
  readonly request: IncomingRequest
  readonly requestId: string
  /** The client's address behind trusted proxies. Called only for tokens that are restricted to subnets. */
  address(): string
  /** Upgrades the request to a WebSocket. `false`: the client disconnected before that. */
  upgrade(handlers: SocketHandlers, headers: Readonly<Record<string, string>>): boolean
}

/** A request inside the relay. */
export interface RelayRequest extends Incoming {
  readonly span: RequestSpan
  /** Ids of the servers that the request has passed; empty: none. */
  readonly hops: string
  readonly protocol: ClientProtocol
  /** Whose token sent it; `null`: it is not admitted yet. */
  caller: Caller | null
}

/** A class, because a copy of the request with functions of its own would be made for every request. */
export class TracedRequest implements RelayRequest {
  readonly request: IncomingRequest
  readonly requestId: string
  readonly span: RequestSpan
  readonly hops: string
  readonly protocol: ClientProtocol
  caller: Caller | null = null
  readonly #incoming: Incoming

  constructor(incoming: Incoming, { span, hops, protocol }: Pick<RelayRequest, 'span' | 'hops' | 'protocol'>) {
    this.request = incoming.request
    this.requestId = incoming.requestId
    this.span = span
    this.hops = hops
    this.protocol = protocol
    this.#incoming = incoming
  }

  address(): string {
    return this.#incoming.address()
  }

  upgrade(...parts: Parameters<Incoming['upgrade']>): boolean {
    return this.#incoming.upgrade(...parts)
  }
}
