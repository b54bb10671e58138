import { afterAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { createDeadlines, createRoom, systemClock } from '../test/deadlines.ts'
import { type Arrived, startHttpServer } from './http-server.ts'
import type { ServerResponse } from './response.ts'

// Bounds of what one connection costs, whatever its client does.

const closing: Array<() => void> = []
afterAll(() => {
  for (const close of closing) close()
})

function serve(respond: (arrived: Arrived) => Promise<ServerResponse> | ServerResponse, stallMs = 60_000) {
  const deadlines = createDeadlines(systemClock)
  const server = startHttpServer({
    port: 0,
    host: '127.0.0.1',
    respond: async (arrived) => await respond(arrived),
    clock: systemClock,
    deadlines,
    timeouts: { keepMs: 60_000, headMs: 60_000, stallMs },
    messageBytesMax: 1024,
    longMessages: createRoom(systemClock, deadlines, 1024),
    report: (error) => {
      throw error
    },
  })
  closing.push(server.cut)
  return server
}

const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const turn = (): Promise<unknown> => new Promise(setImmediate)

/** Connects a client. */
async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.on('connect', resolve))
  return socket
}

/** Resolves when a number has not changed for some time. */
async function settled(number: () => number): Promise<number> {
  for (let before = -1; before !== number(); await new Promise((resolve) => setTimeout(resolve, 200))) before = number()
  return number()
}

describe('requests that are sent ahead', () => {
  const body = Buffer.alloc(256 * 1024, 'x')

  test('are not started until the client has read the responses before them', async () => {
    let begun = 0
    const server = serve(() => {
      begun += 1
      return { status: 200, headers: {}, body }
    })
    const socket = await open(server.port)
    socket.pause()
    const requests = 400
    socket.write(request.repeat(requests))
    // The socket buffers of both sides hold a few megabytes.
    expect(await settled(() => begun)).toBeLessThan(100)
    let taken = 0
    socket.on('data', (bytes) => {
      taken += bytes.length
    })
    socket.resume()
    while (begun < requests || taken < requests * body.length) await turn()
    socket.destroy()
  })

  test('do not keep a connection open whose client reads nothing', async () => {
    let begun = 0
    const respond = (): ServerResponse => {
      begun += 1
      return { status: 200, headers: {}, body }
    }
    const server = serve(respond, 300)
    const socket = await open(server.port)
    socket.pause()
    socket.write(request.repeat(400))
    await settled(() => begun)
    // `stop` waits for the last response, which the client does not take.
    await server.stop()
    expect(begun).toBeLessThan(100)
    socket.destroy()
  })

  test('are not read without end', async () => {
    const server = serve(() => ({ status: 200, headers: {}, body }))
    const socket = await open(server.port)
    socket.pause()
    const part = Buffer.from(request.repeat(10_000))
    for (let count = 0; count < 100; count += 1) socket.write(part)
    // Far more turns than reading all of it takes.
    for (let count = 0; count < 5_000; count += 1) await turn()
    // Bytes that the network has not taken wait in the client.
    expect(socket.writableLength).toBeGreaterThan(50 * part.length)
    socket.destroy()
  })

  test('do not keep other clients waiting', async () => {
    let begun = 0
    let begunBefore = -1
    const server = serve(({ request: { url } }) => {
      if (url === '/other') begunBefore = begun
      begun += 1
      return { status: 200, headers: {}, body: 'x' }
    })
    const [many, other] = await Promise.all([open(server.port), open(server.port)])
    many.resume()
    other.resume()
    await turn()
    many.write(request.repeat(4_000))
    other.write('GET /other HTTP/1.1\r\nhost: x\r\n\r\n')
    while (begun < 4_001) await turn()
    expect(begunBefore).toBeLessThan(2_000)
    many.destroy()
    other.destroy()
  })
})

describe('a body in chunks of one byte', () => {
  const size = 300_000
  const chunks = Buffer.from(`${'1\r\nx\r\n'.repeat(size)}0\r\n\r\n`)
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n'

  test('arrives in few pieces, whether a reader waits for them or not', async () => {
    for (const isLate of [false, true]) {
      let pieces = 0
      let length = 0
      const server = serve(async ({ request: { body } }) => {
        if (isLate) await new Promise((resolve) => setTimeout(resolve, 100))
        for (let piece = await body?.read(); piece; piece = await body?.read()) {
          pieces += 1
          length += piece.length
          expect(piece.every((byte) => byte === 120)).toBe(true)
        }
        return { status: 200, headers: {}, body: 'x' }
      })
      const socket = await open(server.port)
      const ended = new Promise((resolve) => socket.on('close', resolve))
      socket.resume()
      socket.write(head)
      socket.write(chunks)
      await ended
      expect(length).toBe(size)
      expect(pieces).toBeLessThan(500)
    }
  })

  test('is complete for a reader of the whole body', async () => {
    let all: Uint8Array | undefined
    const server = serve(async ({ request: { body } }) => {
      all = await body?.bytes()
      return { status: 200, headers: {}, body: 'x' }
    })
    const socket = await open(server.port)
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.resume()
    socket.write(head)
    for (let at = 0; at < chunks.length; at += 10_007) socket.write(chunks.subarray(at, at + 10_007))
    await ended
    expect(all?.length).toBe(size)
    expect(all?.every((byte) => byte === 120)).toBe(true)
  })
})

test('a request with an immediate reset leaves no state, and is not reported as an error', async () => {
  const addresses = new Set<string>()
  const server = serve(async (arrived) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    addresses.add(arrived.address)
    return { status: 200, headers: {}, body: 'x' }
  })
  for (let count = 0; count < 50; count += 1) {
    const socket = await open(server.port)
    socket.write(request)
    await new Promise((resolve) => setImmediate(() => resolve(socket.resetAndDestroy())))
  }
  const last = await open(server.port)
  const respond = new Promise((resolve) => last.once('data', resolve))
  last.write(request)
  await respond
  last.destroy()
  await server.stop()
  expect([...addresses]).toEqual(['127.0.0.1'])
})
