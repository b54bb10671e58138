import { ByteQueue } from '@sluice/http1/byte-queue'
import { MalformedMessage } from '@sluice/http1/message-body'
import type { Clock } from '../../../lib/clock.ts'
import type { Deadlines } from '../../../lib/deadlines.ts'
import { createLru } from '../../../lib/lru.ts'
import { ForbiddenAddress } from '../resolve-guard.ts'
import { type Connection, connect, type Dial, type Exchange, type Peer, type RequestText } from './connection.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import { requestText, type Target, targetOf, type UpstreamRequest } from './request-text.ts'
import type { ResponseHead } from './response-parser.ts'
import { type Handshake, handshakeWith, parseProxy } from './tunnel.ts'

export interface BodySink {
  data(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

export interface UpstreamResponse {
  readonly status: number
  header(name: string): string | null
  /** The body flows into the sink from now on; what has come already comes first, at once. */
  pipe(sink: BodySink): void
  /** Holds the other side back, until `resume`. */
  pause(): void
  resume(): void
  /** Ends it at once. The sink hears that it failed, unless it was over. */
  abort(): void
}

/** A request under way. */
export interface Outbound {
  /** Resolves with the head. Rejects where none came. */
  readonly response: Promise<UpstreamResponse>
  /** Whether something of the request has left: until then nobody can have acted on it. */
  readonly isSent: boolean
  /** Ends it at once, whether the response has begun or not. Whoever waits for the rest of it hears that it failed. */
  abort(): void
}

export interface UpstreamClient {
  send(request: UpstreamRequest): Outbound
  /** Closes every connection, in use or not. */
  close(): void
}

interface ClientDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Where an origin may be reached. Rejects where it may not, or has no address. */
  readonly addressesOf: (origin: string) => Promise<readonly string[]>
  /** Whether an origin may be asked for by its name, where a proxy looks the name up. */
  readonly mayBeNamed: (origin: string) => boolean
  /** What names this process to other servers of this product, and to itself. `null`: nothing is said of it. */
  readonly ownHop: string | null
}

/** Addresses kept parsed. */
const targetsMax = 1_000
/** Bytes of a body that may wait until somebody reads them; then the other side waits. */
const earlyBytesMax = 256 * 1024
/** How long a name may take to be resolved, and one address to be reached. */
const connectMs = 5_000
/** How long TLS may take after that. */
const tlsMs = 5_000

/**
 * A client of HTTP/1.1 for vendors: one connection carries one request at a time and is kept for the next. It connects to addresses
 * that were checked, and what passes through it meets no buffer on the way.
 */
export function createUpstreamClient({ clock, deadlines, addressesOf, mayBeNamed, ownHop }: ClientDeps): UpstreamClient {
  const pool = createConnectionPool({ clock, deadlines })
  const targets = createLru<string, Target>(targetsMax)
  const openings = new Set<Opening>()
  const open = new Set<Connection>()
  let isClosed = false

  function ownerFor(way: string): Parameters<typeof connect>[1] {
    return {
      opened: (connection) => void open.add(connection),
      free: (connection) => pool.add(way, connection),
      gone(connection) {
        open.delete(connection)
        pool.remove(way, connection)
      },
    }
  }

  function target(url: string, proxy: string | null): Target {
    const known = targets.get(url)
    if (known?.proxy === proxy) return known
    const parsed = targetOf(url, proxy)
    targets.set(url, parsed)
    return parsed
  }

  /** Who is connected to: the vendor, or the proxy that leads there. */
  function firstStop({ origin, hostname, port, proxy }: Target): FirstStop {
    if (proxy === null) return { origin, port, tunnel: () => null }
    if (!mayBeNamed(origin)) throw new ForbiddenAddress('forbidden address behind a proxy')
    const parsed = parseProxy(proxy)
    return {
      origin: `http://${parsed.host}:${parsed.port}`,
      port: parsed.port,
      tunnel: () => handshakeWith(parsed, { host: hostname, port }),
    }
  }

  /** Reaches the other side by one of its addresses, in their order. */
  function openTo(target: Target): Opening {
    let dial: Dial | null = null
    let cancelled: Error | null = null
    async function reach(): Promise<Connection> {
      if (isClosed) throw new Error('the client is closed')
      const { origin, port, tunnel } = firstStop(target)
      let last: unknown = new Error('the name has no address')
      for (const address of await resolved(origin)) {
        if (cancelled !== null) throw cancelled
        dial = dialInTime({ address, port, serverName: target.serverName, tunnel: tunnel() }, target.way)
        try {
          return await dial.connection
        } catch (error) {
          last = error
        }
      }
      throw last
    }
    const opening: Opening = {
      connection: reach().finally(() => openings.delete(opening)),
      cancel(error) {
        cancelled = error
        dial?.abort(error)
      },
    }
    openings.add(opening)
    return opening
  }

  /** A name that nobody answers for must not keep a request for ever. */
  function resolved(origin: string): Promise<readonly string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
    const deadline = deadlines.start(connectMs, () => reject(new Error('looking the name up took too long')))
    addressesOf(origin)
      .then(resolve, reject)
      .finally(() => deadlines.cancel(deadline))
    return promise
  }

