import type { ReceivedRequest } from './received.ts'
import type { Reply } from './reply.ts'
import type { Deadlines } from './time.ts'

/** What a connection needs of its socket. */
export interface Wire {
  /** A socket that was closed has none. */
  readonly remoteAddress: string | undefined
  /** Writes all of the bytes, or `length` of them from `offset` on. @returns how many it took; negative: it is closed */
  write(bytes: Uint8Array, offset?: number, length?: number): number
  pause(): void
  resume(): void
  /** Says that nothing more will be sent. */
  shutdown(): void
  /** Closes it at once. */
  terminate(): void
}

/** What a connection needs of its server. */
export interface ConnectionDeps<Connection> {
  /** Answers a request. It should not throw. */
  readonly answer: (request: ReceivedRequest, connection: Connection) => Promise<Reply>
  readonly monotonicMs: () => number
  readonly deadlines: Deadlines
  /** For the `Date` of answers. */
  readonly date: () => string
  readonly timeouts: ServerTimeouts
  /** No further request is taken: every answer is the last of its connection. */
  readonly isClosing: () => boolean
  readonly closed: (connection: Connection) => void
  readonly report: (error: unknown) => void
}

/** In milliseconds. */
export interface ServerTimeouts {
  /** For the next request. */
  readonly keepMs: number
  /** How long a head may take to come. */
  readonly headMs: number
  /** A client that takes nothing of its answer. */
  readonly stallMs: number
}

/** Speaks something else than HTTP, once both sides have agreed on it. */
export interface TakenOver {
  data(bytes: Buffer): void
  drained(): void
  /** The other side sends nothing more. */
  ended(): void
  closed(): void
}

export const defaultTimeouts: ServerTimeouts = { keepMs: 120_000, headMs: 10_000, stallMs: 60_000 }
