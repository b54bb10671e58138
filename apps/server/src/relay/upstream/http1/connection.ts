import { fitsScratch, putMessage, scratch } from '@sluice/http1/scratch'
import { nowhere, type UnorderedSetItem } from '@sluice/http1/unordered-set'
import type { Socket } from 'bun'
import { covered, type Link } from './link.ts'
import { type ResponseHead, ResponseParser, type ResponseSink } from './response-parser.ts'
import { type LongReads, type SliceSink, Slices } from './slices.ts'
import type { Handshake } from './tunnel.ts'
import { tunnelLink } from './tunnel-link.ts'

/** The peer of a connection. The address is checked; the name is verified against the certificate. */
export interface Peer {
  readonly address: string
  readonly port: number
  /** `null`: without TLS. */
  readonly serverName: string | null
  /** The handshake with the proxy at the address; `null`: the address is the vendor's own. */
  readonly tunnel: Handshake | null
}

/** The certificate was not accepted, or the TLS handshake failed. */
export class TlsFailure extends Error {}

/** One request and its response. */
export interface Exchange extends Pick<ResponseSink, 'head' | 'data'> {
  /** The response is complete. */
  end(): void
  /** The exchange broke off. @param isUntouched no byte of a response had come */
  fail(error: unknown, isUntouched: boolean): void
}

/** A head, in which each character is one byte (RFC 9110, 5.5), and a body that is sent as UTF-8; an upload is separate. */
export interface RequestText {
  readonly head: string
  readonly body: string
}

/** A body that is too long to be held in memory. */
export interface Upload {
  readonly byteLength: number
  /** Every call yields the same bytes. */
  chunks(): AsyncIterable<Uint8Array>
}

export interface Connection extends UnorderedSetItem {
  /** It has carried a request before, so the other side may be closing it right now. */
  readonly isReused: boolean
  /** How long it may be idle, in milliseconds: less than the other side keeps it open, as far as it says so. */
  readonly keepMs: number
  send(request: RequestText, exchange: Exchange, upload: Upload | null): void
  pause(): void
  resume(): void
  /** Closes the socket; the running exchange gets no further call. */
  destroy(): void
}

interface ConnectionOwner {
  /** The connection is ready. */
  opened(connection: Connection): void
  /** The exchange is over and the connection can carry another. */
  free(connection: Connection): void
  /** The connection is closed. */
  closed(connection: Connection): void
  readonly longReads: LongReads
}

const handlers = {
  binaryType: 'buffer' as const,
  open: (socket: Socket<Link>) => socket.data.opened(socket),
  handshake: ({ data: link }: Socket<Link>, isGood: boolean, error: Error | null) => link.secured(isGood, error),
  data: ({ data: link }: Socket<Link>, bytes: Buffer) => link.received(bytes),
  drain: ({ data: link }: Socket<Link>) => link.drain(),
  error: ({ data: link }: Socket<Link>, error: Error) => link.closed(error),
  close: ({ data: link }: Socket<Link>, error?: Error) => link.closed(error ?? null),
}

/** A connection being opened. */
export interface Dial {
  /** Resolves when it can carry a request: connected and, with TLS, verified. */
  readonly connection: Promise<Connection>
  /** Closes the socket and rejects with the error. */
  abort(error: Error): void
}

export function connect({ address, port, serverName, tunnel }: Peer, owner: ConnectionOwner, reached: () => void): Dial {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  const ready = (): void => {
    owner.opened(link)
    resolve(link)
  }
  const link = new UpstreamConnection(owner, { ready, refused: reject, reached }, serverName !== null)
  const tls = serverName === null ? null : { serverName, rejectUnauthorized: true }
  const open = (socket: Socket<Link>): void => {
    socket.data = tls === null ? link : covered
    if (tls === null) link.opened(socket)
    else socket.upgradeTLS({ data: link, tls, socket: handlers })
  }
  const toProxy = tunnel === null ? null : tunnelLink(tunnel, { open, refused: reject, reached })
  const through = toProxy === null ? { data: link, ...(tls === null ? {} : { tls }) } : { data: toProxy }
  Bun.connect<Link>({ hostname: address, port, socket: handlers, ...through }).catch(reject)
  return {
    connection: promise,
    abort(error) {
      reject(error)
      link.destroy()
      toProxy?.destroy()
    },
  }
}

