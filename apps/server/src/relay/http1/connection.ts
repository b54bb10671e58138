import type { Socket } from 'bun'
import { createResponseParser, type ResponseSink } from './response-parser.ts'
import type { Handshake } from './tunnel.ts'

/** Where a connection leads. The address has been checked; the name is what the certificate must be for. */
export interface Peer {
  readonly address: string
  readonly port: number
  /** `null`: without TLS. */
  readonly serverName: string | null
  /** Said to the proxy at the address before anything else; `null`: the address is the vendor's own. */
  readonly tunnel: Handshake | null
}

/** The other side could not prove who it is, or does not speak TLS as we do. */
export class TlsFailure extends Error {}

/** One request and its response. */
export interface Exchange extends Pick<ResponseSink, 'head' | 'data'> {
  /** The response is complete. */
  end(): void
  /** It broke off. @param isUntouched nothing of a response had come */
  fail(error: unknown, isUntouched: boolean): void
}

/** A body that is longer than what should stand in memory. */
export interface Upload {
  readonly byteLength: number
  /** The same bytes each time. */
  chunks(): AsyncIterable<Uint8Array>
}

export interface Connection {
  /** It has carried a request before, so the other side may just be closing it. */
  readonly isReused: boolean
  /** How long it may wait for its next request, in milliseconds: less than the other side keeps it, as far as it says so. */
  readonly keepMs: number
  send(request: string, exchange: Exchange, upload: Upload | null): void
  pause(): void
  resume(): void
  /** Closes it at once; the running exchange hears nothing more. */
  destroy(): void
}

interface ConnectionOwner {
  /** The exchange is over and the connection may carry another. */
  free(connection: Connection): void
  /** It is closed. */
  gone(connection: Connection): void
}

/** What a socket's events mean to the connection that it belongs to. */
interface Link {
  opened(socket: Socket<Link>): void
  secured(isGood: boolean, error: Error | null): void
  data(bytes: Buffer): void
  drain(): void
  closed(error: Error | null): void
}

const handlers = {
  binaryType: 'buffer' as const,
  open: (socket: Socket<Link>) => socket.data.opened(socket),
  handshake: ({ data: link }: Socket<Link>, isGood: boolean, error: Error | null) => link.secured(isGood, error),
  data: ({ data: link }: Socket<Link>, bytes: Buffer) => link.data(bytes),
  drain: ({ data: link }: Socket<Link>) => link.drain(),
  error: ({ data: link }: Socket<Link>, error: Error) => link.closed(error),
  close: ({ data: link }: Socket<Link>, error?: Error) => link.closed(error ?? null),
}

/** Resolves when the connection can carry a request: connected and, with TLS, sure of who is on the other side. */
export function connect({ address, port, serverName, tunnel }: Peer, owner: ConnectionOwner, reached: () => void): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const { link, connection } = createLink(owner, { ready: () => resolve(connection), refused: reject, reached }, serverName !== null)
    const tls = serverName === null ? null : { serverName, rejectUnauthorized: true }
    if (tunnel === null) {
      Bun.connect({ hostname: address, port, socket: handlers, data: link, ...(tls === null ? {} : { tls }) }).catch(reject)
      return
    }
    const open = (socket: Socket<Link>): void => {
      socket.data = tls === null ? link : covered
      if (tls === null) link.opened(socket)
      else socket.upgradeTLS({ data: link, tls, socket: handlers })
    }
    Bun.connect({ hostname: address, port, socket: handlers, data: tunnelLink(tunnel, { open, refused: reject, reached }) }).catch(reject)
  })
}

/** A socket that TLS has taken over: what happens on it is told by the other one. */
const covered: Link = { opened: () => {}, secured: () => {}, data: () => {}, drain: () => {}, closed: () => {} }

interface TunnelOpening extends Pick<Opening, 'refused' | 'reached'> {
  readonly open: (socket: Socket<Link>) => void
}

