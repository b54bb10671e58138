import { afterEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createDeadlines } from '../../../lib/deadlines.ts'
import { createUpstreamClient, type UpstreamClient, type UpstreamResponse } from './client.ts'

const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Peer {
  readonly url: string
  /** Connections so far. */
  readonly sockets: readonly Socket[]
}

/** A raw TCP server. For each chunk it calls back with all bytes received on that connection. */
async function serve(onData: (socket: Socket, received: Buffer, connection: number) => void): Promise<Peer> {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    const index = sockets.push(socket) - 1
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      onData(socket, received, index)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // Holds: a listening TCP server has such an address.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat`, sockets }
}

function newClient(addressesOf: (origin: string) => Promise<readonly string[]> = async () => ['127.0.0.1']): UpstreamClient {
  const client = createUpstreamClient({ clock, deadlines: createDeadlines(clock), addressesOf, mayBeNamed: () => true, ownHop: 'own' })
  closing.push(client.close)
  return client
}

function textOf(response: UpstreamResponse): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.pipe({
      data(bytes) {
        text += Buffer.from(bytes).toString('utf8')
      },
      end: () => resolve(text),
      fail: reject,
    })
  })
}

const post = (client: UpstreamClient, url: string, body = '{}', headers: Record<string, string> = {}) =>
  client.send({ method: 'POST', url, headers, body, isRepeatable: true, proxy: null })

/** The number of complete requests with the body `{}`. */
const requestsIn = (received: Buffer): number => received.toString('latin1').split('\r\n\r\n{}').length - 1

const ok = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`

test('a request arrives unchanged, and so does its response', async () => {
  const peer = await serve((socket, received) => {
    socket.write(`HTTP/1.1 201 Created\r\nX-Length: ${received.length}\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`)
  })
  const response = await post(newClient(), `${peer.url}?a=b%20c`, '{}', { authorization: 'Bearer k' }).response
  expect([response.status, response.header('x-other')]).toEqual([201, null])
  const expectedRequest = `POST /v1/chat?a=b%20c HTTP/1.1\r\nhost: ${new URL(peer.url).host}\r\nuser-agent: Sluice\r\nconnection: keep-alive\r\ncontent-length: 2\r\nx-sluice-hop: own\r\nauthorization: Bearer k\r\n\r\n{}`
  expect(response.header('x-length')).toBe(String(expectedRequest.length))
  expect(await textOf(response)).toBe('hello')
})

describe('a connection', () => {
  test('carries one request after another, and two at a time on two of them', async () => {
    const peer = await serve((socket, received) => socket.write(ok(String(requestsIn(received)))))
    const client = newClient()
    for (const expected of ['1', '2', '3']) expect(await textOf(await post(client, peer.url).response)).toBe(expected)
    expect(peer.sockets).toHaveLength(1)
    const both = await Promise.all([post(client, peer.url).response, post(client, peer.url).response])
    expect(await Promise.all(both.map(textOf))).toEqual(['4', '1'])
    expect(peer.sockets).toHaveLength(2)
  })

  test('that the other side closes just when it is reused is replaced by a new one, without a failure', async () => {
    const peer = await serve((socket, received, index) => {
      if (index === 0 && requestsIn(received) === 2) socket.resetAndDestroy()
      else socket.write(ok(`connection ${index}`))
    })
    const client = newClient()
    expect(await textOf(await post(client, peer.url).response)).toBe('connection 0')
    expect(await textOf(await post(client, peer.url).response)).toBe('connection 1')
  })

  test('that the other side closes then is a failure for requests that must not be repeated', async () => {
    const peer = await serve((socket, received, index) => {
      if (index === 0 && requestsIn(received) === 2) socket.resetAndDestroy()
      else socket.write(ok(`connection ${index}`))
    })
    const client = newClient()
    await textOf(await post(client, peer.url).response)
    const once = client.send({ method: 'POST', url: peer.url, headers: {}, body: '{}', isRepeatable: false, proxy: null })
    expect(await rejection(once.response)).toBeInstanceOf(Error)
    expect(peer.sockets).toHaveLength(1)
  })

  test.each([
    ['50 seconds where the other side says nothing', '', 50_000],
    ['a second less than the other side says', 'keep-alive: timeout=5, max=100\r\n', 4_000],
    ['50 seconds where the other side would for longer', 'keep-alive: timeout=300\r\n', 50_000],
  ])('is kept for %s', async (_, header, keptMs) => {
    const peer = await serve((socket, __, index) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}content-length: 1\r\n\r\n${index}`)
    })
    const client = newClient()
    const ask = async () => await textOf(await post(client, peer.url).response)
    expect(await ask()).toBe('0')
    clock.ms += keptMs - 1
    expect(await ask()).toBe('0')
    clock.ms += keptMs
    expect(await ask()).toBe('1')
  })

  test('that is closed before its first response is a failure: the request is not sent twice', async () => {
    const peer = await serve((socket) => socket.destroy())
    expect(await rejection(post(newClient(), peer.url).response)).toBeInstanceOf(Error)
    expect(peer.sockets).toHaveLength(1)
  })

  test('that receives unrequested bytes is not reused', async () => {
    const peer = await serve((socket, _, index) => socket.write(ok(`connection ${index}`)))
    const client = newClient()
    expect(await textOf(await post(client, peer.url).response)).toBe('connection 0')
    const [first] = peer.sockets
    const closed = new Promise((resolve) => first?.once('close', resolve))
    first?.write('HTTP/1.1 408 Request Timeout\r\n')
    await closed
    expect(await textOf(await post(client, peer.url).response)).toBe('connection 1')
  })

  test('is not used again before bytes after its response could be read', async () => {
    const peer = await serve((socket, _, index) => {
      socket.write(ok(`connection ${index}`))
      // Sent in the turn in which the response arrives, so that it follows the response immediately.
      if (index === 0) setImmediate(() => setImmediate(() => socket.write(ok('of nobody'))))
    })
    const client = newClient()
    expect(await textOf(await post(client, peer.url).response)).toBe('connection 0')
    expect(await textOf(await post(client, peer.url).response)).toBe('connection 1')
  })

  test('is waited for by the next request if it becomes idle within the turn', async () => {
    const peer = await serve((socket, received) => socket.write(ok(String(requestsIn(received)))))
    const client = newClient()
    for (const expected of ['1', '2']) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const response = await post(client, peer.url).response
      response.pipe({ data: (bytes) => expect(Buffer.from(bytes).toString()).toBe(expected), end: resolve, fail: () => {} })
      await promise
    }
    expect(peer.sockets).toHaveLength(1)
  })

  test('is tried with every address of a name, in their order', async () => {
    const peer = await serve((socket) => socket.write(ok('here')))
    const client = newClient(async () => ['127.0.0.2', '127.0.0.1'])
    expect(await textOf(await post(client, peer.url).response)).toBe('here')
    const nowhere = newClient(async () => [])
    expect(String(await rejection(post(nowhere, peer.url).response))).toContain('no address')
    const forbidden = newClient(() => Promise.reject(new Error('forbidden address')))
    expect(String(await rejection(post(forbidden, peer.url).response))).toContain('forbidden address')
  })
})

