import { ByteQueue } from '@sluice/http1/byte-queue'
import { MalformedMessage } from '@sluice/http1/message-body'
import { nowhere, UnorderedSet, type UnorderedSetItem } from '@sluice/http1/unordered-set'
import type { Clock } from '../../../lib/clock.ts'
import { createLru } from '../../../lib/lru.ts'
import { type Connection, connect, type Dial, type Exchange, type Peer, type RequestText } from './connection.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import { createPeersOf, type PeerDeps } from './peers.ts'
import { requestText, type Target, targetOf, type UpstreamRequest } from './request-text.ts'
import type { ResponseHead } from './response-parser.ts'
import { createLongReads } from './slices.ts'
import { withLongText } from './text-upload.ts'

export interface BodySink {
  data(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

export interface UpstreamResponse {
  readonly status: number
  header(name: string): string | null
  /** Passes the body to the sink from now on; buffered bytes first, synchronously. */
  pipe(sink: BodySink): void
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  /** Closes the connection. The sink gets a failure, unless the body was complete. */
  abort(): void
}

/** A running request. */
export interface Outbound {
  /** Resolves with the head; rejects if none came. */
  readonly response: Promise<UpstreamResponse>
  /** Whether any byte of the request was sent: before that, the vendor cannot have acted on it. */
  readonly isSent: boolean
  /** Closes the connection, before or during the response. The sink gets a failure with the reason, unless the body was complete. */
  abort(reason?: string): void
}

export interface UpstreamClient {
  send(request: UpstreamRequest): Outbound
  /** Closes all connections, including those in use. */
  close(): void
}

interface ClientDeps extends PeerDeps {
  readonly clock: Clock
  /** The id of this process in the hop header; `null`: the header is not sent. */
  readonly ownHop: string | null
}

/** Size of the cache of parsed addresses. */
const targetsMax = 1_000
/** Bytes of a body that are buffered until it is read; beyond it reading pauses. */
const earlyBytesMax = 256 * 1024
/** Timeout for connecting to one address. */
const connectMs = 5_000
/** Timeout for the TLS handshake. */
const tlsMs = 5_000

/**
 * An HTTP/1.1 client for vendors: a connection carries one request at a time and is then kept alive for the next. It connects only to
 * checked addresses and passes bytes on without buffering.
 */
export function createUpstreamClient({ clock, ownHop, ...peerDeps }: ClientDeps): UpstreamClient {
  const { deadlines } = peerDeps
  const peersOf = createPeersOf(peerDeps)
  const pool = createConnectionPool({ clock, deadlines })
  const targets = createLru<string, Target>(targetsMax)
  const longReads = createLongReads()
  const openings = new UnorderedSet<Opening>()
  const open = new UnorderedSet<Connection>()
  let isClosed = false

  function ownerFor(way: string): Parameters<typeof connect>[1] {
    return {
      opened: (connection) => void open.add(connection),
      free: (connection) => pool.add(way, connection),
      closed(connection) {
        open.delete(connection)
        pool.remove(way, connection)
      },
      longReads,
    }
  }

  function target({ url, proxy, isPublicOnly = false }: UpstreamRequest): Target {
    const known = targets.get(url)
    if (known?.proxy === proxy && known.isPublicOnly === isPublicOnly) return known
    const parsed = targetOf(url, proxy, isPublicOnly)
    targets.set(url, parsed)
    return parsed
  }

  /** Connects to one of the addresses of the vendor or of the proxy, in their order. */
  function openTo(target: Target): Opening {
    let dial: Dial | null = null
    let cancelled: Error | null = null
    async function reach(): Promise<Connection> {
      if (isClosed) throw new Error('the client is closed')
      let last: unknown = new Error('the host name has no address')
      for (const nextPeer of await peersOf(target)) {
        if (cancelled !== null) throw cancelled
        dial = dialInTime(nextPeer(), target.way)
        try {
          return await dial.connection
        } catch (error) {
          last = error
        }
      }
      throw last
    }
    const opening: Opening = {
      place: nowhere,
      connection: reach().finally(() => openings.delete(opening)),
      cancel(error) {
        cancelled = error
        dial?.abort(error)
      },
    }
    openings.add(opening)
    return opening
  }

  function dialInTime(peer: Peer, way: string): Dial {
    let phase = 'connecting'
    const reached = (): void => {
      phase = 'the TLS handshake'
      deadline.at = clock.monotonicMs() + tlsMs
    }
    const deadline = deadlines.start(connectMs, () => dial.abort(new Error(`${phase} timed out`)))
    const dial = connect(peer, ownerFor(way), reached)
    const over = (): void => deadlines.cancel(deadline)
    dial.connection.then(over, over)
    return dial
  }

  const connections: Connections = { target, pool, open: openTo, ownHop }
  return {
    send: (request) => new OutboundRequest(withLongText(request), connections),
    close() {
      isClosed = true
      for (const opening of openings.all()) opening.cancel(new Error('the client is closed'))
      pool.close()
      for (const connection of open.all()) connection.destroy()
    },
  }
}

/** A connection being opened to one of several addresses. */
interface Opening extends UnorderedSetItem {
  readonly connection: Promise<Connection>
  /** Aborts it. */
  cancel(error: Error): void
}

interface Connections {
  /** @throws TypeError for an invalid URL */
  readonly target: (request: UpstreamRequest) => Target
  readonly pool: ConnectionPool
  readonly open: (target: Target) => Opening
  readonly ownHop: string | null
}

class OutboundRequest implements Outbound, UpstreamResponse, Exchange {
  readonly response: Promise<UpstreamResponse>
  /** Cleared when the head has come: the request is not resent after that, and would keep a long prompt in memory. */
  #request: UpstreamRequest | null
  readonly #connections: Connections
  readonly #answered = Promise.withResolvers<UpstreamResponse>()
  #head: ResponseHead | null = null
  /** Bytes that came before the body is read. */
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

  abort(reason = 'the request was ended'): void {
    this.#isAborted = true
    this.#connection?.destroy()
    this.#opening?.cancel(new Error(reason))
    this.#failed(new Error(reason))
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
    if (this.#isSent && request.tally !== undefined) request.tally.resends += 1
    const { target: targetFor, pool, ownHop } = this.#connections
    try {
      const target = targetFor(request)
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