  function dialInTime(peer: Peer, way: string): Dial {
    let phase = 'connecting'
    const reached = (): void => {
      phase = 'the TLS handshake'
      deadline.at = clock.monotonicMs() + tlsMs
    }
    const deadline = deadlines.start(connectMs, () => dial.abort(new Error(`${phase} took too long`)))
    const dial = connect(peer, ownerFor(way), reached)
    const over = (): void => deadlines.cancel(deadline)
    dial.connection.then(over, over)
    return dial
  }

  const connections: Connections = { target, pool, open: openTo, ownHop }
  return {
    send: (request) => new OutboundRequest(request, connections),
    close() {
      isClosed = true
      for (const opening of openings) opening.cancel(new Error('the client is closed'))
      pool.close()
      for (const connection of open) connection.destroy()
    },
  }
}

interface FirstStop {
  readonly origin: string
  readonly port: number
  /** A new one for each try. */
  readonly tunnel: () => Handshake | null
}

/** A connection on its way, by whichever address leads there. */
interface Opening {
  readonly connection: Promise<Connection>
  /** Gives it up. */
  cancel(error: Error): void
}

interface Connections {
  /** @throws TypeError where the address is none */
  readonly target: (url: string, proxy: string | null) => Target
  readonly pool: ConnectionPool
  readonly open: (target: Target) => Opening
  readonly ownHop: string | null
}

class OutboundRequest implements Outbound, UpstreamResponse, Exchange {
  readonly response: Promise<UpstreamResponse>
  /** Given up when the head has come: it is not sent again then, and a long prompt would be kept for as long as the answer lasts. */
  #request: UpstreamRequest | null
  readonly #connections: Connections
  readonly #answered = Promise.withResolvers<UpstreamResponse>()
  #head: ResponseHead | null = null
  /** What came before anybody reads. */
  readonly #early = new ByteQueue()
  #sink: BodySink | null = null
  #opening: Opening | null = null
  #connection: Connection | null = null
  #isAborted = false
  #isSent = false
  #over: 'no' | 'ended' | { readonly error: unknown } = 'no'

  constructor(request: UpstreamRequest, connections: Connections) {
    this.#request = request
    this.#connections = connections
    this.response = this.#answered.promise
    this.#start(request, request.isUpgrade === true)
  }

  get isSent(): boolean {
    return this.#isSent
  }

  get status(): number {
    return this.#head?.status ?? 0
  }

  header(name: string): string | null {
    return this.#head?.header(name) ?? null
  }

  pipe(next: BodySink): void {
    const isHeldBack = this.#early.byteLength >= earlyBytesMax
    for (let bytes = this.#early.shift(); bytes !== null; bytes = this.#early.shift()) next.data(bytes)
    this.#sink = next
    if (isHeldBack) this.resume()
    if (this.#over === 'ended') next.end()
    else if (this.#over !== 'no') next.fail(this.#over.error)
  }

  pause(): void {
    this.#connection?.pause()
  }

  resume(): void {
    this.#connection?.resume()
  }

  abort(): void {
    this.#isAborted = true
    this.#connection?.destroy()
    this.#opening?.cancel(new Error('the request was ended'))
    this.#failed(new Error('the request was ended'))
  }

  head(head: ResponseHead): void {
    if (head.status === 101 && this.#request?.isUpgrade !== true) throw new MalformedMessage('the server switched the protocol')
    this.#head = head
    this.#request = null
    this.#answered.resolve(this)
  }

  data(bytes: Uint8Array): void {
    if (this.#sink !== null) {
      this.#sink.data(bytes)
      return
    }
    this.#early.push(bytes)
    if (this.#early.byteLength >= earlyBytesMax) this.pause()
  }

  end(): void {
    this.#over = 'ended'
    this.#connection = null
    this.#sink?.end()
  }

  fail(error: unknown, isUntouched: boolean): void {
    if (isUntouched && this.#connection?.isReused && this.#request?.isRepeatable) this.#start(this.#request, true)
    else this.#failed(error)
  }

  #failed(error: unknown): void {
    if (this.#over !== 'no') return
    this.#over = { error }
    this.#answered.reject(error)
    this.#sink?.fail(error)
  }

  #start(request: UpstreamRequest, isFresh: boolean): void {
    if (this.#isSent) request.resent?.()
    const { target: targetFor, pool, ownHop } = this.#connections
    try {
      const target = targetFor(request.url, request.proxy)
      const text = requestText(target, request, ownHop)
      const kept = isFresh ? undefined : pool.take(target.way)
      if (kept !== undefined) this.#use(kept, text)
      else if (!isFresh && pool.isSettling(target.way)) pool.whenSettled(() => this.#useSettled(target, text))
      else this.#open(target, text)
    } catch (error) {
      this.#answered.reject(error)
    }
  }

  #useSettled(target: Target, text: RequestText): void {
    if (this.#isAborted) return
    const kept = this.#connections.pool.take(target.way)
    if (kept === undefined) this.#open(target, text)
    else this.#use(kept, text)
  }

  #open(target: Target, text: RequestText): void {
    this.#opening = this.#connections.open(target)
    this.#opening.connection.then((opened) => this.#use(opened, text), this.#answered.reject)
  }

  #use(ready: Connection, text: RequestText): void {
    this.#opening = null
    this.#connection = ready
    if (this.#isAborted) {
      ready.destroy()
      return
    }
    const body = this.#request?.body ?? null
    this.#isSent = true
    ready.send(text, this, typeof body === 'string' ? null : body)
  }
}