describe('a socket whose TLS handshake gets no response', () => {
  /** A server that accepts connections and sends nothing. Resolves with its first connection, which shows when the client closes it. */
  async function silent() {
    const accepted = Promise.withResolvers<Socket>()
    const closed = Promise.withResolvers<void>()
    const peer = await serve((socket) => {
      socket.once('close', () => closed.resolve())
      accepted.resolve(socket)
    })
    return { url: peer.url.replace('http:', 'https:'), accepted: accepted.promise, closed: closed.promise }
  }

  test('is closed when the handshake takes too long', async () => {
    const { url, accepted, closed } = await silent()
    const failed = rejection(post(newClient(), url).response)
    await accepted
    clock.ms += 5_001
    expect(String(await failed)).toContain('timed out')
    await closed
  })

  test('is closed at the same time if the vendor sends its handshake byte by byte', async () => {
    const closed = Promise.withResolvers<void>()
    let position = 0
    const peer = await serve((socket) => {
      socket.once('close', () => closed.resolve())
      // The head of a handshake record of 16 KiB, and then its bytes.
      const bytes = Buffer.alloc(16 * 1024, 2)
      bytes.set([0x16, 0x03, 0x03, 0x40, 0x00])
      const drip = (): void => {
        if (socket.destroyed) return
        socket.write(bytes.subarray(position, position + 1), () => {
          position += 1
          clock.ms += 100
          setImmediate(drip)
        })
      }
      drip()
    })
    expect(String(await rejection(post(newClient(), peer.url.replace('http:', 'https:')).response))).toContain('timed out')
    expect(position).toBeGreaterThan(40)
    await closed.promise
  })

  test('is closed when the request is ended', async () => {
    const { url, accepted, closed } = await silent()
    const outbound = post(newClient(), url)
    const failed = rejection(outbound.response)
    await accepted
    outbound.abort()
    await failed
    await closed
  })

  test('is closed when the client is', async () => {
    const { url, accepted, closed } = await silent()
    const client = newClient()
    const failed = rejection(post(client, url).response)
    await accepted
    client.close()
    await failed
    await closed
  })

  test.each(['is ended', 'takes too long'])('is closed behind a proxy too when the request %s', async (why) => {
    const accepted = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const proxy = await serve((socket, received) => {
      if (received.length === 0) return
      if (received.toString('latin1').endsWith('\r\n\r\n')) socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      else accepted.resolve()
      socket.once('close', () => closed.resolve())
    })
    const { host } = new URL(proxy.url)
    const request = { method: 'GET', headers: {}, body: null, isRepeatable: true } as const
    const outbound = newClient().send({ ...request, url: 'https://vendor.example/', proxy: `http://${host}` })
    const failed = rejection(outbound.response)
    await accepted.promise
    if (why === 'is ended') outbound.abort()
    else clock.ms += 5_001
    await failed
    await closed.promise
  })
})

