import type { ConnectionDeps, TakenOver, Wire } from './connection-deps.ts'
import { fieldLine, fieldLines } from './fields.ts'
import { BodyReader, MalformedMessage } from './message-body.ts'
import { OpenReply } from './open-reply.ts'
import { type BodySource, ReceivedRequest } from './received.ts'
import { isBare, type PlainReply, type Reply, type ReplyStream, replyHead } from './reply.ts'
import { headBytesMax, parseRequestHead, RefusedRequest, type RequestHead } from './request-head.ts'
import { SendQueue } from './send-queue.ts'
import type { Deadline } from './time.ts'

/** What comes while an answer is made waits here; beyond it the client waits. */
const aheadBytesMax = 64 * 1024
/** How long a client that still sends may take to see its answer, before the connection is cut. */
const lingerMs = 2_000
/** Answers up to here go out in one piece with their heads. */
const onePieceBytes = 64 * 1024

const proceed = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
const headEnd = Buffer.from('\r\n\r\n')

/** One connection of a client: requests one after another (RFC 9112), each answered before the next is looked at. */
export class ServerConnection implements BodySource {
  /** The one wait of this connection, moved by what happens on it. */
  #deadline: Deadline
  readonly #socket: Wire
  readonly #deps: ConnectionDeps
  readonly #body: BodyReader
  /** Of a head that is not complete, or of requests to come. */
  #ahead: Buffer | null = null
  #request: ReceivedRequest | null = null
  #head: RequestHead | null = null
  readonly #sending: SendQueue
  #stream: OpenReply | null = null
  #other: TakenOver | null = null
  #isPaused = false
  /** Nothing more is read as a request; the connection ends when what was said is sent. */
  #isEnding = false
  #isClosed = false
  #hasProceeded = false

  constructor(socket: Wire, deps: ConnectionDeps) {
    this.#socket = socket
    this.#deps = deps
    this.#body = new BodyReader({ data: (bytes) => this.#request?.take(bytes) })
    this.#sending = new SendQueue(socket, () => this.#wait(deps.waits.stallMs))
    this.#deadline = this.#startWait()
  }

  get address(): string {
    return this.#socket.remoteAddress
  }

  get isIdle(): boolean {
    return this.#request === null && this.#other === null && this.#sending.isEmpty
  }