/** Idle time if the other side names none: common servers and load balancers close after a minute. */
const keptMs = 50_000

const timeoutForm = /\btimeout=(\d{1,6})\b/

/** `Keep-Alive: timeout=5` closes after five seconds (RFC 2068, 19.7.1.1), so the connection is used for one second less. */
function keepMsOf(header: string | null): number {
  if (header === null) return keptMs
  const seconds = Number(timeoutForm.exec(header)?.[1] ?? Number.NaN)
  return Number.isNaN(seconds) ? keptMs : Math.min(keptMs, (seconds - 1) * 1000)
}

interface Opening {
  /** Connected; the TLS handshake may follow. */
  readonly reached: () => void
  readonly ready: () => void
  readonly refused: (error: unknown) => void
}

/** A connection; it handles its socket's events as `Link`. */
class UpstreamConnection implements Connection, Link, ResponseSink, SliceSink {
  place = nowhere
  readonly #owner: ConnectionOwner
  readonly #opening: Opening
  readonly #isSecure: boolean
  readonly #parser = new ResponseParser(this)
  #socket: Socket<Link> | null = null
  #exchange: Exchange | null = null
  #unsent: Uint8Array | null = null
  #isUploading = false
  /** Resolves when more can be written, or when the exchange is over. */
  #room: PromiseWithResolvers<void> | null = null
  #isUntouched = true
  #isReused = false
  #keepMs = keptMs
  #isDestroyed = false
  readonly #slices: Slices
  /** The socket was closed while bytes were unread. */
  #closing: { readonly error: Error | null } | null = null

  constructor(owner: ConnectionOwner, opening: Opening, isSecure: boolean) {
    this.#owner = owner
    this.#opening = opening
    this.#isSecure = isSecure
    this.#slices = new Slices(owner.longReads, this)
  }

  get isReused(): boolean {
    return this.#isReused
  }

  get keepMs(): number {
    return this.#keepMs
  }

