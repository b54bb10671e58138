import type { ConnectionDeps, TakenOver, Wire } from './connection-deps.ts'
import { fieldLine, fieldLines } from './fields.ts'
import { giveBack } from './give-back.ts'
import { HeadBuffer } from './head-buffer.ts'
import { BodyReader, MalformedMessage } from './message-body.ts'
import { createDeadStream, OpenReply } from './open-reply.ts'
import { heldBy, ReadGate } from './read-gate.ts'
import { type BodySource, ReceivedRequest } from './received.ts'
import { type Reply, type ReplyStream, replyHead } from './reply.ts'
import { type HeadParts, type WholeParts, wholeMessage } from './reply-bytes.ts'
import { RefusedRequest, type RequestHead } from './request-head.ts'
import { SendQueue } from './send-queue.ts'
import type { Deadline } from './time.ts'
import { Turns } from './turns.ts'

/** What comes while an answer is made or sent waits here; beyond it the client waits. */
const aheadBytesMax = 64 * 1024
/** How long a client that still sends may take to see its answer, before the connection is cut. */
const lingerMs = 2_000
/** Requests of one connection that are begun one after another before other connections get their turn. */
const requestsPerTurn = 16

const proceed = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')

/**
 * One connection of a client: requests one after another (RFC 9112). The next is looked at when the client has taken the answer to the one
 * before it.
 */
