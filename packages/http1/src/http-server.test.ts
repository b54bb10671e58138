import { afterAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import type { Socket as BunSocket } from 'bun'
import { createDeadlines, createRoom, systemClock } from '../test/deadlines.ts'
import { type Arrived, startHttpServer } from './http-server.ts'
import type { ResponseStream, ServerResponse } from './response.ts'

// A real server on loopback, and clients that write raw bytes.

const clock = systemClock
const reported: unknown[] = []
const timeouts = { keepMs: 60_000, headMs: 60_000, stallMs: 60_000 }
const messageBytesMax = 1024 * 1024
const closing: Array<() => void> = []
afterAll(() => {
  for (const close of closing) close()
  expect(reported).toEqual([])
})

function serve(respond: (arrived: Arrived) => Promise<ServerResponse> | ServerResponse, own: Partial<typeof timeouts> = {}) {
  const deadlines = createDeadlines(clock)
  const server = startHttpServer({
    port: 0,
    host: '127.0.0.1',
    respond: async (arrived) => await respond(arrived),
    clock,
    deadlines,
    timeouts: { ...timeouts, ...own },
    messageBytesMax,
    longMessages: createRoom(clock, deadlines, messageBytesMax),
    report: (error) => reported.push(error),
  })
  closing.push(server.cut)
  return server
}

const plain = (body: string, status = 200): ServerResponse => ({ status, headers: { 'content-type': 'text/plain' }, body })

/** Responds with what it received. */
const echo = async ({ request }: Arrived): Promise<ServerResponse> => {
  const body = request.body === null ? 'none' : Buffer.from(await request.body.bytes()).toString()
  return plain(`${request.method} ${request.url} ${request.headers.get('x-one') ?? '-'} ${body}`)
}

/** A client that sends raw bytes. `ended` resolves when the server has closed the connection. */
function client(port: number) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  const until = async (isSo: (text: string) => boolean): Promise<string> => {
    while (!isSo(text)) await new Promise(setImmediate)
    return text
  }
  return { socket, ended, until, say: (bytes: string | Uint8Array) => socket.write(bytes), text: () => text }
}

/** A request whose body is one chunk with this size line. */
const chunked = (line: string): string =>
  `POST /b HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${line}\r\nx\r\n0\r\n\r\n`

const count = (text: string, part: string): number => text.split(part).length - 1

/** The body of the last response. */
const bodyOf = (text: string): string => text.slice(text.lastIndexOf('\r\n\r\n') + 4)

async function once(port: number, bytes: string | Uint8Array): Promise<string> {
  const { say, ended } = client(port)
  say(bytes)
  return await ended
}

