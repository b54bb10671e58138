import type { ReceivedRequest } from './incoming-request.ts'
import type { ServerResponse } from './response.ts'
import type { Deadlines } from './time.ts'
import type { Turns } from './turns.ts'

/** What a connection needs of its socket. */
export interface Wire {
  /** `undefined` once the socket is closed. */
  readonly remoteAddress: string | undefined
  /** Writes all bytes, or `length` of them from `offset` on. @returns number of bytes taken; negative = the socket is closed */
  write(bytes: Uint8Array, offset?: number, length?: number): number
  pause(): void
  resume(): void
  /** Ends the sending side (FIN). */
  shutdown(): void
  /** Closes it at once. */
  terminate(): void
}

/** What a connection needs of its server. */
export interface ConnectionDeps<Connection> {
  /** Responds to a request. It should not throw. */
  readonly respond: (request: ReceivedRequest, connection: Connection) => Promise<ServerResponse>
  readonly monotonicMs: () => number
  readonly deadlines: Deadlines
  /** Requests that were sent ahead. */
  readonly fairness: Turns
  /** Sockets that continue to be read after a long read. */
  readonly longReads: Turns
  /** Value of the field `Date` of responses. */
  readonly date: () => string
  readonly timeouts: ServerTimeouts
  /** Whether every response that begins now is the last of its connection. */
  readonly isClosing: () => boolean
  /** Whether the server takes no further requests: a connection is then closed after its response, even if the response said that it stays. */
  readonly isStopped: () => boolean
  readonly closed: (connection: Connection) => void
  readonly report: (error: unknown) => void
}

/** All in milliseconds. */
export interface ServerTimeouts {
  /** Wait for the next request on an idle connection, which is then ended. */
  readonly keepMs: number
  /** Time limit for a complete head. */
  readonly headMs: number
  /** Time after which a client that reads nothing of its response is disconnected. */
  readonly stallMs: number
}

/** Handles a connection after an upgrade to another protocol. */
export interface TakenOver {
  data(bytes: Buffer): void
  drained(): void
  /** The peer ended its sending side. */
  ended(): void
  closed(): void
}

export const defaultTimeouts: ServerTimeouts = { keepMs: 120_000, headMs: 10_000, stallMs: 60_000 }
