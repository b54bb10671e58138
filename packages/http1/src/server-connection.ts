import type { ConnectionDeps, TakenOver, Wire } from './connection-deps.ts'
import { fieldLine, fieldLines } from './fields.ts'
import { HeadBuffer } from './head-buffer.ts'
import { type BodySource, ReceivedRequest } from './incoming-request.ts'
import { BodyReader, CutMessage, MalformedMessage } from './message-body.ts'
import { createDeadStream, OpenResponse } from './open-response.ts'
import { heldBy, ReadGate } from './read-gate.ts'
import { releaseBuffer } from './release-buffer.ts'
import { RefusedRequest, type RequestHead, readRequestHead } from './request-head.ts'
import { proceed, type ResponseStream, responseHead, type ServerResponse } from './response.ts'
import { type HeadParts, type WholeParts, wholeMessage } from './response-bytes.ts'
import { SendQueue } from './send-queue.ts'
import { partsOf } from './shared-response.ts'
import type { Deadline } from './time.ts'
import { OwnTurns, type WaitingConnection } from './turns.ts'
import { nowhere, type UnorderedSetItem } from './unordered-set.ts'

/** Bytes of later requests that are kept while a response is made or sent; beyond this the socket is not read. */
const aheadBytesMax = 64 * 1024
/** How long a client that still sends gets to read its response before the connection is cut. */
const lingerMs = 2_000

/**
 * One connection of a client: requests one after another (RFC 9112). The next one is parsed when the client has taken the previous response.
 */
export class ServerConnection implements BodySource, WaitingConnection, UnorderedSetItem {
  /** Address of the peer. Read once, because a socket that was reset no longer has it. */
  readonly address: string
  place = nowhere
  /** The only timeout of this connection; its time is moved by each event. */
  #deadline: Deadline
  readonly #socket: Wire
  readonly #deps: ConnectionDeps<ServerConnection>
  readonly #gate: ReadGate
  readonly #body: BodyReader
  /** Bytes of an incomplete head or of later requests. */
  readonly #ahead = new HeadBuffer()
  #request: ReceivedRequest | null = null
  #head: RequestHead | null = null
  readonly #sending: SendQueue
  #stream: OpenResponse | null = null
  #other: TakenOver | null = null
  /** No further request is parsed; the connection ends when all bytes are sent. */
  #isEnding = false
  #isClosed = false
  /** The client ended its sending side, but may still wait for responses. */
  #isHalfClosed = false
  #hasProceeded = false
  /** A part of a head has arrived, and the rest has a time limit. */
  #isHeadBegun = false
  readonly #turns = new OwnTurns(() => this.#next())

  constructor(socket: Wire, deps: ConnectionDeps<ServerConnection>) {
    this.address = socket.remoteAddress ?? ''
    this.#socket = socket
    this.#deps = deps
    this.#gate = new ReadGate(socket)
    this.#body = new BodyReader({ data: (bytes) => this.#request?.take(bytes) })
    this.#sending = new SendQueue(socket, () => this.#wait(deps.timeouts.stallMs))
    this.#deadline = this.#startWait()
  }

