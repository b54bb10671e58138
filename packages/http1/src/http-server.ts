import type { Socket, TCPSocketListener } from 'bun'
import type { ByteBudget } from './byte-budget.ts'
import { type ConnectionDeps, defaultTimeouts, type ServerTimeouts } from './connection-deps.ts'
import { Garbage } from './garbage.ts'
import type { ReceivedRequest } from './incoming-request.ts'
import { listenError } from './listen-error.ts'
import { RefusedRequest } from './request-head.ts'
import type { ServerResponse } from './response.ts'
import { ServerConnection } from './server-connection.ts'
import { acceptWebSocket, collectedBytes, type SocketHandlers } from './server-web-socket.ts'
import { type Clock, createDateField, type Deadlines } from './time.ts'
import { Turns } from './turns.ts'
import { UnorderedSet } from './unordered-set.ts'

/** A request, its client's address, and the upgrade to a WebSocket. */
export interface Arrived {
  readonly request: ReceivedRequest
  /** Address of the peer. */
  readonly address: string
  /** Upgrades to a WebSocket; the response to the request is then not sent. `false` = the upgrade was not possible. */
  upgrade(handlers: SocketHandlers, headers: Readonly<Record<string, string>>): boolean
}

interface ServerOptions {
  /** 0 = any free port. */
  readonly port: number
  readonly host: string
  /** Other processes listen on the same port, and each connection comes to one of them. */
  readonly isPortShared?: boolean
  /** Maximum open connections: further ones get a 503 response and are closed. Missing = any number. */
  readonly connectionsMax?: number
  readonly respond: (arrived: Arrived) => Promise<ServerResponse>
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly timeouts: Partial<ServerTimeouts>
  /** Bytes of the longest message of a WebSocket. */
  readonly messageBytesMax: number
  /** Memory limit for the long messages of all WebSockets, both arriving and waiting to be sent. */
  readonly longMessages: ByteBudget
  readonly report: (error: unknown) => void
}

export interface HttpServer {
  readonly port: number
  /**
   * From now on each response that begins ends its connection, so that a balancer opens the next one to a server that is ready. A connection
   * whose response has begun stays for one more request, because its head promised that and the client may already be sending it.
   */
  windDown(): void
  /** Takes no further connections. Requests that arrive on open ones are served. */
  closePort(): void
  /** Stops taking connections and requests. Resolves when the last response has been sent. */
  stop(): Promise<void>
  /** Closes all open connections at once. */
  cut(): void
}

/**
 * The runtime reads up to 512 KiB at a time from a socket, and continues with the same socket while reads are nearly full. So a client
 * that sends faster than its bytes are processed would starve all others; after a read of this size the connection yields.
 */
const fullReadBytes = 256 * 1024

/** Requests that were sent ahead and begin in one turn of the event loop. */
const requestsPerTurn = 16
/** Sockets with a long read that are read on in one turn of the event loop: 16 MiB, which are copied in some ten milliseconds. */
const longReadsPerTurn = 32

const tooManyConnections = (): RefusedRequest => new RefusedRequest(503, 'the server has as many connections as it may have')

/** Maximum connections beyond the limit that get a 503 response at a time; others are closed immediately. */
const refusedMax = 32

const handlers = {
  binaryType: 'buffer' as const,
  data({ data: connection }: Socket<ServerConnection>, bytes: Buffer) {
    // Computed first: `data` may free the memory of the bytes.
    const isFull = bytes.length >= fullReadBytes
    connection.data(bytes)
    if (isFull) connection.giveTurn()
  },
  drain: ({ data: connection }: Socket<ServerConnection>) => connection.drained(),
  error: ({ data: connection }: Socket<ServerConnection>, error: Error) => connection.closed(error),
  end: ({ data: connection }: Socket<ServerConnection>) => connection.ended(),
  close: ({ data: connection }: Socket<ServerConnection>, error?: Error) => connection.closed(error ?? null),
}

/** Starts an HTTP/1.1 server. @throws an error with the reason and a code if it cannot listen there */
export function startHttpServer({
  port,
  host,
  isPortShared = false,
  connectionsMax = Number.POSITIVE_INFINITY,
  respond,
  clock,
  deadlines,
  timeouts,
  report,
  ...messages
}: ServerOptions): HttpServer {
  const open = new UnorderedSet<ServerConnection>()
  const date = createDateField(clock)
  const sockets = { ...messages, deadlines, garbage: new Garbage(collectedBytes) }
  let isClosing = false
  let isStopped = false
  let emptied = Promise.withResolvers<void>()

  const deps: ConnectionDeps<ServerConnection> = {
    respond: (request, connection) => respond(new ArrivedRequest(request, connection, sockets)),
    monotonicMs: clock.monotonicMs,
    deadlines,
    fairness: new Turns(requestsPerTurn),
    longReads: new Turns(longReadsPerTurn),
    date,
    timeouts: { ...defaultTimeouts, ...timeouts },
    isClosing: () => isClosing,
    isStopped: () => isStopped,
    closed(connection) {
      open.delete(connection)
      if (open.size === 0) emptied.resolve()
    },
    report,
  }

  const listener = listen({ hostname: host, port, exclusive: !isPortShared, reusePort: isPortShared }, (socket) => {
    const connection = new ServerConnection(socket, deps)
    socket.data = connection
    open.add(connection)
    // The client closed the connection before it was accepted.
    if (socket.remoteAddress === undefined || open.size > connectionsMax + refusedMax) connection.destroy()
    else if (open.size > connectionsMax) connection.refuse(tooManyConnections())
  })

  function closePort(): void {
    isClosing = true
    listener.stop()
  }

  return {
    port: listener.port,
    windDown() {
      isClosing = true
    },
    closePort,
    async stop() {
      closePort()
      isStopped = true
      emptied = Promise.withResolvers()
      for (const connection of open.all()) connection.close()
      if (open.size > 0) await emptied.promise
    },
    cut() {
      for (const connection of open.all()) connection.destroy()
    },
  }
}

/** A class, because an object with functions of its own would be made for every request. */
class ArrivedRequest implements Arrived {
  readonly request: ReceivedRequest
  readonly #connection: ServerConnection
  readonly #sockets: Parameters<typeof acceptWebSocket>[1]

  constructor(request: ReceivedRequest, connection: ServerConnection, sockets: Parameters<typeof acceptWebSocket>[1]) {
    this.request = request
    this.#connection = connection
    this.#sockets = sockets
  }

  get address(): string {
    return this.#connection.address
  }

  upgrade(handlers: SocketHandlers, headers: Readonly<Record<string, string>>): boolean {
    return acceptWebSocket({ request: this.request, connection: this.#connection, handlers, headers }, this.#sockets)
  }
}

interface Place {
  readonly hostname: string
  readonly port: number
  /** The port is refused where another program listens on it. */
  readonly exclusive: boolean
  /** Several programs may listen on it. Bun's types lack it. */
  readonly reusePort: boolean
}

function listen(place: Place, open: (socket: Socket<ServerConnection>) => void): TCPSocketListener<ServerConnection> {
  try {
    return Bun.listen<ServerConnection>({ ...place, allowHalfOpen: true, socket: { ...handlers, open } })
  } catch (cause) {
    throw listenError(place, cause)
  }
}

/**
 * Checks that a port is available, and picks one for 0, before several processes share it: none of them would notice another program there.
 * @throws an error with the reason and a code if it is not available
 */
export function freePort(hostname: string, port: number): number {
  const listener = listen({ hostname, port, exclusive: true, reusePort: false }, (socket) => void socket.end())
  listener.stop(true)
  return listener.port
}