export class ServerConnection implements BodySource {
  /** Of the other end. It is read once: a socket that was reset does not know it any more. */
  readonly address: string
  /** The one timeout of this connection, moved by what happens on it. */
  #deadline: Deadline
  readonly #socket: Wire
  readonly #deps: ConnectionDeps<ServerConnection>
  readonly #gate: ReadGate
  readonly #body: BodyReader
  /** Of a head that is not complete, or of requests to come. */
  readonly #ahead = new HeadBuffer()
  #request: ReceivedRequest | null = null
  #head: RequestHead | null = null
  readonly #sending: SendQueue
  #stream: OpenReply | null = null
  #other: TakenOver | null = null
  /** Nothing more is read as a request; the connection ends when what was said is sent. */
  #isEnding = false
  #isClosed = false
  /** The client sends nothing more, but may still wait for answers. */
  #isHalfClosed = false
  #hasProceeded = false
  /** A part of a head has come, and the rest has to come in time. */
  #isHeadBegun = false
  readonly #turns = new Turns(requestsPerTurn, () => this.#next())

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
    if (this.#request !== null || !this.#sending.isEmpty || !this.#isHeadBegun || this.#isEnding) {
      this.destroy()
      return
    }
    this.#deadline = this.#startWait()
    this.#refuse(new RefusedRequest(408, 'the request did not come in time'))
  }

  data(bytes: Buffer): void {
    const wasDropping = this.#isDropping
    this.#turns.begin()
    if (this.#other !== null) this.#other.data(bytes)
    else if (this.#request !== null && !this.#body.isOver) this.#readBody(bytes)
    else this.#takeAhead(bytes)
    if (wasDropping && this.#isDropping) giveBack(bytes)
  }

  /** Of what comes now nothing is kept. */
  get #isDropping(): boolean {
    if (this.#other !== null) return false
    return this.#request === null ? this.#isEnding : this.#request.isCancelled && !this.#body.isOver
  }

  /** The next bytes come when other connections have had their turn. */
  giveTurn(): void {
    this.hold(heldBy.turn)
    setImmediate(() => this.release(heldBy.turn))
  }

  drained(): void {
    this.#sending.drain()
    if (!this.#sending.isEmpty) return
    this.#rest()
    this.#stream?.drained()
    this.#other?.drained()
    if (this.#request === null) this.#next()
  }

  /** The client says that it sends nothing more. It may wait for its answers, or may have gone. */
  ended(): void {
    if (this.#isHalfClosed || this.#isClosed) return
    this.#isHalfClosed = true
    if (this.#other !== null) this.#other.ended()
    else if (this.#request === null) this.#next()
    else if (this.#body.isOver) this.#probe(this.#request)
    else this.#breakOff(new MalformedMessage('the body broke off'))
  }

  /**
   * Finds out whether a client that has ended its side is still there. Where it has gone, its system answers the next bytes with a reset, so
   * some are sent that mean nothing. A client of HTTP/1.0 would not understand them: whoever makes its answer is told that it has gone.
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

  /** Closes it at once. */
  destroy(): void {
    this.#socket.terminate()
    this.closed(null)
  }

  /** Closes it when its answer has been sent; at once where there is none. */
  close(): void {
    if (this.#request === null && this.#other === null && this.#sending.isEmpty) this.#end()
  }

  wanted(): void {
    if (this.#hasProceeded || this.#head?.isCurrent !== true) return
    this.#hasProceeded = true
    if (!this.#body.isOver && this.#head.fields.get('expect')?.toLowerCase() === '100-continue') this.#write(proceed)
  }

  /** Reads nothing, until whoever holds it releases it. */
  hold(reason: number): void {
    if (!this.#isClosed) this.#gate.hold(reason)
  }

  release(reason: number): void {
    if (!this.#isClosed) this.#gate.release(reason)
  }

  /** From now on the connection speaks as `other` does. @returns `false`: the client has gone */
  takeOver(head: string, other: TakenOver): boolean {
    if (this.#isClosed || this.#isHalfClosed) return false
    this.#other = other
    this.#deadline.at = Number.POSITIVE_INFINITY
    this.#write(Buffer.from(head, 'latin1'))
    return true
  }

  /** What came before the other protocol began, which is its first bytes. */
  giveAhead(): void {
    const ahead = this.#ahead.takeAll()
    this.release(heldBy.backlog)
    if (ahead.length > 0) this.#other?.data(ahead)
  }

  /** Sends bytes as they are. @returns how many wait */
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

  /** Begins the next request, where there is one and nothing stands before it. */
  #next(): void {
    if (this.#request !== null || !this.#sending.isEmpty || this.#isEnding || this.#isClosed) return
    if (this.#ahead.byteLength > 0 && !this.#turns.take()) return
    this.#readHead()
    if (this.#ahead.byteLength <= aheadBytesMax) this.release(heldBy.backlog)
    if (this.#isHalfClosed && this.#request === null && !this.#isEnding) this.#end()
  }

  #readHead(): void {
    try {
      const head = this.#ahead.readHead()
      if (head !== null) this.#begin(head)
      else if (!this.#isHeadBegun && !this.#ahead.isBlank) {
        this.#isHeadBegun = true
        this.#wait(this.#deps.timeouts.headMs)
      }
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.#refuse(error)
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
    this.#deps.answer(request, this).then(
      (reply) => this.#reply(request, reply),
      (error) => this.#fail(request, error),
    )
  }

  /** What comes behind the body belongs to the next request. @throws MalformedMessage */
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

  /** The rest of a body will not come. */
  #breakOff(error: MalformedMessage): void {
    this.#request?.lost(error)
    if (this.#stream === null) this.#refuse(error)
    else this.destroy()
  }

  /** Answers what is no request, and ends the connection: where the next one begins cannot be known. */
  #refuse(error: Error): void {
    const status = error instanceof RefusedRequest ? error.status : 400
    this.#request = null
    this.#writeWhole({ status, fields: fieldLine('content-type', 'text/plain'), body: `${error.message}\n`, mayStay: false })
    this.finish()
  }

  #reply(request: ReceivedRequest, reply: Reply): Promise<void> | void {
    if (reply instanceof Response) return this.#replyResponse(request, reply).catch((error) => this.#fail(request, error))
    const { status, headers, body } = reply
    const isWanted = this.#request === request && this.#other === null
    try {
      const parts = { status, fields: isWanted ? fieldLines(headers) : '', mayStay: headers['connection'] !== 'close' }
      if (typeof body === 'function') body(isWanted ? this.#startStream(parts) : createDeadStream())
      else if (isWanted) this.#sendWhole({ ...parts, body })
    } catch (error) {
      this.#fail(request, error)
      // Whoever would have made the answer can only finish where it is asked to.
      if (typeof body === 'function' && this.#stream === null) body(createDeadStream())
    }
  }

  async #replyResponse(request: ReceivedRequest, reply: Response): Promise<void> {
    const { status, headers } = reply
    let fields = ''
    for (const [name, value] of headers) if (name !== 'connection' && name !== 'content-length') fields += fieldLine(name, value)
    const body = reply.body === null ? '' : await reply.bytes()
    if (this.#request === request && this.#other === null)
      this.#sendWhole({ status, fields, body, mayStay: headers.get('connection') !== 'close' })
  }

  /** Whatever goes wrong while a request is answered ends it, for the client and for whoever answers. */
  #fail(request: ReceivedRequest, error: unknown): void {
    this.#deps.report(error)
    const isCurrent = this.#request === request
    request.lost(error)
    if (!isCurrent || this.#isClosed) return
    if (this.#stream === null && this.#other === null) this.#refuse(new RefusedRequest(500, 'the request could not be answered'))
    else this.destroy()
  }

  #startStream({ status, fields, mayStay }: HeadParts): ReplyStream {
    const isCurrent = this.#head?.isCurrent === true
    const staysOpen = mayStay && isCurrent && this.#mayStay()
    const head = replyHead(status, fields, { length: null, isChunked: isCurrent, mayStay: staysOpen, date: this.#deps.date() })
    this.#isEnding = !staysOpen
    this.#write(Buffer.from(head, 'latin1'))
    this.#stream = new OpenReply(this, { isChunked: isCurrent, isBare: this.#head?.method === 'HEAD' })
    return this.#stream
  }

  #sendWhole(parts: WholeParts): void {
    const staysOpen = parts.mayStay && this.#mayStay()
    this.#isEnding = !staysOpen
    this.#writeWhole({ ...parts, mayStay: staysOpen })
    this.answered()
  }

  #writeWhole(parts: WholeParts): void {
    if (this.#isClosed) return
    const { head, body } = wholeMessage(parts, { isForHead: this.#head?.method === 'HEAD', date: this.#deps.date() })
    this.#sending.writeMessage(head, body)
  }

  /** The client says that it goes on, and has sent all of its request. */
  #mayStay(): boolean {
    return this.#head?.mayStay === true && this.#body.isOver && !this.#deps.isClosing()
  }

  /** The answer is complete, though some of it may still wait to be sent. */
  answered(): void {
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

  /** What happens when there is nothing to send for now. */
  #rest(): void {
    if (!this.#sending.isEmpty || this.#isClosed) return
    if (this.#request !== null || this.#other !== null) {
      this.#deadline.at = Number.POSITIVE_INFINITY
      if (!(this.#isEnding && this.#other !== null)) return
    }
    if (this.#isEnding || this.#deps.isClosing()) this.#end()
    else this.#wait(this.#deps.timeouts.keepMs)
  }

  /** Says that nothing more comes. A client that still sends would lose the answer if the connection were cut at once (RFC 9112, 9.6). */
  #end(): void {
    if (this.#isClosed) return
    this.#isEnding = true
    this.#ahead.clear()
    this.#gate.releaseAll()
    this.#wait(this.#body.isOver ? lingerMs / 4 : lingerMs)
    this.#socket.shutdown()
  }
}