  #startWait(): Deadline {
    return this.#deps.deadlines.start(this.#deps.timeouts.headMs, () => this.#late())
  }

  /** The deadline has passed. */
  #late(): void {
    // Cancelled if the connection is closed now.
    this.#deadline = this.#startWait()
    if (this.#request !== null || !this.#sending.isEmpty || this.#isEnding) this.destroy()
    else if (this.#isHeadBegun) this.refuse(new RefusedRequest(408, 'the request did not come in time'))
    else this.#end()
  }

  data(bytes: Buffer): void {
    const wasDropping = this.#isDropping
    this.#turns.arrived()
    if (this.#other !== null) this.#other.data(bytes)
    else if (this.#request !== null && !this.#body.isOver) this.#readBody(bytes)
    else this.#takeAhead(bytes)
    if (wasDropping && this.#isDropping) releaseBuffer(bytes)
  }

  /** Whether received bytes are discarded. */
  get #isDropping(): boolean {
    if (this.#other !== null) return false
    return this.#request === null ? this.#isEnding : this.#request.isCancelled && !this.#body.isOver
  }

  /** Pauses reading until the event loop has served other connections, and those that have waited longer. */
  giveTurn(): void {
    this.hold(heldBy.turn)
    this.#deps.longReads.wait(this)
  }

  turn(): void {
    this.release(heldBy.turn)
  }

  drained(): void {
    this.#sending.drain()
    if (!this.#sending.isEmpty) return
    this.#rest()
    this.#stream?.drained()
    this.#other?.drained()
    if (this.#request === null) this.#next()
  }

  /** The client ended its sending side. It may still wait for responses, or may have disconnected. */
  ended(): void {
    if (this.#isHalfClosed || this.#isClosed) return
    this.#isHalfClosed = true
    if (this.#other !== null) this.#other.ended()
    else if (this.#request === null) this.#next()
    else if (this.#body.isOver) this.#probe(this.#request)
    else this.#breakOff(new CutMessage('the body broke off'))
  }

  /**
   * Finds out whether a client that ended its sending side is still connected. If it is not, its system responds to the next bytes with
   * a reset, so bytes without a meaning are sent. HTTP/1.0 has no such bytes: there the client counts as disconnected.
   */
  #probe(request: ReceivedRequest): void {
    if (!this.#sending.isEmpty) return
    if (this.#stream === null && this.#head?.isCurrent === true) this.#write(proceed)
    else if (this.#stream === null) request.lost(null)
    else if (!this.#stream.probe()) this.destroy()
  }

  closed(error: Error | null): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#deps.deadlines.cancel(this.#deadline)
    this.#sending.clear()
    this.#ahead.clear()
    this.#stream = null
    this.#request?.lost(error ?? new Error('the client closed the connection'))
    this.#other?.closed()
    this.#deps.closed(this)
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#socket.terminate()
    this.closed(null)
  }

  /** Closes the connection when its response has been sent, or at once if there is none. */
  close(): void {
    if (this.#request === null && this.#other === null && this.#sending.isEmpty) this.#end()
  }

  onBodyRead(): void {
    if (this.#hasProceeded || this.#head?.isCurrent !== true) return
    this.#hasProceeded = true
    if (!this.#body.isOver && this.#head.fields.get('expect')?.toLowerCase() === '100-continue') this.#write(proceed)
  }

  /** Stops reading for this reason, until it is released. */
  hold(reason: number): void {
    if (!this.#isClosed) this.#gate.hold(reason)
  }

  release(reason: number): void {
    if (!this.#isClosed) this.#gate.release(reason)
  }

  /** Hands the connection over to another protocol. @returns `false` = the client has disconnected */
  takeOver(head: string, other: TakenOver): boolean {
    if (this.#isClosed || this.#isHalfClosed) return false
    this.#other = other
    this.#deadline.at = Number.POSITIVE_INFINITY
    this.#write(Buffer.from(head, 'latin1'))
    return true
  }

  /** Passes on the bytes that arrived before the takeover: they are the first of the other protocol. */
  giveAhead(): void {
    const ahead = this.#ahead.takeAll()
    this.release(heldBy.backlog)
    if (ahead.length > 0) this.#other?.data(ahead)
  }

  /** Sends bytes as they are. @returns number of waiting bytes */
  send(bytes: Uint8Array): number {
    this.#write(bytes)
    return this.waitingBytes
  }

  get waitingBytes(): number {
    return this.#sending.bytes
  }

  /** Ends the connection when everything has been sent. */
  finish(): void {
    this.#isEnding = true
    this.#rest()
  }

  #wait(ms: number): void {
    this.#deadline.at = this.#deps.monotonicMs() + ms
  }

  #takeAhead(bytes: Buffer): void {
    if (this.#isEnding) return
    this.#ahead.push(bytes)
    this.#next()
    if (this.#ahead.byteLength > aheadBytesMax) this.hold(heldBy.backlog)
  }

  /** Begins the next request, if one has arrived and the previous response was sent. */
  #next(): void {
    if (this.#request !== null || !this.#sending.isEmpty || this.#isEnding || this.#isClosed) return
    if (this.#ahead.byteLength > 0 && !this.#turns.take(this.#deps.fairness)) return
    this.#readHead()
    if (this.#ahead.byteLength <= aheadBytesMax) this.release(heldBy.backlog)
    if (this.#isHalfClosed && this.#request === null && !this.#isEnding) this.#end()
  }

  #readHead(): void {
    try {
      const head = readRequestHead(this.#ahead)
      if (head !== null) this.#begin(head)
      else if (!this.#isHeadBegun && !this.#ahead.isBlank) {
        this.#isHeadBegun = true
        this.#wait(this.#deps.timeouts.headMs)
      }
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.refuse(error)
    }
  }

  #begin(head: RequestHead): void {
    const request = new ReceivedRequest(head, this)
    this.#head = head
    this.#request = request
    this.#hasProceeded = false
    this.#isHeadBegun = false
    this.#deadline.at = Number.POSITIVE_INFINITY
    this.#body.begin(head.framing)
    if (head.framing !== 0 && this.#ahead.byteLength > 0) this.#takeBody(this.#ahead.takeAll())
    this.#deps.respond(request, this).then(
      (response) => this.#response(request, response),
      (error) => this.#fail(request, error),
    )
  }

  /** Reads body bytes; bytes behind the body belong to the next request. @throws MalformedMessage */
  #takeBody(bytes: Buffer): void {
    const rest = this.#body.push(bytes)
    if (rest === null) return
    this.#request?.complete()
    if (rest.length > 0) this.#takeAhead(rest)
  }

  #readBody(bytes: Buffer): void {
    try {
      this.#takeBody(bytes)
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.#breakOff(error)
    }
  }

  /** Breaks off a body whose rest is malformed. */
  #breakOff(error: MalformedMessage): void {
    this.#request?.lost(error)
    if (this.#stream === null) this.refuse(error)
    else this.destroy()
  }

  /** Responds to a malformed request, or a connection beyond the limit, and ends the connection: where a next request starts is unknown. */
  refuse(error: Error): void {
    const status = error instanceof RefusedRequest ? error.status : 400
    this.#request = null
    this.#writeWhole({ status, fields: fieldLine('content-type', 'text/plain'), body: `${error.message}\n`, mayStay: false })
    this.finish()
  }

  #response(request: ReceivedRequest, response: ServerResponse): Promise<void> | void {
    if (response instanceof Response) return this.#heartbeatResponse(request, response).catch((error) => this.#fail(request, error))
    const { status, headers, body, length = null } = response
    const isWanted = this.#request === request && this.#other === null
    try {
      const fields = isWanted ? fieldLines(headers) : ''
      const mayStay = headers['connection'] !== 'close'
      if (typeof body === 'function') body(isWanted ? this.#startStream({ status, fields, mayStay, length }) : createDeadStream())
      else if (isWanted) this.#sendWhole({ status, fields, mayStay, body })
    } catch (error) {
      this.#fail(request, error)
      // The maker of a response in parts expects a call, also when the client has gone.
      if (typeof body === 'function' && this.#stream === null) body(createDeadStream())
    }
  }

  async #heartbeatResponse(request: ReceivedRequest, response: Response): Promise<void> {
    const parts = await partsOf(response)
    if (this.#request === request && this.#other === null) this.#sendWhole(parts)
  }

  /** Ends a request after an error in responding to it, for the client and for the maker of the response. */
  #fail(request: ReceivedRequest, error: unknown): void {
    this.#deps.report(error)
    const isCurrent = this.#request === request
    request.lost(error)
    if (!isCurrent || this.#isClosed) return
    if (this.#stream === null && this.#other === null) this.refuse(new RefusedRequest(500, 'request handler failed'))
    else this.destroy()
  }

  #startStream({ status, fields, mayStay, length }: HeadParts & { readonly length: number | null }): ResponseStream {
    const isChunked = this.#head?.isCurrent === true && length === null
    const staysOpen = mayStay && (isChunked || length !== null) && this.#mayStay()
    const head = responseHead(status, fields, { length, isChunked, mayStay: staysOpen, date: this.#deps.date() })
    this.#isEnding = !staysOpen
    this.#write(Buffer.from(head, 'latin1'))
    this.#stream = new OpenResponse(this, { isChunked, length, isBare: this.#head?.method === 'HEAD' })
    return this.#stream
  }

  #sendWhole(parts: WholeParts): void {
    const { status, fields, body } = parts
    const staysOpen = parts.mayStay && this.#mayStay()
    this.#isEnding = !staysOpen
    this.#writeWhole({ status, fields, body, mayStay: staysOpen })
    this.responded()
  }

  #writeWhole(parts: WholeParts): void {
    if (this.#isClosed) return
    const { head, body } = wholeMessage(parts, { isForHead: this.#head?.method === 'HEAD', date: this.#deps.date() })
    this.#sending.writeMessage(head, body)
  }

  /** Whether the connection stays open: the client wants it to, has sent its whole request, and the server is not closing. */
  #mayStay(): boolean {
    return this.#head?.mayStay === true && this.#body.isOver && !this.#deps.isClosing()
  }

  /** The response is complete; some of it may still wait to be sent. */
  responded(): void {
    this.#stream = null
    this.#request = null
    this.#rest()
    if (this.#isEnding || this.#isClosed) return
    this.release(heldBy.reader)
    this.#next()
  }

  sendChunk(bytes: Uint8Array): number {
    if (!this.#isClosed) this.#sending.writeChunk(bytes)
    return this.waitingBytes
  }

  #write(bytes: Uint8Array): void {
    if (!this.#isClosed) this.#sending.write(bytes)
  }

  /** Called when all bytes have been sent. */
  #rest(): void {
    if (!this.#sending.isEmpty || this.#isClosed) return
    if (this.#request !== null || this.#other !== null) {
      this.#deadline.at = Number.POSITIVE_INFINITY
      if (!(this.#isEnding && this.#other !== null)) return
    }
    if (this.#isEnding || this.#deps.isStopped()) this.#end()
    else this.#wait(this.#deps.timeouts.keepMs)
  }

  /** Ends the sending side. A client that still sends would lose the response if the connection were closed at once (RFC 9112, 9.6). */
  #end(): void {
    if (this.#isClosed) return
    this.#isEnding = true
    this.#ahead.clear()
    this.#gate.releaseAll()
    this.#wait(this.#body.isOver ? lingerMs / 4 : lingerMs)
    this.#socket.shutdown()
  }
}
