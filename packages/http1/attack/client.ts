import type { Socket } from 'bun'
import { frameOf, opcode } from '../src/web-socket-frames.ts'

/** A server under attack, and its endpoints. */
export interface Target {
  readonly port: number
  readonly pid: number
  /** A short response, and a long one, both without a login. */
  readonly shortPath: string
  readonly longPath: string
  /** Calls that read a body, by a name for the output. */
  readonly bodies: Readonly<Record<string, Call>>
  /** The WebSocket. */
  readonly socket: Call
}

export interface Call {
  readonly path: string
  readonly fields: readonly string[]
}

export interface Flood {
  /** Sent first. */
  readonly head: string | Uint8Array
  /** Sent repeatedly after it. */
  readonly piece: Uint8Array
  readonly times: number
  /** Whether the client reads what the server sends. */
  readonly reads: boolean
  /** Waits for a response to the head before it continues. */
  readonly waitsForResponse?: boolean
  /** Each piece is sent separately. */
  readonly isDripped?: boolean
  /** Ends its sending side behind the last byte. */
  readonly isHalfClosed?: boolean
  /** How long it stays open after everything was sent, in milliseconds. */
  readonly stayMs?: number
}

/** How long one connection may send. */
const floodMs = 20_000
const usualStayMs = 1_000

/** Sends as fast as the server reads. Resolves some time after everything was sent, or when the server has closed. */
export async function flood(
  { port }: Pick<Target, 'port'>,
  { head, piece, times, reads, waitsForResponse = false, isDripped = false, isHalfClosed = false, stayMs = usualStayMs }: Flood,
): Promise<void> {
  const over = Promise.withResolvers<void>()
  const responded = Promise.withResolvers<void>()
  let room = Promise.withResolvers<void>()
  let isOver = false
  const end = (): void => {
    isOver = true
    room.resolve()
    responded.resolve()
    over.resolve()
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    allowHalfOpen: true,
    socket: {
      data: () => responded.resolve(),
      drain: () => room.resolve(),
      end,
      close: end,
      error: end,
    },
  })
  socket.setNoDelay(true)
  const timer = setTimeout(end, floodMs)

  async function send(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0 && !isOver; ) {
      const written = socket.write(rest)
      if (written < 0) return end()
      rest = rest.subarray(written)
      if (rest.length === 0) return
      room = Promise.withResolvers()
      await room.promise
    }
  }

  await send(typeof head === 'string' ? Buffer.from(head) : head)
  if (waitsForResponse) await responded.promise
  if (!reads) socket.pause()
  for (let count = 0; count < times && !isOver; count += 1) {
    await send(piece)
    if (isDripped) await new Promise(setImmediate)
  }
  if (isHalfClosed && !isOver) socket.shutdown()
  if (!isOver) setTimeout(end, stayMs)
  await over.promise
  clearTimeout(timer)
  socket.terminate()
}

/** The head of a request. */
export function headOf(method: string, { path, fields }: Call, more: readonly string[] = []): string {
  return `${[`${method} ${path} HTTP/1.1`, 'host: x', ...fields, ...more].join('\r\n')}\r\n\r\n`
}

const handshakeFields = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
]

export function handshakeOf({ socket }: Target): string {
  return headOf('GET', socket, handshakeFields)
}

const mask = Buffer.from([1, 2, 3, 4])

/** A frame of a client; `isLast: false` = more frames of the message follow. */
export function frame(code: number, length: number, isLast = true): Buffer {
  const bytes = frameOf(code, Buffer.alloc(length, '1'), mask)
  if (!isLast) bytes[0] = code
  return bytes
}

/** A frame of a client with this text. */
export function textFrame(text: string): Buffer {
  return frameOf(opcode.text, text, mask)
}

/** Repeats the bytes in one piece, so that sending is cheap. */
export function many(bytes: string | Uint8Array, pieceBytes = 256 * 1024): { readonly piece: Buffer; readonly count: number } {
  const one = Buffer.from(bytes)
  const count = Math.max(1, Math.floor(pieceBytes / one.length))
  return { piece: Buffer.concat(Array.from({ length: count }, () => one)), count }
}

export { opcode }

/** Sends requests and takes so many bytes of their responses, with a system call for each byte. */
export async function readBytewise({ port }: Target, requests: string, bytes: number): Promise<void> {
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; cat >&3; dd bs=1 count=${bytes} status=none <&3 >/dev/null`
  const child = Bun.spawn({ cmd: ['bash', '-c', script], stdin: Buffer.from(requests) })
  const timer = setTimeout(() => child.kill(), floodMs)
  await child.exited
  clearTimeout(timer)
}

/** Connects, sends, and resets at once. */
export async function resetAfter({ port }: Target, bytes: string): Promise<void> {
  const closed = Promise.withResolvers<void>()
  const socket: Socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { data: () => {}, close: () => closed.resolve(), error: () => closed.resolve() },
  })
  socket.write(bytes)
  await new Promise(setImmediate)
  socket.terminate()
  await closed.promise
}