  send({ head, body }: RequestText, next: Exchange, upload: Upload | null): void {
    this.#exchange = next
    this.#isUntouched = true
    if (fitsScratch(head, body)) this.#write(scratch, putMessage(head, body))
    else this.#write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]))
    if (upload === null || this.#exchange !== next) return
    this.#isUploading = true
    void this.#upload(upload, next)
  }

  pause(): void {
    this.#slices.pause()
    this.#socket?.pause()
  }

  resume(): void {
    this.#slices.resume()
    if (this.#slices.isEmpty) this.#socket?.resume()
  }

  destroy(): void {
    this.#isDestroyed = true
    this.#exchange = null
    this.#slices.drop()
    this.#giveRoom()
    this.#socket?.terminate()
  }

  head(head: ResponseHead): void {
    this.#keepMs = keepMsOf(head.header('keep-alive'))
    this.#exchange?.head(head)
  }

  /** Bytes of the body. */
  data(bytes: Uint8Array): void {
    this.#exchange?.data(bytes)
  }

  end(isReusable: boolean): void {
    const ended = this.#exchange
    this.#exchange = null
    if (isReusable && this.#slices.isEmpty && this.#unsent === null && !this.#isUploading && ended !== null) this.#rest()
    else this.#socket?.end()
    ended?.end()
  }

  opened(socket: Socket<Link>): void {
    this.#socket = socket
    if (this.#isDestroyed) {
      socket.terminate()
      return
    }
    // A running request keeps the process alive by itself; its socket must not.
    socket.unref()
    this.#opening.reached()
    if (!this.#isSecure) this.#opening.ready()
  }

  secured(isGood: boolean, error: Error | null): void {
    if (isGood) {
      this.#opening.ready()
      return
    }
    this.#opening.refused(new TlsFailure(error?.message ?? 'the TLS handshake failed', { cause: error }))
    this.#socket?.terminate()
  }

  received(bytes: Buffer): void {
    this.#slices.push(bytes)
  }

  blocked(): void {
    this.#socket?.pause()
  }

  emptied(): void {
    if (this.#closing !== null) this.#finish(this.#closing.error)
    else if (!this.#slices.isPaused) this.#socket?.resume()
  }

  slice(bytes: Buffer): void {
    if (this.#exchange === null) {
      this.#unasked()
      return
    }
    this.#isUntouched = false
    try {
      this.#parser.push(bytes)
    } catch (error) {
      this.#slices.drop()
      this.#fail(error)
      this.#socket?.terminate()
    }
  }

  drain(): void {
    if (this.#unsent !== null) this.#write(this.#unsent)
    if (this.#unsent === null) this.#giveRoom()
  }

  closed(error: Error | null): void {
    const isInHandshake = this.#isSecure && this.#socket !== null
    // Has no effect once the connection is ready.
    this.#opening.refused(
      isInHandshake
        ? new TlsFailure('the connection was closed during the TLS handshake', { cause: error })
        : (error ?? new Error('the connection was closed')),
    )
    this.#owner.closed(this)
    this.#unsent = null
    this.#giveRoom()
    if (this.#slices.isEmpty) {
      this.#finish(error)
      return
    }
    this.#closing ??= { error }
    this.#slices.readOn()
  }

  /** The socket is closed and all its bytes are parsed. */
  #finish(error: Error | null): void {
    if (this.#exchange === null) return
    try {
      if (error === null) this.#parser.close()
    } catch (malformed) {
      this.#fail(malformed)
      return
    }
    // A response delimited by the close has ended by now; any other is incomplete.
    if (this.#exchange !== null) this.#fail(error ?? new Error('the connection was closed before a response came'))
  }

  #rest(): void {
    this.#isReused = true
    if (this.#slices.isPaused) this.resume()
    this.#owner.free(this)
  }

  #fail(error: unknown): void {
    const failed = this.#exchange
    this.#exchange = null
    failed?.fail(error, this.#isUntouched)
  }

  /** Writes the first bytes of `from`. What the socket does not take is kept, as a copy where the next message takes its place. */
  #write(from: Uint8Array, length = from.length): void {
    const written = this.#socket?.write(from, 0, length) ?? -1
    const rest = written >= 0 && written < length ? from.subarray(written, length) : null
    this.#unsent = rest !== null && from === scratch ? Buffer.from(rest) : rest
    if (written < 0) this.closed(new Error('the connection was closed'))
  }

  /** Sends the chunks in order until the exchange is over. */
  async #upload({ byteLength, chunks }: Upload, to: Exchange): Promise<void> {
    let left = byteLength
    try {
      await this.#hasRoom()
      if (this.#exchange !== to) return
      for await (const chunk of chunks()) {
        this.#write(chunk)
        left -= chunk.length
        // The generator may reuse the chunk's memory only after this.
        await this.#hasRoom()
        if (this.#exchange !== to) return
      }
      if (left !== 0) throw new Error('the body length does not match Content-Length')
      this.#isUploading = false
    } catch (error) {
      if (this.#exchange !== to) return
      this.#fail(error)
      this.#socket?.terminate()
    }
  }

  async #hasRoom(): Promise<void> {
    if (this.#unsent === null) return
    this.#room = Promise.withResolvers()
    await this.#room.promise
  }

  #giveRoom(): void {
    this.#room?.resolve()
    this.#room = null
  }

  /** Unrequested bytes would be taken for the beginning of the next response, so the connection is closed. */
  #unasked(): void {
    this.#slices.drop()
    this.#owner.closed(this)
    this.#socket?.terminate()
  }
}
