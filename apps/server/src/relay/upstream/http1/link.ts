import type { Socket } from 'bun'

/** Handlers of a socket's events. */
export interface Link {
  opened(socket: Socket<Link>): void
  secured(isGood: boolean, error: Error | null): void
  received(bytes: Buffer): void
  drain(): void
  closed(error: Error | null): void
}

/** For the raw socket under TLS: its events are reported by the TLS socket. */
export const covered: Link = { opened: () => {}, secured: () => {}, received: () => {}, drain: () => {}, closed: () => {} }