  #startWait(): Deadline {
    return this.#deps.deadlines.start(this.#deps.waits.headMs, () => this.#late())
  }

  /** The deadline has passed. */
  #late(): void {
    if (this.#request !== null || this.#ahead === null || this.#isEnding) {
      this.destroy()
      return
    }
    this.#deadline = this.#startWait()
    this.#refuse(new RefusedRequest(408, 'the request did not come in time'))
  }

  data(bytes: Buffer): void {
    if (this.#other !== null) this.#other.data(bytes)
    else if (this.#request === null) this.#readHeads(bytes)
    else if (this.#body.isOver) this.#keepAhead(bytes)
    else this.#readBody(bytes)
  }

  drained(): void {
    this.#sending.drain()
    if (!this.#sending.isEmpty) return
    this.#rest()
    this.#stream?.drained()
    this.#other?.drained()
  }

  closed(error: Error | null): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#deps.deadlines.cancel(this.#deadline)
    this.#sending.clear()
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
    if (this.isIdle) this.#end()
  }

  wanted(): void {
    if (this.#hasProceeded || this.#head?.isCurrent !== true) return
    this.#hasProceeded = true
    if (!this.#body.isOver && this.#head.fields.get('expect')?.toLowerCase() === '100-continue') this.#write(proceed)
  }

  pause(): void {
    if (this.#isPaused || this.#isClosed) return
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isPaused || this.#isClosed) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** From now on the connection speaks as `other` does. @returns `false`: the client has gone */
  takeOver(head: string, other: TakenOver): boolean {
    if (this.#isClosed) return false
    this.#other = other
    this.#write(Buffer.from(head, 'latin1'))
    this.#deadline.at = Number.POSITIVE_INFINITY
    return true
  }

  /** Sends bytes that no answer of HTTP stands around. @returns how many wait */
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

  /** Reads requests until one has to be answered before the next. */
  #readHeads(bytes: Buffer): void {
    let rest: Buffer | null = bytes
    while (rest !== null && rest.length > 0 && this.#request === null && !this.#isEnding) rest = this.#readHead(rest)
    if (rest !== null && rest.length > 0 && !this.#isEnding) this.#keepAhead(rest)
  }

  /** @returns what comes behind the request; `null`: all was taken */
  #readHead(bytes: Buffer): Buffer | null {
    const isFirst = this.#ahead === null
    let whole = this.#ahead === null ? bytes : Buffer.concat([this.#ahead, bytes])
    this.#ahead = null
    // Some clients end a body with a line too many (RFC 9112, 2.2).
    while (whole[0] === 13 && whole[1] === 10) whole = whole.subarray(2)
    const end = whole.indexOf(headEnd)
    if (end === -1 ? whole.length > headBytesMax : end > headBytesMax) {
      this.#refuse(new RefusedRequest(431, 'the head of the request is too long'))
      return null
    }
    if (end === -1) {
      if (whole.length === 0) return null
      this.#ahead = whole
      if (isFirst) this.#wait(this.#deps.waits.headMs)
      return null
    }
    try {
      const head = parseRequestHead(whole.toString('latin1', 0, end))
      return this.#begin(head, whole.subarray(end + headEnd.length))
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.#refuse(error)
      return null
    }
  }

  #begin(head: RequestHead, bytes: Buffer): Buffer | null {
    const request = new ReceivedRequest(head, this)
    this.#head = head
    this.#request = request
    this.#hasProceeded = false
    this.#deadline.at = Number.POSITIVE_INFINITY
    this.#body.begin(head.framing)
    const rest = this.#body.push(bytes)
    if (rest !== null && head.framing !== 0) request.complete()
    this.#deps.answer(request, this).then(
      (reply) => this.#reply(request, reply),
      (error) => {
        this.#deps.report(error)
        this.destroy()
      },
    )
    return rest
  }

  #readBody(bytes: Buffer): void {
    try {
      const rest = this.#body.push(bytes)
      if (rest === null) return
      this.#request?.complete()
      if (rest.length > 0) this.#keepAhead(rest)
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.#request?.lost(error)
      if (this.#stream === null) this.#refuse(error)
      else this.destroy()
    }
  }

  #keepAhead(bytes: Buffer): void {
    if (this.#isEnding) return
    this.#ahead = this.#ahead === null ? bytes : Buffer.concat([this.#ahead, bytes])
    if (this.#ahead.length > aheadBytesMax) this.pause()
  }

  /** Answers what is no request, and ends the connection: where the next one begins cannot be known. */
  #refuse(error: Error): void {
    const status = error instanceof RefusedRequest ? error.status : 400
    const fields = fieldLine('content-type', 'text/plain')
    const body = `${error.message}\n`
    const head = replyHead(status, fields, { length: body.length, isChunked: false, mayStay: false, date: this.#deps.date() })
    this.#request = null
    this.#write(Buffer.from(head + body))
    this.finish()
  }

  async #reply(request: ReceivedRequest, reply: Reply): Promise<void> {
    try {
      if (this.#request !== request || this.#other !== null) return
      if (!(reply instanceof Response)) this.#replyPlain(reply)
      else await this.#replyWhole(request, reply)
    } catch (error) {
      this.#deps.report(error)
      this.destroy()
    }
  }

  async #replyWhole(request: ReceivedRequest, reply: Response): Promise<void> {
    const { status, headers } = reply
    let fields = ''
    for (const [name, value] of headers) if (name !== 'connection' && name !== 'content-length') fields += fieldLine(name, value)
    const body = reply.body === null ? '' : await reply.bytes()
    if (this.#request === request) this.#sendWhole({ status, fields, body, mayStay: headers.get('connection') !== 'close' })
  }

  #replyPlain({ status, headers, body }: PlainReply): void {
    const parts = { status, fields: fieldLines(headers), mayStay: headers['connection'] !== 'close' }
    if (typeof body === 'function') body(this.#startStream(parts))
    else this.#sendWhole({ ...parts, body })
  }

  #startStream({ status, fields, mayStay }: HeadParts): ReplyStream {
    const isCurrent = this.#head?.isCurrent === true
    const staysOpen = mayStay && isCurrent && this.#mayStay()
    const head = replyHead(status, fields, { length: null, isChunked: isCurrent, mayStay: staysOpen, date: this.#deps.date() })
    this.#isEnding = !staysOpen
    this.#write(Buffer.from(head))
    this.#stream = new OpenReply(this, { isChunked: isCurrent, isBare: this.#head?.method === 'HEAD' })
    return this.#stream
  }

  #sendWhole({ status, fields, body, mayStay }: WholeParts): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const staysOpen = mayStay && this.#mayStay()
    const head = replyHead(status, fields, {
      length: isBare(status) ? null : length,
      isChunked: false,
      mayStay: staysOpen,
      date: this.#deps.date(),
    })
    this.#isEnding = !staysOpen
    const hasBody = length > 0 && this.#head?.method !== 'HEAD' && !isBare(status)
    if (!hasBody) this.#write(Buffer.from(head))
    else if (typeof body === 'string') this.#write(Buffer.from(head + body))
    else if (length <= onePieceBytes) this.#write(joined(head, body))
    else {
      this.#write(Buffer.from(head))
      this.#write(body)
    }
    this.answered()
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
    const ahead = this.#ahead
    this.#ahead = null
    this.resume()
    if (ahead !== null) this.#readHeads(ahead)
  }

  writeChunk(bytes: Uint8Array): boolean {
    this.#write(bytes)
    return this.#sending.isEmpty
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
    else this.#wait(this.#deps.waits.keepMs)
  }

  /** Says that nothing more comes. A client that still sends would lose the answer if the connection were cut at once (RFC 9112, 9.6). */
  #end(): void {
    if (this.#isClosed) return
    this.#isEnding = true
    this.#ahead = null
    this.resume()
    this.#socket.shutdown()
    this.#wait(this.#body.isOver ? lingerMs / 4 : lingerMs)
  }
}

interface HeadParts {
  readonly status: number
  readonly fields: string
  /** Whoever answers lets the connection carry another request. */
  readonly mayStay: boolean
}

interface WholeParts extends HeadParts {
  readonly body: string | Uint8Array
}

function joined(head: string, body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 0, 'latin1')
  bytes.set(body, head.length)
  return bytes
}
