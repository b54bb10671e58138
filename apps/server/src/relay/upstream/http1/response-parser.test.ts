import { describe, expect, test } from 'bun:test'
import { MalformedMessage } from '@sluice/http1/message-body'
import fc from 'fast-check'
import { ResponseParser } from './response-parser.ts'

/** All events of a parser for bytes given in pieces; `closed`: the connection closes after them. */
function read(pieces: readonly Buffer[], isClosed = false) {
  const responses: { status: number; one: string | null; body: string; end: boolean | null }[] = []
  const parser = new ResponseParser({
    head: (head) => responses.push({ status: head.status, one: head.header('x-one'), body: '', end: null }),
    data(bytes) {
      const last = responses.at(-1)
      if (last !== undefined) last.body += Buffer.from(bytes).toString('latin1')
    },
    end(isReusable) {
      const last = responses.at(-1)
      if (last !== undefined) last.end = isReusable
    },
  })
  for (const piece of pieces) parser.push(piece)
  if (isClosed) parser.close()
  return responses
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** The bytes split at the given positions. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const starts = [0, ...ends]
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length))
}

const bodyText = fc.string({ unit: 'binary', maxLength: 400 }).map((text) => Buffer.from(text).toString('latin1'))
const places = fc.array(fc.nat(2_000), { maxLength: 30 })

test('a response is the same however its bytes are split', () => {
  const delimited = fc.record({
    body: bodyText,
    isChunked: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
  })
  fc.assert(
    fc.property(delimited, places, ({ body, isChunked, sizes }, at) => {
      const head = `HTTP/1.1 200 OK\r\nX-One: 1\r\nx-one: 2\r\n`
      const message = isChunked
        ? `${head}Transfer-Encoding: chunked\r\n\r\n${chunks(body, sizes)}0\r\nx-trailer: 1\r\n\r\n`
        : `${head}Content-Length: ${body.length}\r\n\r\n${body}`
      expect(read(cut(bytesOf(message), at))).toMatchObject([{ status: 200, one: '1, 2', body, end: true }])
    }),
    { verbose: true },
  )
})

function chunks(body: string, sizes: readonly number[]): string {
  let text = ''
  for (let start = 0, turn = 0; start < body.length; turn++) {
    const part = body.slice(start, start + (sizes[turn % sizes.length] ?? 1))
    text += `${part.length.toString(16)}${turn % 2 === 0 ? '' : ';name="value"'}\r\n${part}\r\n`
    start += part.length
  }
  return text
}

test('malformed bytes only throw MalformedMessage', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), places, (text, at) => {
      try {
        read(cut(bytesOf(text), at), true)
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage)
      }
    }),
    { verbose: true },
  )
})

describe('a response', () => {
  const whole = (text: string, isClosed = false) => read([bytesOf(text)], isClosed)

  test('without a length lasts until the connection closes', () => {
    expect(whole('HTTP/1.1 200 OK\r\n\r\nall of it', true)).toMatchObject([{ body: 'all of it', end: false }])
  })

  test('may have no body at all', () => {
    expect(whole('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject([{ status: 204, body: '', end: true }])
    expect(whole('HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n')).toMatchObject([{ status: 200, body: '', end: true }])
  })

  test('comes after informational responses', () => {
    const hints = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'
    expect(whole(`${hints}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`)).toMatchObject([{ status: 200, body: 'ok', end: true }])
  })

  test('that switches protocols lasts as long as the connection', () => {
    expect(whole('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\nabc', true)).toMatchObject([
      { status: 101, body: 'abc', end: false },
    ])
  })

  test('with an ambiguous end, or with `Connection: close`, closes its connection', () => {
    const body = 'content-length: 2\r\n\r\nok'
    expect(whole(`HTTP/1.1 200 OK\r\nConnection: Close\r\n${body}`)).toMatchObject([{ end: false }])
    expect(whole(`HTTP/1.0 200 OK\r\n${body}`)).toMatchObject([{ end: false }])
    expect(whole(`HTTP/1.1 200 OK\r\n${body}and more`)).toMatchObject([{ body: 'ok', end: false }])
    const both = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'
    expect(whole(both)).toMatchObject([{ body: 'ok', end: false }])
  })

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['another version', 'HTTP/2 200\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a coding that nobody asked for', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n'],
    ['informational responses without an end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3_000)],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
  ])('is refused for %s', (_, text) => {
    expect(() => whole(text)).toThrow(MalformedMessage)
  })

  test('that breaks off is an error', () => {
    for (const text of [
      'HTTP/1.1 200',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    ])
      expect(() => whole(text, true)).toThrow(MalformedMessage)
  })
})
