import { createHash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { frameOf, opcode } from '@sluice/http1/web-socket-frames'

/** A vendor of realtime sessions on raw TCP, so that it can violate the protocol. Only the handshake gets its response automatically. */
export interface RawVendor {
  readonly url: string
  /** All bytes received on the newest connection, including the handshake. */
  received(): Buffer
  /** Sends a frame, in pieces of this number of bytes. */
  send(code: number, data: string | Uint8Array, pieceBytes?: number): Promise<void>
  sendBytes(bytes: Uint8Array): void
  /** Stops reading, or resumes. */
  hold(isHeld: boolean): void
  /** Resolves when the newest connection is closed. */
  closed(): Promise<void>
  close(): void
}

export async function startRawVendor(responseTo: (key: string) => string = accepted): Promise<RawVendor> {
  const sockets = new Set<Socket>()
  let newest: Socket | null = null
  let closed = Promise.withResolvers<void>()
  let received = Buffer.alloc(0)
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    newest = socket
    received = Buffer.alloc(0)
    const ended = Promise.withResolvers<void>()
    closed = ended
    socket.on('error', () => {})
    socket.on('close', () => ended.resolve())
    let isOpen = false
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, Buffer.from(bytes)])
      if (isOpen || !received.includes('\r\n\r\n')) return
      isOpen = true
      socket.write(responseTo(/sec-websocket-key: (\S+)/i.exec(received.toString('latin1'))?.[1] ?? ''))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    received: () => received,
    async send(code, data, pieceBytes = Number.POSITIVE_INFINITY) {
      const frame = frameOf(code, typeof data === 'string' ? Buffer.from(data) : data)
      for (let at = 0; at < frame.length; at += pieceBytes)
        await new Promise<void>((resolve) => newest?.write(frame.subarray(at, at + pieceBytes), () => resolve()))
    },
    sendBytes: (bytes) => void newest?.write(bytes),
    hold: (isHeld) => void (isHeld ? newest?.pause() : newest?.resume()),
    closed: () => closed.promise,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** The response to a handshake (RFC 6455, 4.2.2). */
export function accepted(key: string): string {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`
}

/** The code of the close frame among bytes of a client; `null`: there is none. */
export function goodbyeIn(received: Buffer): number | null {
  let at = received.indexOf('\r\n\r\n') + 4
  while (at + 6 <= received.length) {
    const [first = 0, second = 0] = received.subarray(at)
    const length = second & 0x7f
    const mask = received.subarray(at + 2, at + 6)
    if ((first & 0x0f) === opcode.close && length >= 2)
      return (((received[at + 6] ?? 0) ^ (mask[0] ?? 0)) << 8) | ((received[at + 7] ?? 0) ^ (mask[1] ?? 0))
    at += 6 + length
  }
  return null
}
