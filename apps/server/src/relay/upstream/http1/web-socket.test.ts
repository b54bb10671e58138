import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { createByteBudget } from '@sluice/http1/byte-budget'
import { acceptOf } from '@sluice/http1/handshake'
import { FrameReader, frameOf, opcode } from '@sluice/http1/web-socket-frames'
import { createDeadlines } from '../../../lib/deadlines.ts'
import { createUpstreamClient } from './client.ts'
import { openWebSocket, type UpstreamSocket } from './web-socket.ts'

const clock = { nowMs: Date.now, monotonicMs: () => performance.now() }
const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A connection after the handshake, with the vendor's socket. It is paused until `resume`. */
async function connect(): Promise<{ readonly vendor: Socket; readonly socket: UpstreamSocket }> {
  const opened = Promise.withResolvers<Socket>()
  const server = createServer({ noDelay: true }, (vendor) => {
    vendor.on('error', () => {})
    closing.push(() => vendor.destroy())
    vendor.once('data', (bytes) => {
      const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString('latin1'))?.[1] ?? ''
      vendor.pause()
      vendor.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nsec-websocket-accept: ${acceptOf(key)}\r\n\r\n`)
      opened.resolve(vendor)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  const deadlines = createDeadlines(clock)
  const client = createUpstreamClient({
    clock,
    deadlines,
    addressesOf: async () => ['127.0.0.1'],
    mayBeNamed: () => true,
    ownHop: 'own',
  })
  closing.push(
    () => server.close(),
    () => client.close(),
  )
  const messageBytesMax = 1024 * 1024
  const { monotonicMs } = clock
  const longMessages = createByteBudget({ bytesMax: messageBytesMax, longestBytes: messageBytesMax, monotonicMs, deadlines })
  const { signal } = new AbortController()
  const url = `http://127.0.0.1:${address.port}/`
  const options = { url, headers: {}, proxy: null, hops: '', signal }
  const socket = await openWebSocket(options, { client, deadlines, messageBytesMax, longMessages })
  return { vendor: await opened.promise, socket }
}

/** The bytes that a vendor receives once it reads. */
function readBy(vendor: Socket) {
  let pongs = 0
  const messages: Uint8Array[] = []
  let wake = (): void => {}
  const reader = new FrameReader({
    isMasked: true,
    messageBytesMax: 64 * 1024 * 1024,
    sink: {
      message: ({ bytes }) => void messages.push(Buffer.from(bytes)),
      ping: () => {},
      pong() {
        pongs += 1
      },
      close: () => {},
    },
  })
  vendor.on('data', (bytes: Buffer) => {
    reader.push(bytes)
    wake()
  })
  vendor.resume()
  return {
    pongs: () => pongs,
    messages,
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve
      }),
  }
}

describe('a vendor that sends pings and reads nothing', () => {
  test('gets one pong, for the last ping, when it reads again', async () => {
    const { vendor, socket } = await connect()
    const got = Promise.withResolvers<void>()
    let messages = 0
    socket.pipe({
      message() {
        messages += 1
        got.resolve()
      },
      closed: () => {},
      pong: () => {},
      drained: () => {},
    })
    // Fills the network buffers, so that pongs have to wait.
    const large = Buffer.alloc(16 * 1024 * 1024)
    const { length } = large
    socket.pass({ isText: false, bytes: large, isOwned: true })
    const before = socket.waitingBytes
    expect(before).toBeGreaterThan(1024 * 1024)
    const pings = Buffer.concat(
      Array.from({ length: 4_000 }, (_, index) => frameOf(opcode.ping, Buffer.from(`${index}`.padStart(100, '.')))),
    )
    for (let round = 0; round < 40; round += 1) await new Promise<void>((resolve) => vendor.write(pings, () => resolve()))
    vendor.write(frameOf(opcode.text, Buffer.from('the end')))
    await got.promise
    expect(messages).toBe(1)
    expect(socket.waitingBytes).toBeLessThanOrEqual(before)
    const read = readBy(vendor)
    while (read.pongs() === 0) await read.next()
    expect(read.messages.map(({ length }) => length)).toEqual([length])
    expect(read.pongs()).toBeLessThanOrEqual(3)
  })
})

describe('a vendor that sends many small frames', () => {
  test('does not block others, and every message arrives', async () => {
    const { vendor, socket } = await connect()
    const count = 100_000
    const done = Promise.withResolvers<void>()
    let [messages, turns, perTurn, most] = [0, 0, 0, 0]
    let isDone = false
    const turn = (): void => {
      turns += 1
      most = Math.max(most, perTurn)
      perTurn = 0
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    socket.pipe({
      message() {
        messages += 1
        perTurn += 1
        if (messages === count) done.resolve()
      },
      closed: () => {},
      pong: () => {},
      drained: () => {},
    })
    vendor.write(Buffer.concat(Array.from({ length: count }, () => frameOf(opcode.binary, new Uint8Array()))))
    await done.promise
    isDone = true
    expect(most).toBeLessThanOrEqual(2_000)
    expect(turns).toBeGreaterThan(50)
  })
})
