import { isBare, replyHead } from './reply.ts'

/** Answers up to here go out in one piece with their heads. */
const onePieceBytes = 64 * 1024

export interface HeadParts {
  readonly status: number
  /** As `fieldLines` writes them. */
  readonly fields: string
  /** The connection may carry another request after it. */
  readonly mayStay: boolean
}

export interface WholeParts extends HeadParts {
  readonly body: string | Uint8Array
}

interface WholeReply extends WholeParts {
  readonly isForHead: boolean
  readonly date: string
}

/** All of an answer, in one piece or two. A character of a field is a byte; the text of a body is UTF-8. */
export function wholeReplyBytes({ status, fields, body, mayStay, isForHead, date }: WholeReply): readonly Uint8Array[] {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const head = replyHead(status, fields, { length: isBare(status) ? null : length, isChunked: false, mayStay, date })
  if (length === 0 || isForHead || isBare(status)) return [Buffer.from(head, 'latin1')]
  if (length > onePieceBytes) return [Buffer.from(head, 'latin1'), typeof body === 'string' ? Buffer.from(body) : body]
  const bytes = Buffer.allocUnsafe(head.length + length)
  bytes.write(head, 0, 'latin1')
  if (typeof body === 'string') bytes.write(body, head.length)
  else bytes.set(body, head.length)
  return [bytes]
}