describe('requests', () => {
  const server = serve(echo)

  test('of one connection get their responses in order, whatever the form of their bodies', async () => {
    const { say, until } = client(server.port)
    say('GET /a?b=c HTTP/1.1\r\nhost: x\r\nX-One: 1\r\nx-one: 2\r\n\r\n')
    expect(bodyOf(await until((text) => text.includes('none')))).toBe('GET /a?b=c 1, 2 none')
    say('POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello')
    expect(bodyOf(await until((text) => text.includes('hello')))).toBe('POST /b - hello')
    say(
      'PUT /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nthe\r\nA ;x\r\n chunks ar\r\n1\r\ne\r\n0\r\nx-late: 1\r\n\r\n',
    )
    expect(bodyOf(await until((text) => text.includes('PUT')))).toBe('PUT /c - the chunks are')
  })

  test('that are sent before the previous response wait for it', async () => {
    const { say, until } = client(server.port)
    say(Array.from({ length: 50 }, (_, index) => `POST /${index} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nok`).join(''))
    const text = await until((so) => count(so, 'HTTP/1.1 200') === 50 && so.endsWith('/49 - ok'))
    expect([...text.matchAll(/POST \/(\d+)/g)].map(([, index]) => Number(index))).toEqual(Array.from({ length: 50 }, (_, index) => index))
  })

  test('are the same however their bytes are split', async () => {
    const bytes = Buffer.from(
      'POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhelloPUT /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nthe\r\n4\r\nrest\r\n0\r\n\r\nGET /d HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    )
    for (const size of [1, 2, 3, 7, 19, 64]) {
      const { socket, ended } = client(server.port)
      for (let at = 0; at < bytes.length; at += size) {
        await new Promise<void>((resolve) => socket.write(bytes.subarray(at, at + size), () => setImmediate(resolve)))
      }
      const text = await ended
      expect([
        count(text, 'HTTP/1.1 200'),
        count(text, 'POST /b - hello'),
        count(text, 'PUT /c - therest'),
        count(text, 'GET /d - none'),
      ]).toEqual([4 - 1, 1, 1, 1])
    }
  })

  test.each([
    ['an HTTP/1.0 client gets its answer and the end of the connection', 'GET / HTTP/1.0\r\n\r\n', 'GET / - none'],
    ['an absolute address, as sent to proxies', 'GET http://x/a?b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 'GET /a?b - none'],
    ['an absolute address without a path', 'GET http://x?b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 'GET /?b - none'],
    ['characters beyond ASCII', Buffer.from('GET /ä HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), 'GET /%c3%a4 - none'],
    ['an empty line before it', '\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 'GET / - none'],
    [
      'a chunk extension with a signature',
      chunked('1;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'),
      'POST /b - x',
    ],
    ['whitespace around values', 'GET / HTTP/1.1\r\nhost:\t x \r\nx-one: \t a \t\r\nconnection: \tclose \r\n\r\n', 'GET / a none'],
    ['an empty host', 'GET / HTTP/1.1\r\nhost: \r\nconnection: close\r\n\r\n', 'GET / - none'],
  ])('%s', async (_, bytes, body) => {
    const text = await once(server.port, bytes)
    expect([text.slice(0, 15), bodyOf(text)]).toEqual(['HTTP/1.1 200 OK', body])
  })

  test('with an absolute address are for its host', async () => {
    const hosts = serve(({ request }) => plain(request.headers.get('host') ?? ''))
    const text = await once(hosts.port, 'GET http://a:81/ HTTP/1.1\r\nx-a: b\r\nHost: other\r\nconnection: close\r\n\r\n')
    expect(bodyOf(text)).toBe('a:81')
  })

  test('with an asterisk as address keep it', async () => {
    const text = await once(server.port, 'OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(bodyOf(text)).toBe('OPTIONS /* - none')
  })

  test('with a connection token that only contains close keep the connection open', async () => {
    const { say, until } = client(server.port)
    for (const path of ['/a', '/b']) {
      say(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: x-close, not-close\r\n\r\n`)
      await until((text) => text.endsWith(`GET ${path} - none`))
    }
  })

  test('of HEAD get responses without a body', async () => {
    const text = await once(server.port, 'HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(text).toContain('content-length: 13\r\n')
    expect(bodyOf(text)).toBe('')
  })

  test('that expect 100 Continue get it when the body is read', async () => {
    const { say, until } = client(server.port)
    say('POST /b HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n')
    expect(await until((text) => text.endsWith('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    say('hello')
    await until((text) => text.endsWith('POST /b - hello'))
  })
})

describe('an invalid request is refused, and ends the connection', () => {
  const seen: string[] = []
  const server = serve(async (arrived) => {
    seen.push(arrived.request.url)
    await arrived.request.body?.bytes()
    return plain('a response')
  })
  const post = 'POST / HTTP/1.1\r\nhost: x\r\n'

  test.each([
    ['no request line', 'hello\r\n\r\n', 400],
    ['another version', 'GET / HTTP/2.0\r\nhost: x\r\n\r\n', 505],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nhost : x\r\n\r\n', 400],
    ['a header over two lines', 'GET / HTTP/1.1\r\nhost: x\r\nx-a: b\r\n c\r\n\r\n', 400],
    ['lines that end in LF', 'GET / HTTP/1.1\nhost: x\r\n\r\n', 400],
    ['a CR alone', 'GET / HTTP/1.1\r\nhost: x\ry: z\r\n\r\n', 400],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\0\r\n\r\n', 400],
    ['an invalid address', 'GET a HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['an asterisk as address', 'GET * HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a host with a space', 'GET / HTTP/1.1\r\nhost: a b\r\n\r\n', 400],
    ['a host with a path', 'GET / HTTP/1.1\r\nhost: a/b\r\n\r\n', 400],
    ['a host with a login', 'GET / HTTP/1.1\r\nhost: a@b\r\n\r\n', 400],
    ['a host with an invalid port', 'GET / HTTP/1.1\r\nhost: a:b\r\n\r\n', 400],
    ['a host with a port above 65535', 'GET / HTTP/1.1\r\nhost: a:65536\r\n\r\n', 400],
    ['a host beyond ASCII', Buffer.from('GET / HTTP/1.1\r\nhost: \xe9\r\n\r\n', 'latin1'), 400],
    ['an address with a login', 'GET http://a@b/ HTTP/1.1\r\nhost: b\r\n\r\n', 400],
    ['an address without a host', 'GET http:///a HTTP/1.1\r\nhost: b\r\n\r\n', 400],
    ['a coding behind a space that is none', Buffer.from(`${post}transfer-encoding:\xa0chunked\r\n\r\n0\r\n\r\n`, 'latin1'), 501],
    ['a length behind a space that is none', Buffer.from(`${post}content-length:\xa01\r\n\r\na`, 'latin1'), 400],
    ['a chunk with a space behind its size', `${post}transfer-encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n`, 400],
    ['an extension with a CR', `${post}transfer-encoding: chunked\r\n\r\n1;a\rb\r\na\r\n0\r\n\r\n`, 400],
    ['an extension with a NUL', `${post}transfer-encoding: chunked\r\n\r\n1;a\0\r\na\r\n0\r\n\r\n`, 400],
    ['a long extension', `${post}transfer-encoding: chunked\r\n\r\n1;${'a'.repeat(300)}\r\na\r\n0\r\n\r\n`, 400],
    ['very many extensions', `${post}transfer-encoding: chunked\r\n\r\n${`1;${'a'.repeat(100)}\r\na\r\n`.repeat(200)}0\r\n\r\n`, 400],
    ['a trailer that is not a field', `${post}transfer-encoding: chunked\r\n\r\n0\r\nhello\r\n\r\n`, 400],
    ['a trailer with a NUL', `${post}transfer-encoding: chunked\r\n\r\n0\r\na: \0\r\n\r\n`, 400],
    ['two lengths', `${post}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
    ['a length with a sign', `${post}content-length: +1\r\n\r\na`, 400],
    ['a negative length', `${post}content-length: -1\r\n\r\na`, 400],
    ['a length and chunks', `${post}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['chunks from an HTTP/1.0 client', 'POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['another transfer coding', `${post}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
    ['a head without an end', `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(70_000)}`, 431],
    ['a long head', `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
    ['a chunk without a size', `${post}transfer-encoding: chunked\r\n\r\n\r\na\r\n0\r\n\r\n`, 400],
    ['a chunk with an invalid size', `${post}transfer-encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n`, 400],
    ['a chunk with too many digits in its size', `${post}transfer-encoding: chunked\r\n\r\n${'f'.repeat(16)}\r\na`, 400],
    ['a chunk that is longer than its size', `${post}transfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`, 400],
    ['a chunk whose line ends in LF', `${post}transfer-encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`, 400],
    ['trailers without an end', `${post}transfer-encoding: chunked\r\n\r\n0\r\n${'x-a: b\r\n'.repeat(3_000)}`, 400],
  ])('%s', async (_, bytes, status) => {
    const next = Buffer.from('GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n')
    const text = await once(server.port, Buffer.concat([Buffer.from(bytes), next]))
    expect(text.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    expect(text).toContain('connection: close\r\n')
    expect(count(text, 'HTTP/1.1 ')).toBe(1)
    expect(seen).not.toContain('/smuggled')
  })

  test('empty lines before a head, however slowly they drip', async () => {
    const slow = serve(echo, { headMs: 300 })
    const { socket, say, ended } = client(slow.port)
    let isOver = false
    const dripping = (async () => {
      for (let at = 0; !isOver; at += 1, await new Promise((resolve) => setTimeout(resolve, 20)))
        if (socket.writable) say('\r\n'.charAt(at % 2))
    })()
    expect(await ended).toBe('')
    isOver = true
    await dripping
  })

  test('a head that does not arrive in time', async () => {
    const slow = serve(echo, { headMs: 300 })
    const [begun, silent] = [client(slow.port), client(slow.port)]
    begun.say('GET / HTTP/1.1\r\nhost:')
    expect(await begun.ended).toStartWith('HTTP/1.1 408 ')
    expect(await silent.ended).toBe('')
  })
})

describe('an idle connection', () => {
  /** How the server ends a connection: in order, or by a reset. */
  const endOf = (socket: Socket): Promise<string> =>
    new Promise((resolve) => socket.on('end', () => resolve('end')).on('error', ({ message }) => resolve(message)))

  test('is kept for the time that is set, and then ended without a reset', async () => {
    const server = serve(echo, { keepMs: 300 })
    const { socket, say, until, ended } = client(server.port)
    const end = endOf(socket)
    say('GET /one HTTP/1.1\r\nhost: x\r\n\r\n')
    await until((text) => bodyOf(text) !== '')
    expect(await end).toBe('end')
    await ended
  })

  test('on which no request has come is ended without a reset', async () => {
    const server = serve(echo, { headMs: 300 })
    const { socket, ended } = client(server.port)
    expect(await endOf(socket)).toBe('end')
    await ended
  })

  test('is cut if the client does not end its side either', async () => {
    const server = serve(echo, { headMs: 300 })
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    const reset = new Promise<string>((resolve) => socket.on('error', ({ message }) => resolve(message)))
    expect(await endOf(socket)).toBe('end')
    // Written to a connection that is gone.
    const writing = setInterval(() => socket.write('x'), 10)
    expect(await reset).toMatch(/ECONNRESET|EPIPE/)
    clearInterval(writing)
  })
})

describe('responses', () => {
  test('are those of a Response, with each of its cookies and without headers that only the server sets', async () => {
    const headers = new Headers({ 'x-a': 'b', 'content-length': '99' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    const server = serve(() => new Response('hello', { status: 418, headers }))
    const text = await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 418 I'm a Teapot\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
    for (const line of ['x-a: b', 'set-cookie: a=1', 'set-cookie: b=2', 'content-length: 5']) expect(text).toContain(`\r\n${line}\r\n`)
    expect(bodyOf(text)).toBe('hello')
  })

  test('with a status that excludes a body have no body and no length', async () => {
    const server = serve(() => new Response(null, { status: 204 }))
    const text = await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(text).toStartWith('HTTP/1.1 204 No Content\r\n')
    expect(text).not.toMatch(/content-length|transfer-encoding/)
  })

  test('in parts are sent in chunks, and to HTTP/1.0 clients until the end of the connection', async () => {
    const server = serve(() => ({
      status: 200,
      headers: {},
      body(stream) {
        stream.write(Buffer.from('one'))
        queueMicrotask(() => {
          stream.write(Buffer.from('seventeen letters'))
          stream.end()
        })
      },
    }))
    const { say, until } = client(server.port)
    say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await until((text) => text.endsWith('0\r\n\r\n'))).toEndWith('\r\n\r\n3\r\none\r\n11\r\nseventeen letters\r\n0\r\n\r\n')
    say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await until((text) => count(text, '0\r\n\r\n') === 2)
    const older = await once(server.port, 'GET / HTTP/1.0\r\n\r\n')
    expect([bodyOf(older), older.includes('chunked')]).toEqual(['oneseventeen letters', false])
    const head = await once(server.port, 'HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(bodyOf(head)).toBe('')
  })

  test('in parts of a known length declare it, and keep the connection open', async () => {
    const server = serve(() => ({
      status: 200,
      headers: {},
      length: 6,
      body(stream) {
        stream.write(Buffer.from('one'))
        queueMicrotask(() => {
          stream.write(Buffer.from('two'))
          stream.end()
        })
      },
    }))
    const { say, until } = client(server.port)
    for (const responses of [1, 2]) {
      say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      const text = await until((text) => count(text, 'onetwo') === responses)
      expect([count(text, 'content-length: 6\r\n'), text.includes('chunked')]).toEqual([responses, false])
    }
    const head = await once(server.port, 'HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect([head.includes('content-length: 6\r\n'), bodyOf(head)]).toEqual([true, ''])
    const older = await once(server.port, 'GET / HTTP/1.0\r\n\r\n')
    expect(bodyOf(older)).toBe('onetwo')
  })

  test.each([
    ['fewer', 'one', 'one'],
    ['more', 'one and more', ''],
  ])('in parts with %s bytes than declared are broken off', async (_, data, arrives) => {
    const server = serve(() => ({
      status: 200,
      headers: {},
      length: 6,
      body(stream) {
        stream.write(Buffer.from(data))
        stream.write(Buffer.from(''))
        stream.end()
      },
    }))
    // A connection that stayed open would not end.
    const text = await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(bodyOf(text)).toBe(arrives)
  })

  test('that break off have no last chunk', async () => {
    const server = serve(() => ({
      status: 200,
      headers: {},
      body(stream) {
        stream.write(Buffer.from('one'))
        stream.reset()
        stream.write(Buffer.from('never'))
        stream.end()
      },
    }))
    const text = await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(text).not.toContain('0\r\n\r\n')
    expect(text).not.toContain('never')
  })

  test('wait for a client that does not read them, and continue when it does', async () => {
    let stream: ResponseStream | null = null
    let drained = 0
    const server = serve(() => ({
      status: 200,
      headers: {},
      body(opened) {
        stream = opened
        opened.drained = () => {
          drained += 1
          opened.end()
        }
      },
    }))
    const socket: Socket = connect(server.port, '127.0.0.1')
    socket.pause()
    socket.write('GET / HTTP/1.0\r\n\r\n')
    const out = await new Promise<ResponseStream>((resolve) => {
      const look = (): void => void (stream === null ? setImmediate(look) : resolve(stream))
      look()
    })
    let writtenBytes = 0
    const part = Buffer.alloc(64 * 1024, 'x')
    for (let takes = true; takes; writtenBytes += part.length) takes = out.write(part)
    out.write(Buffer.from('the end'))
    expect(drained).toBe(0)
    let length = 0
    let last = ''
    socket.resume()
    socket.on('data', (bytes) => {
      length += bytes.length
      last = bytes.toString('latin1').slice(-7)
    })
    await new Promise((resolve) => socket.on('close', resolve))
    expect([last, length > writtenBytes, drained]).toEqual(['the end', true, 1])
  })

  test('that nobody takes for too long are aborted, and their signal too', async () => {
    const aborted = Promise.withResolvers<void>()
    const server = serve(
      ({ request }) => {
        request.signal.addEventListener('abort', aborted.resolve)
        return {
          status: 200,
          headers: {},
          body(stream) {
            while (stream.write(Buffer.alloc(64 * 1024)));
          },
        }
      },
      { stallMs: 300 },
    )
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await aborted.promise
    socket.destroy()
  })

  test('that are sent before all of a long body has arrived reach the client, which still sends', async () => {
    const server = serve(({ request }) => {
      request.body?.cancel()
      return plain('enough', 413)
    })
    const { socket, say, ended } = client(server.port)
    say(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${20 * 1024 * 1024}\r\n\r\n`)
    const part = Buffer.alloc(256 * 1024)
    for (let at = 0; at < 20 && socket.writable; at += 1) say(part)
    expect(await ended).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*enough$/)
  })
})

describe('responses that cannot be sent as they were made', () => {
  const latin = 'attachment; filename="\xe9.txt"'

  test('have bytes beyond ASCII in headers unchanged, and bodies in UTF-8', async () => {
    const bodies = ['ä', Buffer.from('ä'), 'a'.repeat(70_000)]
    for (const body of bodies) {
      const server = serve(() => ({ status: 200, headers: { 'content-disposition': latin }, body }))
      const text = await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      expect(text).toContain(`\r\ncontent-disposition: ${latin}\r\n`)
      expect(Buffer.from(bodyOf(text), 'latin1').toString()).toBe(body.toString())
    }
    const server = serve(() => ({
      status: 200,
      headers: { 'content-disposition': latin },
      body(stream) {
        stream.write(Buffer.from('ä'))
        stream.end()
      },
    }))
    expect(await once(server.port, 'GET / HTTP/1.0\r\n\r\n')).toContain(`\r\ncontent-disposition: ${latin}\r\n`)
  })

  const broken = { 'x-a': 'b\r\nc: d' }
  test.each<[string, () => ServerResponse]>([
    ['a whole answer', () => ({ status: 200, headers: broken, body: 'x' })],
    ['an answer in parts', () => ({ status: 200, headers: broken, body: () => {} })],
    [
      'an answer whose maker fails',
      () => {
        throw new Error('no answer')
      },
    ],
    ['a Response whose body fails', () => new Response(new ReadableStream({ pull: () => Promise.reject(new Error('no body')) }))],
  ])('%s ends with an error, for the client and for the handler', async (_, respond) => {
    const aborted = Promise.withResolvers<void>()
    const server = serve(({ request }) => {
      request.signal.addEventListener('abort', aborted.resolve)
      return respond()
    })
    const text = await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(text).toStartWith('HTTP/1.1 500 ')
    expect(text).not.toContain('c: d')
    await aborted.promise
    expect(reported.splice(0)).toHaveLength(1)
    await server.stop()
  })

  test('in parts are made even after the client has disconnected, so that their maker can finish', async () => {
    const written = Promise.withResolvers<boolean>()
    const arrived = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const server = serve(async ({ request }) => {
      request.signal.addEventListener('abort', left.resolve)
      arrived.resolve()
      await left.promise
      return { status: 200, headers: {}, body: (stream) => written.resolve(stream.write(Buffer.from('x'))) }
    })
    const { socket, say } = client(server.port)
    say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await arrived.promise
    socket.resetAndDestroy()
    expect(await written.promise).toBe(true)
  })
})

describe('a client that sends nothing more', () => {
  /** A client that ends its sending side after its requests, and still reads. */
  function ending(port: number, bytes: string): Promise<string> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (part) => {
      text += part.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.end(bytes)
    return new Promise((resolve) => socket.on('close', () => resolve(text)).on('end', () => socket.destroy()))
  }

  const later = (response: ServerResponse) => async (): Promise<ServerResponse> => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return response
  }

  test('gets all of its responses, whole or in parts', async () => {
    const whole = serve(later(plain('the answer')))
    const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
    expect(count(await ending(whole.port, request.repeat(2)), 'the answer')).toBe(2)
    expect(await ending(whole.port, 'GET / HTTP/1.0\r\n\r\n')).toEndWith('the answer')
    const parts = serve(() => ({
      status: 200,
      headers: {},
      body(stream) {
        stream.write(Buffer.from('one'))
        setTimeout(() => {
          stream.write(Buffer.from('seventeen letters'))
          stream.end()
        }, 50)
      },
    }))
    const text = await ending(parts.port, request)
    expect(bodyOf(text.slice(0, -4))).toMatch(/^3\r\none\r\n0?11\r\nseventeen letters\r\n0+$/)
  })

  test('and has disconnected is noticed at once, before its response and within it', async () => {
    for (const isBegun of [false, true]) {
      const aborted = Promise.withResolvers<void>()
      const arrived = Promise.withResolvers<void>()
      const server = serve(async ({ request }) => {
        request.signal.addEventListener('abort', aborted.resolve)
        arrived.resolve()
        if (!isBegun) await aborted.promise
        return { status: 200, headers: {}, body: (stream) => void stream.write(Buffer.from('x')) }
      })
      const { socket, say, until } = client(server.port)
      say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      await arrived.promise
      if (isBegun) await until((text) => text.endsWith('x\r\n'))
      socket.destroy()
      await aborted.promise
    }
  })

  test('in the middle of a body gets an error', async () => {
    const read = Promise.withResolvers<unknown>()
    const server = serve(async ({ request }) => {
      await request.body?.bytes().then(read.resolve, read.reject)
      return plain('')
    })
    const respond = ending(server.port, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhello')
    await expect(read.promise).rejects.toThrow('broke off')
    expect(await respond).toStartWith('HTTP/1.1 400 ')
    reported.length = 0
  })
})

describe('a client that leaves', () => {
  test('before its response is complete aborts the signal, once', async () => {
    let aborts = 0
    const arrived = Promise.withResolvers<void>()
    const known = Promise.withResolvers<void>()
    const server = serve(async ({ request }) => {
      request.signal.addEventListener('abort', () => {
        aborts += 1
        known.resolve()
      })
      arrived.resolve()
      await known.promise
      return plain('too late')
    })
    const { socket, say } = client(server.port)
    say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await arrived.promise
    socket.destroy()
    await known.promise
    expect(aborts).toBe(1)
  })

  test('in the middle of its body breaks it off for the reader', async () => {
    const read = Promise.withResolvers<unknown>()
    const arrived = Promise.withResolvers<void>()
    const server = serve(async ({ request }) => {
      arrived.resolve()
      await request.body?.bytes().then(read.resolve, read.reject)
      return plain('')
    })
    const { socket, say } = client(server.port)
    say('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhello')
    await arrived.promise
    socket.resetAndDestroy()
    await expect(read.promise).rejects.toThrow()
    reported.length = 0
  })
})

describe('a long body', () => {
  test('that nobody reads is not received from the client', async () => {
    const read = Promise.withResolvers<void>()
    const server = serve(async ({ request }) => {
      await read.promise
      let length = 0
      for (let bytes = await request.body?.read(); bytes; bytes = await request.body?.read()) length += bytes.length
      return plain(String(length))
    })
    const length = 32 * 1024 * 1024
    const rest = [Buffer.from(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`), Buffer.alloc(length)]
    let taken = 0
    const ended = Promise.withResolvers<string>()
    /** Writes as much as the network takes, and counts it. */
    function write(socket: BunSocket): void {
      for (let [next] = rest; next !== undefined; [next] = rest) {
        const written = socket.write(next)
        taken += Math.max(0, written)
        if (written < next.length) {
          rest[0] = next.subarray(Math.max(0, written))
          return
        }
        rest.shift()
      }
    }
    await Bun.connect({
      hostname: '127.0.0.1',
      port: server.port,
      socket: { open: write, drain: write, data: (_, bytes) => ended.resolve(bytes.toString()) },
    })
    // Until no more bytes are taken.
    for (let before = -1; taken === 0 || taken !== before; await new Promise((resolve) => setTimeout(resolve, 50))) before = taken
    expect(taken).toBeLessThan(length / 2)
    read.resolve()
    expect(bodyOf(await ended.promise)).toBe(String(length))
  })
})

describe('a server that winds down', () => {
  test('ends connections with the responses that begin from then on', async () => {
    const gate = Promise.withResolvers<void>()
    const server = serve(async ({ request }) => {
      if (request.url !== '/parts') return plain('whole')
      return {
        status: 200,
        headers: {},
        body(stream) {
          stream.write(Buffer.from('begun'))
          void gate.promise.then(() => stream.end())
        },
      }
    })
    const { say, until, ended } = client(server.port)
    say('GET /parts HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await until((text) => text.includes('begun'))).not.toContain('connection: close')
    server.windDown()
    gate.resolve()
    await until((text) => text.endsWith('0\r\n\r\n'))
    // The head of the response said that the connection stays open.
    say('GET /whole HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await ended).toMatch(/connection: close\r\n\r\nwhole$/)
    await server.stop()
  })

  test('closes a connection after a response that ends when the server has stopped', async () => {
    const gate = Promise.withResolvers<void>()
    const server = serve(() => ({
      status: 200,
      headers: {},
      body(stream) {
        stream.write(Buffer.from('begun'))
        void gate.promise.then(() => stream.end())
      },
    }))
    const { say, until, ended } = client(server.port)
    say('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await until((text) => text.includes('begun'))
    server.windDown()
    const stopped = server.stop()
    gate.resolve()
    expect(await ended).toEndWith('0\r\n\r\n')
    await stopped
  })
})

describe('a server that stops', () => {
  test('closes idle connections at once, and the others after their response', async () => {
    const gate = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const server = serve(async ({ request }) => {
      if (request.url !== '/slow') return plain('quick')
      arrived.resolve()
      await gate.promise
      return plain('slow')
    })
    const [resting, running] = [client(server.port), client(server.port)]
    resting.say('GET /quick HTTP/1.1\r\nhost: x\r\n\r\n')
    await resting.until((text) => text.endsWith('quick'))
    running.say('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
    await arrived.promise
    const stopped = server.stop()
    await resting.ended
    gate.resolve()
    expect(await running.ended).toMatch(/connection: close\r\n\r\nslow$/)
    await stopped
    expect(await once(server.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('')
  })

  test('cannot start on a port that is in use, and reports it', () => {
    const server = serve(echo)
    expect(() =>
      startHttpServer({
        port: server.port,
        host: '127.0.0.1',
        respond: echo,
        clock,
        deadlines: createDeadlines(clock),
        timeouts,
        messageBytesMax,
        longMessages: createRoom(clock, createDeadlines(clock), messageBytesMax),
        report: () => undefined,
      }),
    ).toThrow(`port ${server.port} is in use by another program`)
  })
})
