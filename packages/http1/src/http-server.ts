import type { Socket, TCPSocketListener } from 'bun'
import type { ByteBudget } from './byte-budget.ts'
import { type ConnectionDeps, defaultTimeouts, type ServerTimeouts } from './connection-deps.ts'
import type { ReceivedRequest } from './received.ts'
import type { Reply } from './reply.ts'
import { ServerConnection } from './server-connection.ts'
import { acceptWebSocket, type SocketHandlers } from './server-web-socket.ts'
import { type Clock, createDateField, type Deadlines } from './time.ts'

/** A request, and what else its connection can tell or do. */
export interface Arrived {
  readonly request: ReceivedRequest
  /** Address of the other end of the connection. */
  readonly address: string
  /** Makes a connection of messages of it; whatever is answered then is not sent. `false`: it could not be made. */
  upgrade(handlers: SocketHandlers, headers: Readonly<Record<string, string>>): boolean
}

interface ServerOptions {
  /** 0 = any that is free. */
  readonly port: number
  readonly host: string
  readonly answer: (arrived: Arrived) => Promise<Reply>
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly timeouts: Partial<ServerTimeouts>
  /** Bytes of the longest message of a WebSocket. */
  readonly messageBytesMax: number
  /** What long messages of all WebSockets may have together while they arrive and wait to be sent. */
  readonly longMessages: ByteBudget
  readonly report: (error: unknown) => void
}

export interface HttpServer {
  readonly port: number
  /** Takes no new connection and no further request. Resolves when the last answer has been sent. */
  stop(): Promise<void>
  /** Closes what is still open. */
  cut(): void
}

/**
 * The runtime reads a socket up to 512 KiB at a time, and goes on with the same socket as long as it fills most of that. A client that sends
 * faster than its bytes are processed would keep all others waiting.
 */
const fullReadBytes = 256 * 1024

const handlers = {
  binaryType: 'buffer' as const,
  data({ data: connection }: Socket<ServerConnection>, bytes: Buffer) {
    // Whoever takes them may give their memory back.
    const isFull = bytes.length >= fullReadBytes
    connection.data(bytes)
    if (isFull) connection.giveTurn()
  },
  drain: ({ data: connection }: Socket<ServerConnection>) => connection.drained(),
  error: ({ data: connection }: Socket<ServerConnection>, error: Error) => connection.closed(error),
  end: ({ data: connection }: Socket<ServerConnection>) => connection.ended(),
  close: ({ data: connection }: Socket<ServerConnection>, error?: Error) => connection.closed(error ?? null),
}

/** A server of HTTP/1.1. @throws where the port is taken */
export function startHttpServer({ port, host, answer, clock, deadlines, timeouts, report, ...messages }: ServerOptions): HttpServer {
  const open = new Set<ServerConnection>()
  const date = createDateField(clock)
  let isClosing = false
  let emptied = Promise.withResolvers<void>()

  const deps: ConnectionDeps<ServerConnection> = {
    answer: (request, connection) =>
      answer({
        request,
        get address() {
          return connection.address
        },
        upgrade: (own, headers) => acceptWebSocket({ request, connection, handlers: own, headers }, { ...messages, deadlines }),
      }),
    monotonicMs: clock.monotonicMs,
    deadlines,
    date,
    timeouts: { ...defaultTimeouts, ...timeouts },
    isClosing: () => isClosing,
    closed(connection) {
      open.delete(connection)
      if (open.size === 0) emptied.resolve()
    },
    report,
  }

  const listener = listen(host, port, (socket) => {
    const connection = new ServerConnection(socket, deps)
    socket.data = connection
    open.add(connection)
    // It was closed again before anybody looked at it.
    if (socket.remoteAddress === undefined) connection.destroy()
  })

  return {
    port: listener.port,
    async stop() {
      isClosing = true
      listener.stop()
      emptied = Promise.withResolvers()
      for (const connection of [...open]) connection.close()
      if (open.size > 0) await emptied.promise
    },
    cut() {
      for (const connection of [...open]) connection.destroy()
    },
  }
}

function listen(hostname: string, port: number, open: (socket: Socket<ServerConnection>) => void): TCPSocketListener<ServerConnection> {
  try {
    return Bun.listen<ServerConnection>({ hostname, port, exclusive: true, allowHalfOpen: true, socket: { ...handlers, open } })
  } catch (cause) {
    throw new Error(`Failed to listen at ${hostname}. Is port ${port} in use?`, { cause })
  }
}
