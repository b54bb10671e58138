import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createDeadlines, createRoom } from '../test/deadlines.ts'
import { startHttpServer } from './http-server.ts'
import type { ClientSocket, SocketHandlers } from './server-web-socket.ts'
import { closeFrame, FrameReader, frameOf, opcode } from './web-socket-frames.ts'

// A real server on loopback, a client that writes raw bytes, and a clock that the test sets.

let nowMs = 0
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs }
const seen: unknown[] = []
let client: ClientSocket | null = null
const handlers: SocketHandlers = {
  open(socket) {
    client = socket
    seen.push('open')
  },
  message({ isText, bytes }) {
    const data = isText ? bytes.toString() : Buffer.from(bytes)
    seen.push(data)
    if (data === 'echo') client?.send('echo')
    if (data === 'bytes') client?.send(new Uint8Array(70_000))
  },
  drain: () => {},
  close: () => void seen.push('closed'),
}
const deadlines = createDeadlines(clock)
const server = startHttpServer({
  port: 0,
  host: '127.0.0.1',
  respond: async (arrived) => {
    const isUpgraded = arrived.upgrade(handlers, { 'x-a': 'b' })
    return { status: 426, headers: {}, body: isUpgraded ? '' : 'a WebSocket is wanted' }
  },
  clock,
  deadlines,
  timeouts: {},
  messageBytesMax: 1_000,
  longMessages: createRoom(clock, deadlines, 1_000),
  report: (error) => seen.push(error),
})
afterAll(() => server.cut())

const mask = Buffer.from([7, 7, 7, 7])
/** The key and its response are the example in RFC 6455, 1.3. */
const handshake = [
  'GET / HTTP/1.1',
  'host: x',
  'Upgrade: WebSocket',
  'connection: keep-alive, Upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** Does the handshake and reads the server's messages. */
async function open(early = Buffer.alloc(0)) {
  seen.length = 0
  const messages: unknown[] = []
  const reader = new FrameReader({
    isMasked: false,
    messageBytesMax: 1_000_000,
    sink: {
      message: ({ isText, bytes }) => messages.push(isText ? bytes.toString() : Buffer.from(bytes)),
      ping: () => messages.push('ping'),
      pong: () => messages.push('pong'),
      close: (code) => messages.push(code),
    },
  })
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.on('close', resolve))
  socket.write(Buffer.concat([Buffer.from(`${handshake.join('\r\n')}\r\n\r\n`), early]))
  const head = await new Promise<string>((resolve) => {
    socket.once('data', (bytes: Buffer) => {
      const end = bytes.indexOf('\r\n\r\n') + 4
      resolve(bytes.toString('latin1', 0, end))
      if (end < bytes.length) reader.push(Buffer.from(bytes.subarray(end)))
    })
  })
  socket.on('data', (bytes) => reader.push(Buffer.from(bytes)))
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  /** Both sides have closed. */
  const ended = closed.then(() => until(() => seen.includes('closed')))
  return { head, said: messages, ended, until, socket, say: (bytes: Uint8Array) => socket.write(bytes) }
}

const text = (words: string): Buffer => frameOf(opcode.text, Buffer.from(words), mask)

