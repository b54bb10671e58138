import { readFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { accepted } from '../realtime-vendor.ts'
import { drip } from './drip.ts'

/** What a vendor does on a connection once a request has arrived with its body. */
export type Script = (socket: Socket, head: string) => Promise<void> | void

export interface ScriptedVendor {
  readonly url: string
  /** Its address over TLS, with a certificate for localhost. */
  readonly tlsUrl: string
  /** Its address over TLS, with each byte in its own packet, those of the handshake too. */
  readonly drippingUrl: string
  /** Sets the response to later requests. */
  play(script: Script): void
  close(): void
}

/** The certificate that clients of the vendor must trust. */
export const certificatePath = join(import.meta.dir, '../fixtures/localhost-certificate.pem')
const tls = { cert: readFileSync(certificatePath), key: readFileSync(join(import.meta.dir, '../fixtures/localhost-key.pem')) }

/** A vendor that runs scripts of bytes. At first its responses are correct. */
export async function startScriptedVendor(): Promise<ScriptedVendor> {
  const sockets = new Set<Socket>()
  let script: Script = responseWell
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const serve = (socket: Socket): void => {
    keep(socket)
    readRequests(socket, (head) => void script(socket, head))
  }
  const plain = createServer({ noDelay: true }, serve)
  const secure = createTlsServer({ ...tls, noDelay: true }, serve)
  const [port, tlsPort] = [await portOf(plain), await portOf(secure)]
  const dripping = createServer({ noDelay: true }, (socket) => {
    const inner = connect(tlsPort, '127.0.0.1')
    for (const each of [socket, inner]) keep(each)
    socket.pipe(inner)
    void dripInto(socket, inner)
  })
  const drippingPort = await portOf(dripping)
  return {
    url: `http://127.0.0.1:${port}`,
    tlsUrl: `https://localhost:${tlsPort}`,
    drippingUrl: `https://localhost:${drippingPort}`,
    play(next) {
      script = next
    },
    close() {
      for (const socket of sockets) socket.destroy()
      for (const server of [plain, secure, dripping]) server.close()
    },
  }
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return address.port
}

/** Forwards each byte in its own packet. */
async function dripInto(socket: Socket, source: Socket): Promise<void> {
  const pieces: AsyncIterable<Buffer> = source
  try {
    for await (const piece of pieces) await drip(socket, piece)
  } catch {
    // The source has been reset: the end of the attack.
  }
  socket.end()
}

/** Reads requests with or without a `content-length`, and ignores their bodies. */
function readRequests(socket: Socket, arrived: (head: string) => void): void {
  let head = ''
  let missing = 0
  let isOpen = false
  socket.on('data', (bytes: Buffer) => {
    if (isOpen) return
    if (missing === 0) {
      head += bytes.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4)
    } else missing -= bytes.length
    if (missing > 0) return
    missing = 0
    const whole = head
    head = ''
    isOpen = /^upgrade:/im.test(whole)
    arrived(whole)
  })
}

const response = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
})

/** Responds with a short chat, or accepts a session and then sends nothing. */
export function responseWell(socket: Socket, head: string): void {
  const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1]
  if (key === undefined) socket.write(wholeResponse(response))
  else socket.write(accepted(key))
}

/** Begins a stream and closes the connection. */
export function brokenStream(socket: Socket): void {
  const chunk = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'ok' } }],
  }
  socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ${JSON.stringify(chunk)}\n\n`)
}

export function wholeResponse(body: string | Uint8Array, fields = ''): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${fields}\r\n${body}`
}
