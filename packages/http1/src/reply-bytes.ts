import { isBare, replyHead } from './reply.ts'

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

/** A head, of which each character is a byte, and the body that is sent behind it; the text of a body is UTF-8. */
interface Message {
  readonly head: string
  readonly body: string | Uint8Array
}

/** All of an answer. */
export function wholeMessage(
  { status, fields, body, mayStay }: WholeParts,
  { isForHead, date }: { readonly isForHead: boolean; readonly date: string },
): Message {
  const length = isBare(status) ? null : typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const head = replyHead(status, fields, { length, isChunked: false, mayStay, date })
  return { head, body: isForHead || length === null ? '' : body }
}