describe('a handshake', () => {
  test('gets the response that the protocol defines', async () => {
    const { head, say, ended } = await open()
    expect(head).toStartWith('HTTP/1.1 101 ')
    for (const line of ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=', 'x-a: b'])
      expect(head).toContain(`\r\n${line}\r\n`)
    say(closeFrame(1000, mask))
    await ended
  })

  test.each([
    ['of another version', handshake.with(4, 'sec-websocket-version: 8')],
    ['without a key', handshake.slice(0, -1)],
    ['with an invalid key', handshake.with(5, 'sec-websocket-key: abc')],
    ['for another protocol', handshake.with(2, 'upgrade: h2c')],
    ['with a body', [...handshake, 'content-length: 1']],
    ['whose connection has a token that only contains upgrade', handshake.with(3, 'connection: keep-alive, not-upgrade')],
    ['without upgrade in its connection', handshake.with(3, 'connection: close')],
    ['by another method', handshake.with(0, 'POST / HTTP/1.1')],
  ])('%s is refused with 426', async (_, lines) => {
    seen.length = 0
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const respond = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
    expect(respond).toMatch(/^HTTP\/1\.1 426 [\s\S]*a WebSocket is wanted$/)
    for (const line of ['upgrade: websocket', 'sec-websocket-version: 13']) expect(respond).toContain(`\r\n${line}\r\n`)
    expect(respond).toMatch(/\r\nconnection: upgrade/)
    expect(seen).toEqual([])
    socket.destroy()
  })
})

describe('a connection', () => {
  test('sends messages both ways, and responds to pings', async () => {
    const { said: messages, say, until, ended } = await open()
    say(text('echo'))
    await until(() => messages.length === 1)
    say(frameOf(opcode.ping, Buffer.from('?'), mask))
    await until(() => messages.length === 2)
    say(text('bytes'))
    await until(() => messages.length === 3)
    expect(messages).toEqual(['echo', 'pong', new Uint8Array(70_000)].map((data) => (typeof data === 'string' ? data : Buffer.from(data))))
    say(closeFrame(1001, mask))
    await ended
    expect([messages.at(-1), seen]).toEqual([1001, ['open', 'echo', 'bytes', 'closed']])
  })

  test.each([
    ['a message that is too long', text('a'.repeat(2_000)), 1009],
    ['bytes without a mask', frameOf(opcode.text, Buffer.from('a')), 1002],
    ['invalid UTF-8', frameOf(opcode.text, Buffer.from([0xff]), mask), 1007],
  ])('is closed because of %s, with the code for it', async (_, bytes, code) => {
    const { said: messages, say, ended } = await open()
    say(bytes)
    say(text('echo'))
    await ended
    expect([messages, seen]).toEqual([[code], ['open', 'closed']])
  })

  test('loses nothing that was sent with its handshake', async () => {
    const { said: messages, say, until, ended } = await open(Buffer.concat([text('one'), text('echo')]))
    await until(() => messages.length === 1)
    expect([messages, seen]).toEqual([['echo'], ['open', 'one', 'echo']])
    say(closeFrame(1000, mask))
    await ended
  })

  test('responds to one of many pings that arrive together', async () => {
    const { said: messages, say, until, ended } = await open()
    say(Buffer.concat(Array.from({ length: 20_000 }, () => frameOf(opcode.ping, Buffer.alloc(0), mask))))
    say(text('echo'))
    await until(() => messages.includes('echo'))
    expect(messages).toContain('pong')
    expect(messages.length).toBeLessThan(1_000)
    say(closeFrame(1000, mask))
    await ended
  })

  test('keeps one ping of many that arrive while the client takes nothing', async () => {
    const { said: messages, say, until, ended, socket } = await open()
    socket.pause()
    while (client?.waitingBytes() === 0) client.send(Buffer.alloc(1_000_000))
    const waiting = client?.waitingBytes()
    for (let count = 0; count < 100; count += 1) {
      say(Buffer.concat([frameOf(opcode.ping, Buffer.alloc(0), mask), text(`message ${count}`)]))
      await until(() => seen.includes(`message ${count}`))
    }
    expect(client?.waitingBytes()).toBe(waiting)
    socket.resume()
    await until(() => messages.includes('pong'))
    say(text('echo'))
    await until(() => messages.includes('echo'))
    expect(messages.filter((word) => word === 'pong')).toHaveLength(1)
    say(closeFrame(1000, mask))
    await ended
  })

  test('reads no message while it is paused, and all of them afterwards', async () => {
    const { say, until, ended } = await open()
    client?.pause()
    say(text('held'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(seen).toEqual(['open'])
    client?.resume()
    await until(() => seen.includes('held'))
    say(closeFrame(1000, mask))
    await ended
  })

  test('that the server closes waits for the close frame of the other side for a limited time', async () => {
    const { said: messages, ended, until } = await open()
    client?.close(1001)
    client?.send('too late')
    await until(() => messages.length > 0)
    nowMs += 3_000
    await ended
    expect([messages, seen]).toEqual([[1001], ['open', 'closed']])
  })

  test('whose client is silent gets a ping, and is closed without a pong', async () => {
    const { said: messages, say, ended, until } = await open()
    nowMs += 31_000
    await until(() => messages.length === 1)
    say(frameOf(opcode.pong, Buffer.alloc(0), mask))
    say(text('still here'))
    await until(() => seen.includes('still here'))
    nowMs += 31_000
    await until(() => messages.length === 2)
    nowMs += 31_000
    await ended
    expect([messages, seen]).toEqual([
      ['ping', 'ping'],
      ['open', 'still here', 'closed'],
    ])
  })
})
