import type { Socket } from 'bun'
import { covered, type Link } from './link.ts'
import type { Handshake } from './tunnel.ts'

interface TunnelOpening {
  /** Connected to the proxy. */
  readonly reached: () => void
  readonly refused: (error: unknown) => void
  readonly open: (socket: Socket<Link>) => void
}

/** A connection during the proxy handshake. The messages are short enough to be written at once. */
export function tunnelLink(handshake: Handshake, { open, refused, reached }: TunnelOpening): Link & { destroy(): void } {
  let socket: Socket<Link> | null = null
  let isDestroyed = false
  return {
    ...covered,
    destroy() {
      isDestroyed = true
      socket?.terminate()
    },
    opened(opened) {
      socket = opened
      if (isDestroyed) {
        opened.terminate()
        return
      }
      opened.unref()
      reached()
      opened.write(handshake.hello)
    },
    received(bytes) {
      if (socket === null) return
      try {
        const next = handshake.push(bytes)
        if (next === 'open') open(socket)
        else if (next !== 'more') socket.write(next)
      } catch (error) {
        refused(error)
        socket.terminate()
      }
    },
    closed: (error) => refused(error ?? new Error('the proxy closed the connection')),
  }
}
