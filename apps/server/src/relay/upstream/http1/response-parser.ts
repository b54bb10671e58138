import { Fields } from '@sluice/http1/fields'
import { BodyReader, type Framing, MalformedMessage } from '@sluice/http1/message-body'

/** The first part of a response. */
export interface ResponseHead {
  readonly status: number
  /** @param name in lower case. A header that came several times is one, joined by commas. */
  header(name: string): string | null
}

export interface ResponseSink {
  head(head: ResponseHead): void
  data(bytes: Uint8Array): void
  /** @param isReusable the connection may carry another request */
  end(isReusable: boolean): void
}

/** Longest head: far beyond what servers send, far below what would fill the memory. */
const headBytesMax = 64 * 1024

const headEnd = Buffer.from('\r\n\r\n')

/** Reads one response after another from a connection (RFC 9112), however its bytes are cut. */
export class ResponseParser {
  readonly #sink: ResponseSink
  readonly #body: BodyReader
  /** Of a head that is not complete. */
  #pending: Buffer | null = null
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

  /** The other side has closed the connection. @throws MalformedMessage where the response was not over */
  close(): void {
    if (this.#isInBody && this.#body.endsWithConnection) this.#finish(false)
    else if (this.#isInBody || this.#pending !== null) throw new MalformedMessage('the connection was closed in the middle of a response')
  }

  #readBody(bytes: Buffer): null {
    const rest = this.#body.push(bytes)
    // A server that says more than it was asked has lost count, and so would we.
    if (rest !== null) this.#finish(rest.length === 0)
    return null
  }

  /** @returns what comes behind the head */
  #readHead(bytes: Buffer): Buffer | null {
    const whole = this.#pending === null ? bytes : Buffer.concat([this.#pending, bytes])
    const end = whole.indexOf(headEnd)
    if (end > headBytesMax || (end === -1 && whole.length > headBytesMax)) throw new MalformedMessage('the head is too long')
    this.#pending = end === -1 ? whole : null
    if (end === -1) {
      needStart(whole)
      return null
    }
    const head = parseHead(whole.toString('latin1', 0, end))
    const rest = whole.subarray(end + headEnd.length)
    // "Continue" and early hints come before the response itself. What comes behind another protocol's beginning lasts until the close.
    if (head.status < 200 && head.status !== 101) return rest
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
    const mayStay = head.isCurrent && !/\bclose\b/i.test(head.header('connection') ?? '')
    // Both at once is how somebody makes two readers see two different ends.
    this.#isReusable = mayStay && (isBare || (coding === null) !== (length === null))
    this.#isInBody = true
    this.#body.begin(isBare ? 0 : framingOf(coding, length))
  }

  #finish(isClean: boolean): void {
    this.#isInBody = false
    this.#sink.end(this.#isReusable && isClean)
  }
}

/** @throws MalformedMessage */
function framingOf(coding: string | null, length: string | null): Framing {
  if (coding !== null) {
    if (coding.toLowerCase() !== 'chunked') throw new MalformedMessage('unknown transfer coding')
    return 'chunked'
  }
  if (length === null) return 'until-close'
  if (!/^\d{1,15}$/.test(length)) throw new MalformedMessage('a length is no number')
  return Number(length)
}

const statusLineStart = Buffer.from('HTTP/1.')

/** A server that speaks something else says so in its first bytes, and often waits for an answer to them. @throws MalformedMessage */
function needStart(bytes: Buffer): void {
  const length = Math.min(bytes.length, statusLineStart.length)
  const isStart = statusLineStart.compare(bytes, 0, length, 0, length) === 0
  const lineEnd = bytes.indexOf('\r\n')
  if (!isStart || (lineEnd !== -1 && !headForm.test(bytes.toString('latin1', 0, lineEnd)))) throw notHttp()
}

function notHttp(): MalformedMessage {
  return new MalformedMessage('this is no response of HTTP/1')
}

/** A status line, and lines that begin with a name and a colon. */
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
