import { STATUS_CODES } from 'node:http'

/** Where the parts of an answer go that is not whole yet. */
export interface ReplyStream {
  /** Called when the client has taken what waited. */
  drained: () => void
  /** Sends it. `false`: some of it waits for the client, and more should not come before it has `drained`. */
  write(bytes: Uint8Array): boolean
  /** The answer is complete. Nothing may be sent after it. */
  end(): void
  /** The answer is not complete and never will be: the client is to see it. */
  reset(): void
}

/** An answer without a `Response`, which costs more than everything else here. */
export interface PlainReply {
  readonly status: number
  /** Names in lower case. Length and date are not among them. */
  readonly headers: Readonly<Record<string, string>>
  /** Whole, or sent by whoever makes it as it comes. */
  readonly body: string | Uint8Array | ((stream: ReplyStream) => void)
}

/** A `Response` is read whole before it is sent. */
export type Reply = Response | PlainReply

interface HeadOptions {
  /** `null`: it says itself where it ends. */
  readonly length: number | null
  readonly isChunked: boolean
  readonly mayStay: boolean
  readonly date: string
}

/** @param fields as `fieldLines` writes them */
export function replyHead(status: number, fields: string, { length, isChunked, mayStay, date }: HeadOptions): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: ${date}\r\n${fields}`
  if (length !== null) head += `content-length: ${length}\r\n`
  if (isChunked) head += 'transfer-encoding: chunked\r\n'
  if (status !== 426) return mayStay ? `${head}\r\n` : `${head}connection: close\r\n\r\n`
  return `${head}${upgradeFields}connection: upgrade${mayStay ? '' : ', close'}\r\n\r\n`
}

/** A client that is told to use another protocol learns which one is spoken here (RFC 9110, 15.5.22; RFC 6455, 4.4). */
const upgradeFields = 'upgrade: websocket\r\nsec-websocket-version: 13\r\n'

/** Statuses whose answers have no body, whatever is said of them (RFC 9110, 6.4.1). */
export function isBare(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

const [carriageReturn, lineFeed] = [13, 10]

/** A chunk as it is sent: one piece, so that it goes in one packet. */
export function chunkOf(bytes: Uint8Array): Buffer {
  const size = bytes.length.toString(16)
  const start = size.length + 2
  const chunk = Buffer.allocUnsafe(start + bytes.length + 2)
  chunk.write(size, 0, 'latin1')
  chunk[start - 2] = carriageReturn
  chunk[start - 1] = lineFeed
  chunk.set(bytes, start)
  chunk[start + bytes.length] = carriageReturn
  chunk[start + bytes.length + 1] = lineFeed
  return chunk
}

export const lastChunk = Buffer.from('0\r\n\r\n')