describe('a response that breaks off', () => {
  const cases: Record<string, (socket: Socket) => void> = {
    'in its head': (socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: b'),
    'in a body of known length': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    'between chunks': (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
    'for another protocol that nobody asked for': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'),
    'as no HTTP at all': (socket) => socket.write('220 mail.example ESMTP\r\n'),
    'as no HTTP at all, without the end of a line': (socket) => socket.write('\x16\x03\x01'),
    'with a first line that is none': (socket) => socket.write('HTTP/1.1 OK\r\n'),
  }
  for (const [where, response] of Object.entries(cases)) {
    test(`${where} is a failure`, async () => {
      const peer = await serve(response)
      expect(await rejection(post(newClient(), peer.url).response.then(textOf))).toBeInstanceOf(Error)
    })
  }

  test('lasts until the connection closes if it has no length', async () => {
    const peer = await serve((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'))
    expect(await textOf(await post(newClient(), peer.url).response)).toBe('all of it')
  })
})

test('a large body is complete, however slowly it is read', async () => {
  const body = 'ä'.repeat(4 * 1024 * 1024)
  const peer = await serve((socket, received) => {
    const start = received.indexOf('\r\n\r\n') + 4
    if (received.length - start < Buffer.byteLength(body)) return
    socket.write(ok(createHash('sha256').update(received.subarray(start)).digest('hex')))
  })
  expect(await textOf(await post(newClient(), peer.url, body).response)).toBe(createHash('sha256').update(body).digest('hex'))
})

test('chunks of one byte are passed on in as many pieces as were received', async () => {
  const count = 200_000
  const peer = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`)
  })
  const response = await post(newClient(), peer.url).response
  let [pieces, length] = [0, 0]
  await new Promise<void>((resolve, reject) => {
    response.pipe({
      data(bytes) {
        pieces += 1
        length += bytes.length
      },
      end: resolve,
      fail: reject,
    })
  })
  expect(length).toBe(count)
  expect(pieces).toBeLessThan(1_000)
})

test('a body that is not read pauses the other side, and is complete', async () => {
  const total = 32 * 1024 * 1024
  const part = Buffer.alloc(1024 * 1024, 'x')
  let written = 0
  const peer = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`)
    const more = (): void => {
      while (written < total) {
        written += part.length
        if (socket.write(part)) continue
        socket.once('drain', more)
        return
      }
    }
    more()
  })
  const response = await post(newClient(), peer.url).response
  for (let turn = 0, before = -1; turn < 100 || written !== before; turn += 1) {
    before = written
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(written).toBeLessThan(total)
  expect((await textOf(response)).length).toBe(total)
})

describe('an upload', () => {
  const piece = Buffer.alloc(64 * 1024, 'x')
  let taken = 0
  const pieces = (count: number, byteLength = count * piece.length) => ({
    byteLength,
    async *chunks() {
      for (taken = 0; taken < count; taken += 1) yield piece
    },
  })
  const put = (client: UpstreamClient, url: string, body: ReturnType<typeof pieces>) =>
    client.send({ method: 'POST', url, headers: {}, body, isRepeatable: false, proxy: null })

  test('is complete, is not read faster than it is sent, and leaves the connection for the next request', async () => {
    const count = 512
    let length = 0
    const reading = Promise.withResolvers<Socket>()
    const server = createServer((socket) => {
      if (length > 0) throw new Error('the connection was not used again')
      socket.pause()
      socket.on('data', (bytes: Buffer) => {
        length += bytes.length - Math.max(0, bytes.indexOf('\r\n\r\n') + (bytes.includes('POST ') ? 4 : 0))
        if (length % (count * piece.length) === 0) socket.write(ok('done'))
      })
      reading.resolve(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    // Holds: a listening TCP server has such an address.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const client = newClient()
    const first = put(client, url, pieces(count))
    const socket = await reading.promise
    closing.push(() => socket.destroy())
    for (let turn = 0, before = -1; turn < 100 || taken !== before; turn += 1) {
      before = taken
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(taken).toBeLessThan(count / 2)
    socket.resume()
    expect(await textOf(await first.response)).toBe('done')
    expect(taken).toBe(count)
    expect(await textOf(await put(client, url, pieces(count)).response)).toBe('done')
  })

  test('whose response comes before its end succeeds, and its connection is closed', async () => {
    const peer = await serve((socket, received) => {
      if (received.length < 2 * piece.length) return
      socket.pause()
      socket.write(ok('no more'))
    })
    expect(await textOf(await put(newClient(), peer.url, pieces(1_000)).response)).toBe('no more')
    await new Promise((resolve) => peer.sockets[0]?.once('close', resolve).resume())
  })

  test('whose length differs from the announced one is a failure', async () => {
    const peer = await serve(() => {})
    const failed = await put(newClient(), peer.url, pieces(2, 3 * piece.length)).response.catch((error: unknown) => error)
    expect(failed).toMatchObject({ message: 'the body length does not match Content-Length' })
  })
})

test('a paused reader receives only what network buffers hold, and misses nothing', async () => {
  const part = Buffer.alloc(1024 * 1024, 'x')
  const total = 64
  let written = 0
  const stalled = Promise.withResolvers<void>()
  const peer = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total * part.length}\r\n\r\n`)
    const more = (): void => {
      while (written < total) {
        written += 1
        if (socket.write(part)) continue
        socket.once('drain', more)
        stalled.resolve()
        return
      }
    }
    more()
  })
  const response = await post(newClient(), peer.url).response
  response.pause()
  await stalled.promise
  expect(written).toBeLessThan(total)
  let length = 0
  await new Promise<void>((resolve, reject) => {
    response.pipe({
      data(bytes) {
        length += bytes.length
      },
      end: resolve,
      fail: reject,
    })
    response.resume()
  })
  expect(length).toBe(total * part.length)
})

test('an aborted request closes the connection at once, and its reader gets a failure', async () => {
  const closed = Promise.withResolvers<void>()
  const peer = await serve((socket) => {
    socket.once('close', () => closed.resolve())
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n')
  })
  const outbound = post(newClient(), peer.url)
  const response = await outbound.response
  const rest = textOf(response)
  outbound.abort()
  expect(await rejection(rest)).toBeInstanceOf(Error)
  await closed.promise
})

test('a request aborted before it is connected is never sent', async () => {
  const address = Promise.withResolvers<readonly string[]>()
  const peer = await serve((socket) => socket.write(ok('sent')))
  const outbound = post(
    newClient(() => address.promise),
    peer.url,
  )
  outbound.abort()
  expect(await rejection(outbound.response)).toBeInstanceOf(Error)
  address.resolve(['127.0.0.1'])
})

test('header bytes beyond ASCII are unchanged in both directions', async () => {
  const peer = await serve((socket, received) => {
    const length = received.indexOf('\r\n\r\n') + 4 + 2
    if (received.length < length) return
    const name = received.subarray(received.indexOf('x-name: ') + 8, received.indexOf('\r\nx-end'))
    const body = received.subarray(received.length - 2).toString('hex')
    socket.write(
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nx-body: ${body}\r\nx-name: `), name, Buffer.from('\r\ncontent-length: 0\r\n\r\n')]),
    )
  })
  const response = await post(newClient(), peer.url, 'ä', { 'x-name': 'caf\xe9 \xff', 'x-end': '' }).response
  expect([response.header('x-name'), response.header('x-body')]).toEqual(['caf\xe9 \xff', 'c3a4'])
})

test('a header with a line break, or an invalid address, is not sent', async () => {
  const peer = await serve((socket) => socket.write(ok('sent')))
  const client = newClient()
  for (const value of ['a\r\nb: c', 'a\0b', 'ключ'])
    expect(await rejection(post(client, peer.url, '{}', { key: value }).response)).toBeInstanceOf(TypeError)
  expect(await rejection(post(client, 'http://[').response)).toBeInstanceOf(TypeError)
  expect(peer.sockets).toHaveLength(0)
})

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it was not refused')
}