/** A connection that still speaks with the proxy. What is said is short enough to be written at once. */
function tunnelLink(handshake: Handshake, { open, refused, reached }: TunnelOpening): Link {
  let socket: Socket<Link> | null = null
  return {
    ...covered,
    opened(opened) {
      socket = opened
      opened.unref()
      reached()
      opened.write(handshake.hello)
    },
    data(bytes) {
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

/** How long a connection is kept where the other side does not say how long it does: common servers and balancers close after a minute. */
const keptMs = 50_000

/** A `Keep-Alive: timeout=5` closes after five seconds (RFC 2068, 19.7.1.1), so a second earlier is the last time to use it. */
function keepMsOf(header: string | null): number {
  const seconds = Number(/\btimeout=(\d{1,6})\b/.exec(header ?? '')?.[1] ?? Number.NaN)
  return Number.isNaN(seconds) ? keptMs : Math.min(keptMs, (seconds - 1) * 1000)
}

interface Opening {
  /** The other side was reached; TLS may still be to come. */
  readonly reached: () => void
  readonly ready: () => void
  readonly refused: (error: unknown) => void
}

function createLink(owner: ConnectionOwner, opening: Opening, isSecure: boolean): { readonly link: Link; readonly connection: Connection } {
  let socket: Socket<Link> | null = null
  let exchange: Exchange | null = null
  let unsent: Uint8Array | null = null
  let isUploading = false
  /** Resolves when more may be written, or nothing any more. */
  let room: PromiseWithResolvers<void> | null = null
  let isUntouched = true
  let isReused = false
  let keepMs = keptMs
  let isPaused = false

  const parser = createResponseParser({
    head(head) {
      keepMs = keepMsOf(head.header('keep-alive'))
      exchange?.head(head)
    },
    data: (bytes) => exchange?.data(bytes),
    end(isReusable) {
      const ended = exchange
      exchange = null
      if (isReusable && unsent === null && !isUploading && ended !== null) rest()
      else socket?.end()
      ended?.end()
    },
  })

  function rest(): void {
    isReused = true
    if (isPaused) connection.resume()
    owner.free(connection)
  }

  function fail(error: unknown): void {
    const failed = exchange
    exchange = null
    failed?.fail(error, isUntouched)
  }

  /** @param length in bytes */
  function write(data: string | Uint8Array, length: number): void {
    const written = socket?.write(data) ?? -1
    unsent = written >= 0 && written < length ? (typeof data === 'string' ? Buffer.from(data) : data).subarray(written) : null
    if (written < 0) link.closed(new Error('the connection was closed'))
  }

  /** Sends on, one chunk after another, as long as the exchange lasts. */
  async function send({ byteLength, chunks }: Upload, to: Exchange): Promise<void> {
    let left = byteLength
    try {
      for await (const chunk of chunks()) {
        await hasRoom()
        if (exchange !== to) return
        write(chunk, chunk.length)
        left -= chunk.length
      }
      if (left !== 0) throw new Error('the body is not as long as it was said to be')
      isUploading = false
    } catch (error) {
      if (exchange !== to) return
      fail(error)
      socket?.terminate()
    }
  }

  async function hasRoom(): Promise<void> {
    if (unsent === null) return
    room = Promise.withResolvers()
    await room.promise
  }

  function giveRoom(): void {
    room?.resolve()
    room = null
  }

  /** What nobody asked for would be taken for the beginning of the next response. */
  function unasked(): void {
    owner.gone(connection)
    socket?.terminate()
  }

  const connection: Connection = {
    get isReused() {
      return isReused
    },
    get keepMs() {
      return keepMs
    },
    send(request, next, upload) {
      exchange = next
      isUntouched = true
      write(request, Buffer.byteLength(request))
      if (upload === null || exchange !== next) return
      isUploading = true
      void send(upload, next)
    },
    pause() {
      isPaused = true
      socket?.pause()
    },
    resume() {
      isPaused = false
      socket?.resume()
    },
    destroy() {
      exchange = null
      giveRoom()
      socket?.terminate()
    },
  }

  const link: Link = {
    opened(opened) {
      socket = opened
      // What keeps the process alive is what waits for an answer, not the way to it.
      opened.unref()
      opening.reached()
      if (!isSecure) opening.ready()
    },
    secured(isGood, error) {
      if (isGood) return opening.ready()
      opening.refused(new TlsFailure(error?.message ?? 'the TLS handshake failed', { cause: error }))
      socket?.terminate()
    },
    data(bytes) {
      if (exchange === null) return unasked()
      isUntouched = false
      try {
        parser.push(bytes)
      } catch (error) {
        fail(error)
        socket?.terminate()
      }
    },
    drain() {
      if (unsent !== null) write(unsent, unsent.length)
      if (unsent === null) giveRoom()
    },
    closed(error) {
      const isInHandshake = isSecure && socket !== null
      // Says nothing any more once the connection stands.
      opening.refused(
        isInHandshake
          ? new TlsFailure('the connection was closed during the TLS handshake', { cause: error })
          : (error ?? new Error('the connection was closed')),
      )
      owner.gone(connection)
      unsent = null
      giveRoom()
      if (exchange === null) return
      try {
        if (error === null) parser.close()
      } catch (malformed) {
        return fail(malformed)
      }
      // A response that lasts until the connection closes has ended by now; every other has not.
      if (exchange !== null) fail(error ?? new Error('the connection was closed before a response came'))
    },
  }
  return { link, connection }
}
