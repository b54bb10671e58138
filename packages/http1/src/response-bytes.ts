import { isBare, responseHead } from './response.ts'

export interface HeadParts {
  readonly status: number
  /** As `fieldLines` writes them. */
  readonly fields: string
  /** Whether the connection stays open for another request. */
  readonly mayStay: boolean
}

export interface WholeParts extends HeadParts {
  readonly body: string | Uint8Array
}

/** A head in Latin-1, one byte for each character, and the body behind it; a body that is text is sent as UTF-8. */
interface Message {
  readonly head: string
  readonly body: string | Uint8Array
}

/** A whole response. */
export function wholeMessage(
  { status, fields, body, mayStay }: WholeParts,
  { isForHead, date }: { readonly isForHead: boolean; readonly date: string },
): Message {
  const length = isBare(status) ? null : typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const head = responseHead(status, fields, { length, isChunked: false, mayStay, date })
  return { head, body: isForHead || length === null ? '' : body }
}
