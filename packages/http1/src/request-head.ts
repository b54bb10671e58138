import { Fields, hasToken } from './fields.ts'
import type { HeadBuffer } from './head-buffer.ts'
import { type Framing, MalformedMessage } from './message-body.ts'

/** The checked head of a request. */
export interface RequestHead {
  readonly method: string
  /** Path and query, whatever the form of the request target. */
  readonly target: string
  readonly fields: Fields
  readonly framing: Framing
  /** Whether the client speaks HTTP/1.1 and so understands chunks. */
  readonly isCurrent: boolean
  /** Whether the connection may stay open for another request. */
  readonly mayStay: boolean
}

/** A request that the server itself responds to with this status before it closes the connection. */
export class RefusedRequest extends MalformedMessage {
  readonly status: number

  constructor(status: number, why: string) {
    super(why)
    this.status = status
  }
}

/** Longest head: far above what clients send, and small enough for many connections at once. */
const headBytesMax = 64 * 1024

/** A request line and field lines (RFC 9112, 3 and 5). Nothing is repaired: another server might repair it differently (smuggling). */
const headForm =
  /^([!#$%&'*+.^_`|~\w-]{1,40}) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])(?:\r\n[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*)*$/

/**
 * Removes the next head of a request. Empty lines before it are dropped: some clients send an extra one after a body (RFC 9112, 2.2).
 * @returns `null` = it is incomplete
 * @throws RefusedRequest
 */
export function readRequestHead(ahead: HeadBuffer): RequestHead | null {
  ahead.skipLines()
  const text = ahead.takeHead()
  const length = text === null ? ahead.byteLength : text.length
  if (length > headBytesMax) throw new RefusedRequest(431, 'the head of the request is too long')
  return text === null ? null : parseRequestHead(text)
}

/** @param text the head without its empty line, one character for each byte. @throws RefusedRequest */
function parseRequestHead(text: string): RequestHead {
  const parts = headForm.exec(text)
  if (parts === null) throw new RefusedRequest(/ HTTP\/[2-9]/.test(text) ? 505 : 400, 'this is no request of HTTP/1')
  const [, method = '', target = '', minor] = parts
  const isCurrent = minor === '1'
  // The usual form, a path, needs no further look.
  const { path, authority } = target.startsWith('/') ? { path: target, authority: null } : targetOf(method, target)
  const fields = fieldsOf(text, isCurrent, authority)
  const mayStay = isCurrent && !hasToken(fields.get('connection'), 'close')
  return { method, target: escaped(path), fields, framing: framingOf(fields, isCurrent), isCurrent, mayStay }
}

/** Percent-encodes bytes beyond ASCII, which some clients send in paths. */
function escaped(target: string): string {
  return beyondAscii.test(target) ? target.replace(eachBeyondAscii, (byte) => `%${byte.charCodeAt(0).toString(16)}`) : target
}

const beyondAscii = /[\x80-\xff]/
const eachBeyondAscii = new RegExp(beyondAscii, 'g')

interface Target {
  readonly path: string
  /** The host in the request line; `null` = none. */
  readonly authority: string | null
}

/** The target of a request that is none of a path. @throws RefusedRequest */
function targetOf(method: string, target: string): Target {
  if (target === '*' && method === 'OPTIONS') return { path: '/*', authority: null }
  // The absolute form, as sent to proxies (RFC 9112, 3.2.2).
  const [start = '', authority] = /^https?:\/\/([^/?#]+)/i.exec(target) ?? []
  if (authority === undefined) throw new RefusedRequest(400, 'the address is none')
  const path = target.slice(start.length)
  return { path: path.startsWith('/') ? path : `/${path}`, authority }
}

/** A name or address and a port (RFC 3986, 3.2.2). No comma: two `Host` fields are joined by one. */
const hostForm = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::(\d{0,5}))?$/i

/** The fields; a host in the request line overrides the field `Host` (RFC 9112, 3.2.2). @throws RefusedRequest */
function fieldsOf(text: string, isCurrent: boolean, authority: string | null): Fields {
  const fields = new Fields(text)
  const host = fields.get('host')
  if (host === null ? isCurrent : !isHost(host)) throw new RefusedRequest(400, 'a request names one host')
  if (authority === null) return fields
  if (!isHost(authority)) throw new RefusedRequest(400, 'the address is none')
  return new Fields(`${text.replace(/\r\nhost:[^\r]*/i, '')}\r\nhost: ${authority}`)
}

function isHost(text: string): boolean {
  if (text === '') return true
  const parts = hostForm.exec(text)
  return parts !== null && Number(parts[1] ?? 0) <= 65_535
}

/** Within the range of exact integers. */
const lengthForm = /^\d{1,15}$/

/** Refuses a body with two framings: two servers could read it as different requests (RFC 9112, 6.1). @throws RefusedRequest */
function framingOf(fields: Fields, isCurrent: boolean): Framing {
  const coding = fields.get('transfer-encoding')
  const length = fields.get('content-length')
  if (coding !== null) {
    if (length !== null || !isCurrent) throw new RefusedRequest(400, 'it is not clear where the body ends')
    if (coding.toLowerCase() !== 'chunked') throw new RefusedRequest(501, 'the transfer coding is unknown')
    return 'chunked'
  }
  if (length === null) return 0
  if (!lengthForm.test(length)) throw new RefusedRequest(400, 'the length of the body is no number')
  return Number(length)
}
