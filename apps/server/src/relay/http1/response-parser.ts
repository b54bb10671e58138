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

export interface ResponseParser {
  /** Takes the next bytes of a connection. @throws MalformedResponse */
  push(bytes: Buffer): void
  /** The other side has closed the connection. @throws MalformedResponse where the response was not over */
  close(): void
}

/** What came is no response of HTTP/1, or broke off. */
export class MalformedResponse extends Error {}

/** Longest head, chunk-size line or trailers: far beyond what servers send, far below what would fill the memory. */
const lineBytesMax = 64 * 1024

/** Takes what it can use from the front and returns the rest; `null`: it needs more bytes than these. */
type Step = (bytes: Buffer) => Buffer | null

const nothing = Buffer.alloc(0)

/** Reads one response after another from a connection (RFC 9112), however its bytes are cut. */
export function createResponseParser(sink: ResponseSink): ResponseParser {
  let step: Step = readHead
  let pending: Buffer | null = null
  /** Bytes of the body or chunk that are still to come. */
  let left = 0
  let isReusable = false
  let hasBegun = false

  function finish(rest: Buffer): Buffer {
    step = readHead
    hasBegun = false
    // A server that says more than it was asked has lost count, and so would we.
    sink.end(isReusable && rest.length === 0)
    return nothing
  }

  function readHead(bytes: Buffer): Buffer | null {
    hasBegun = true
    const end = bytes.indexOf('\r\n\r\n')
    if (end === -1) return null
    const head = parseHead(bytes.toString('latin1', 0, end))
    const rest = bytes.subarray(end + 4)
    // "Continue" and early hints come before the response itself. What comes behind another protocol's beginning lasts until the close.
    if (head.status < 200 && head.status !== 101) return rest
    // 7: behind "HTTP/1.". Older servers close the connection unless they say otherwise.
    step = begin(head, bytes[7] === 0x31)
    sink.head(head)
    return step === readHead ? finish(rest) : rest
  }

  /** How the body is delimited. `readHead`: there is none. */
  function begin({ status, header }: ResponseHead, isCurrent: boolean): Step {
    const coding = header('transfer-encoding')
    const length = header('content-length')
    const isBare = status === 204 || status === 304
    const mayStay = isCurrent && !/\bclose\b/i.test(header('connection') ?? '')
    // Both at once is how somebody makes two readers see two different ends.
    isReusable = mayStay && (isBare || (coding === null) !== (length === null))
    if (isBare) return readHead
    if (coding !== null) return chunked(coding)
    if (length === null) return readUntilClose
    left = parseCount(length, /^\d{1,15}$/, 10)
    return left === 0 ? readHead : readLength
  }

  function chunked(coding: string): Step {
    if (coding.toLowerCase() !== 'chunked') throw new MalformedResponse('unknown transfer coding')
    return readChunkSize
  }

  function readLength(bytes: Buffer): Buffer {
    const rest = passOn(bytes)
    return left === 0 ? finish(rest) : rest
  }

  function readUntilClose(bytes: Buffer): Buffer {
    sink.data(bytes)
    return nothing
  }

  function readChunkSize(bytes: Buffer): Buffer | null {
    const end = bytes.indexOf('\r\n')
    if (end === -1) return null
    // What follows a semicolon is an extension, which nobody here knows.
    left = parseCount(bytes.toString('latin1', 0, end).replace(/[ \t]*(?:;.*)?$/s, ''), /^[\da-f]{1,12}$/i, 16)
    step = left === 0 ? readTrailers : readChunk
    return bytes.subarray(end + 2)
  }

  function readChunk(bytes: Buffer): Buffer {
    const rest = passOn(bytes)
    if (left === 0) step = readChunkEnd
    return rest
  }

  function readChunkEnd(bytes: Buffer): Buffer | null {
    if (bytes.length < 2) return null
    if (bytes[0] !== 13 || bytes[1] !== 10) throw new MalformedResponse('a chunk is longer than it said')
    step = readChunkSize
    return bytes.subarray(2)
  }

  /** Lines up to an empty one. They say nothing that matters here. */
  function readTrailers(bytes: Buffer): Buffer | null {
    const end = bytes.indexOf('\r\n')
    if (end === -1) return null
    const rest = bytes.subarray(end + 2)
    return end === 0 ? finish(rest) : rest
  }

  function passOn(bytes: Buffer): Buffer {
    const part = bytes.length <= left ? bytes : bytes.subarray(0, left)
    left -= part.length
    sink.data(part)
    return bytes.subarray(part.length)
  }

  return {
    push(chunk) {
      let bytes = pending === null ? chunk : Buffer.concat([pending, chunk])
      pending = null
      while (bytes.length > 0) {
        const rest = step(bytes)
        if (rest === null) {
          if (bytes.length > lineBytesMax) throw new MalformedResponse('a line has no end')
          pending = bytes
          return
        }
        bytes = rest
      }
    },
    close() {
      if (step === readUntilClose) finish(nothing)
      else if (hasBegun) throw new MalformedResponse('the connection was closed in the middle of a response')
    },
  }
}

function parseCount(text: string, form: RegExp, radix: number): number {
  if (!form.test(text)) throw new MalformedResponse('a length is no number')
  return Number.parseInt(text, radix)
}

/** A status line, and lines that begin with a name and a colon. */
const headForm = /^HTTP\/1\.[01] [1-9]\d\d(?: [^\r\n]*)?(?:\r\n[^\s:][^\r\n:]*:[^\r\n]*)*$/

/** Few headers are ever asked for, so none is taken apart before it is. */
function parseHead(text: string): ResponseHead {
  if (!headForm.test(text)) throw new MalformedResponse('this is no response of HTTP/1')
  const lower = text.toLowerCase()
  return {
    status: Number(text.slice(9, 12)),
    header(name) {
      const values: string[] = []
      const start = `\r\n${name}:`
      for (let at = lower.indexOf(start); at !== -1; at = lower.indexOf(start, at + 1)) {
        const end = text.indexOf('\r\n', at + start.length)
        values.push(text.slice(at + start.length, end === -1 ? text.length : end).trim())
      }
      return values.length === 0 ? null : values.join(', ')
    },
  }
}
