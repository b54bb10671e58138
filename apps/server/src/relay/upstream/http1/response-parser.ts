import { Fields } from '@sluice/http1/fields'
import { HeadBuffer } from '@sluice/http1/head-buffer'
import { BodyReader, CutMessage, type Framing, MalformedMessage } from '@sluice/http1/message-body'

/** The head of a response. */
export interface ResponseHead {
  readonly status: number
  /** @param name in lower case. The values of a repeated header are joined by commas. */
  header(name: string): string | null
}

export interface ResponseSink {
  head(head: ResponseHead): void
  data(bytes: Uint8Array): void
  /** @param isReusable the connection may carry another request */
  end(isReusable: boolean): void
}

/** Most bytes of a head, together with the interim responses before it: well above what servers send, low enough for memory. */
const headBytesMax = 64 * 1024

/** Parses consecutive responses of a connection (RFC 9112), independent of how the bytes are split. */
export class ResponseParser {
  readonly #sink: ResponseSink
  readonly #body: BodyReader
  /** Bytes of an incomplete head. */
  readonly #ahead = new HeadBuffer()
  /** Bytes of interim responses before the response. */
  #interimBytes = 0
  #isInBody = false
  #isReusable = false

  constructor(sink: ResponseSink) {
    this.#sink = sink
    this.#body = new BodyReader(sink)
  }

  /** Takes the next bytes of a connection. @throws MalformedMessage */
  push(bytes: Buffer): void {
    let rest: Buffer | null = bytes
    while (rest !== null && rest.length > 0) rest = this.#isInBody ? this.#readBody(rest) : this.#readHead(rest)
  }

  /** The other side closed the connection. @throws CutMessage if the response was incomplete */
  close(): void {
    if (this.#isInBody && this.#body.endsWithConnection) this.#finish(false)
    else if (this.#isInBody || this.#ahead.byteLength > 0) throw new CutMessage('the connection was closed in the middle of a response')
  }

  #readBody(bytes: Buffer): null {
    const rest = this.#body.push(bytes)
    // After extra bytes the connection is not reused: they would be taken for the next response.
    if (rest !== null) this.#finish(rest.length === 0)
    return null
  }

  /** @returns the bytes after the head */
  #readHead(bytes: Buffer): Buffer | null {
    this.#ahead.push(bytes)
    const waiting = this.#ahead.byteLength
    const text = this.#ahead.takeHead()
    if (this.#interimBytes + (text === null ? waiting : text.length) > headBytesMax) throw new MalformedMessage('the head is too long')
    if (text === null) {
      needStart(this.#ahead.first(statusLineMax))
      return null
    }
    const head = parseHead(text)
    const rest = this.#ahead.takeAll()
    // Skips 100 and 103, which precede the response. After 101 the body lasts until the connection closes.
    if (head.status < 200 && head.status !== 101) {
      this.#interimBytes += waiting - rest.length
      return rest
    }
    this.#interimBytes = 0
    this.#begin(head)
    this.#sink.head(head)
    if (!this.#body.isOver) return rest
    this.#finish(rest.length === 0)
    return null
  }

  #begin(head: ParsedHead): void {
    const isBare = head.status === 204 || head.status === 304
    const coding = head.header('transfer-encoding')
    const length = head.header('content-length')
    const mayStay = head.isCurrent && !closing.test(head.header('connection') ?? '')
    // Not reused after both headers at once: two parsers may then see different ends (response smuggling).
    this.#isReusable = mayStay && (isBare || (coding === null) !== (length === null))
    this.#isInBody = true
    this.#body.begin(isBare ? 0 : framingOf(coding, length))
  }

  #finish(isClean: boolean): void {
    this.#isInBody = false
    this.#sink.end(this.#isReusable && isClean)
  }
}

const closing = /\bclose\b/i
/** Within the range of exact integers. */
const lengthForm = /^\d{1,15}$/

/** @throws MalformedMessage */
function framingOf(coding: string | null, length: string | null): Framing {
  if (coding !== null) {
    if (coding.toLowerCase() !== 'chunked') throw new MalformedMessage('unknown transfer coding')
    return 'chunked'
  }
  if (length === null) return 'until-close'
  if (!lengthForm.test(length)) throw new MalformedMessage('content-length is not a number')
  return Number(length)
}

const statusLineStart = Buffer.from('HTTP/1.')
/** A longer status line is looked at when the head is complete. */
const statusLineMax = 1024

/** Fails on the first bytes of another protocol, whose server often waits for a response to them. @throws MalformedMessage */
function needStart(bytes: Buffer): void {
  const length = Math.min(bytes.length, statusLineStart.length)
  const isStart = statusLineStart.compare(bytes, 0, length, 0, length) === 0
  const lineEnd = bytes.indexOf('\r\n')
  if (!isStart || (lineEnd !== -1 && !headForm.test(bytes.toString('latin1', 0, lineEnd)))) throw notHttp()
}

function notHttp(): MalformedMessage {
  return new MalformedMessage('this is no response of HTTP/1')
}

/** A status line, and lines of the form `name: value`. */
const headForm = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r\n]*)?(?:\r\n[^\s:][^\r\n:]*:[^\r\n]*)*$/

class ParsedHead implements ResponseHead {
  readonly status: number
  /** The server speaks HTTP/1.1. Older ones close the connection unless they say otherwise. */
  readonly isCurrent: boolean
  readonly #fields: Fields

  constructor(text: string, { status, isCurrent }: { readonly status: number; readonly isCurrent: boolean }) {
    this.status = status
    this.isCurrent = isCurrent
    this.#fields = new Fields(text)
  }

  header(name: string): string | null {
    return this.#fields.get(name)
  }
}

/** @throws MalformedMessage */
function parseHead(text: string): ParsedHead {
  const parts = headForm.exec(text)
  if (parts === null) throw notHttp()
  return new ParsedHead(text, { status: Number(parts[2]), isCurrent: parts[1] === '1' })
}
