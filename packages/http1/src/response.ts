import { STATUS_CODES } from 'node:http'
import { scratch } from './scratch.ts'

export const proceed = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')

/** Sends the parts of a response while it is being made. */
export interface ResponseStream {
  /** Called when the client has taken all waiting bytes. */
  drained: () => void
  /** Sends bytes. `false` = some of them wait for the client: write no more before `drained` is called. */
  write(bytes: Uint8Array): boolean
  /** Completes the response. Nothing may be written afterwards. */
  end(): void
  /** Breaks the response off, so that the client sees that it is incomplete. */
  reset(): void
}

/** A response that needs no `Response`, whose cost is higher than that of the rest of the server. */
export interface PlainResponse {
  readonly status: number
  /** Names in lower case, without length, date and `x-content-type-options`, which the server adds. */
  readonly headers: Readonly<Record<string, string>>
  /** The whole body, or a function that sends it in parts. */
  readonly body: string | Uint8Array | ((stream: ResponseStream) => void)
  /** Bytes of a body that is sent in parts; missing: not known before. A response with other bytes is broken off. */
  readonly length?: number
}

/** A `Response` is read whole before it is sent. */
export type ServerResponse = Response | PlainResponse

interface HeadOptions {
  /** `null` = unknown: chunks or the end of the connection end the body. */
  readonly length: number | null
  readonly isChunked: boolean
  readonly mayStay: boolean
  readonly date: string
}

/** @param fields as `fieldLines` writes them */
export function responseHead(status: number, fields: string, { length, isChunked, mayStay, date }: HeadOptions): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: ${date}\r\n${noSniffing}${fields}`
  if (length !== null) head += `content-length: ${length}\r\n`
  if (isChunked) head += 'transfer-encoding: chunked\r\n'
  if (status !== 426) return mayStay ? `${head}\r\n` : `${head}connection: close\r\n\r\n`
  return `${head}${upgradeFields}connection: upgrade${mayStay ? '' : ', close'}\r\n\r\n`
}

/** In every response: browsers take none for something else than its content type says. */
const noSniffing = 'x-content-type-options: nosniff\r\n'

/** A 426 names the protocol that the server supports (RFC 9110, 15.5.22; RFC 6455, 4.4). */
const upgradeFields = 'upgrade: websocket\r\nsec-websocket-version: 13\r\n'

/** Whether responses with a status never have a body (RFC 9110, 6.4.1). */
export function isBare(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

const [carriageReturn, lineFeed] = [13, 10]

/** Most bytes that frame a chunk: its size in hexadecimal digits and two CRLFs. */
const chunkFrameBytes = 12

/** Writes a framed chunk to the front of `scratch`, so that it is sent in one packet. @returns its length; -1 = it does not fit */
export function putChunk(bytes: Uint8Array): number {
  if (bytes.length + chunkFrameBytes > scratch.length) return -1
  return writeChunk(scratch, bytes)
}

/** A framed chunk in memory of its own. */
export function chunkOf(bytes: Uint8Array): Buffer {
  const chunk = Buffer.allocUnsafe(bytes.length + chunkFrameBytes)
  return chunk.subarray(0, writeChunk(chunk, bytes))
}

/** How many hexadecimal digits a size has. */
function sizeDigits(size: number): number {
  let count = 1
  for (let rest = size >>> 4; rest > 0; rest >>>= 4) count += 1
  return count
}

const digits = Buffer.from('0123456789abcdef')

/** @returns the length of the framed chunk */
function writeChunk(to: Buffer, bytes: Uint8Array): number {
  let at = sizeDigits(bytes.length)
  to[at] = carriageReturn
  to[at + 1] = lineFeed
  const start = at + 2
  for (let rest = bytes.length; at > 0; rest >>>= 4) {
    at -= 1
    to[at] = digits[rest & 15] ?? 0
  }
  const end = start + bytes.length
  to.set(bytes, start)
  to[end] = carriageReturn
  to[end + 1] = lineFeed
  return end + 2
}

export const lastChunk = Buffer.from('0\r\n\r\n')
