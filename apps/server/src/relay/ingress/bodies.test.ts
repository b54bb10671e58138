import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { contract } from '@sluice/contract'
import fc from 'fast-check'
import { type TestApp, testApp } from '../../../test/app.ts'

const bodyBytesMax = 4 * 1024 * 1024

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp({ env: { BODY_BYTES_MAX: String(bodyBytesMax), BODY_TIMEOUT_MS: '1000' } })
  key = (await app.make.token(await app.make.user({ quota: 1_000_000_000_000 }))).key
  const id = await app.make.channel()
  await app.data(contract.channel.update, { id, allowed_members: 'filler,a,b,c,constructor,m' })
})
afterAll(() => app.close())

// A request refused for its body is not sent to a vendor, costs nothing and leaves no reservation.
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const hello = { model: 'gpt-4o-mini', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }
const helloText = JSON.stringify(hello)

type Body = Uint8Array<ArrayBuffer> | string | ReadableStream

const chat = (body: Body, headers: Readonly<Record<string, string>> = {}) =>
  app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  })

/** Status and code; checks that the error has the API's format. */
async function responseTo(body: Body, headers: Readonly<Record<string, string>> = {}): Promise<readonly [number, string | null]> {
  const response = await chat(body, headers)
  // Holds: every response of this route is JSON here; the next line fails for an error in another format.
  const got = (await response.json()) as { readonly error?: { readonly code: string; readonly message: string } }
  if (response.status !== 200) expect(got.error?.message).toBeString()
  return [response.status, got.error?.code ?? null]
}

const upstreamBody = (): Readonly<Record<string, unknown>> => JSON.parse(app.upstream.received.at(-1)?.body ?? '')

function packed(text: string | Uint8Array, coding: string): Uint8Array<ArrayBuffer> {
  // The highest Brotli level takes seconds and is not what is tested.
  const brotli = (bytes: string | Uint8Array): Buffer => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
  const pack = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotli, zstd: zstdCompressSync }[coding]
  return Uint8Array.from(pack?.(text) ?? [])
}

/** A chunked body without a length. */
function streamed(bytes: Uint8Array, times = 1): ReadableStream {
  let left = times
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close()
      left -= 1
      controller.enqueue(bytes)
    },
  })
}

describe('A compressed body', () => {
  for (const coding of ['gzip', 'x-gzip', 'deflate', 'br', 'zstd']) {
    test(`in ${coding} is read, and forwarded uncompressed`, async () => {
      expect(await responseTo(packed(helloText, coding), { 'content-encoding': coding })).toEqual([200, null])
      expect(upstreamBody()).toEqual(hello)
      expect(app.upstream.received.at(-1)?.headers['content-encoding']).toBeUndefined()
    })

    test(`in ${coding} that decompresses to too much is refused and needs no memory (F25 for requests)`, async () => {
      const bomb = packed(new Uint8Array(64 * 1024 * 1024).fill(0x20), coding)
      const before = process.memoryUsage.rss()
      expect(await responseTo(bomb, { 'content-encoding': coding })).toEqual([413, 'body_too_large'])
      expect(process.memoryUsage.rss() - before).toBeLessThan(2 * bodyBytesMax + 32 * 1024 * 1024)
    })
  }

  test('that is corrupt, truncated or in an unknown coding is refused', async () => {
    expect(await responseTo(helloText, { 'content-encoding': 'gzip' })).toEqual([400, 'encoding_invalid'])
    expect(await responseTo(packed(helloText, 'gzip').slice(0, 30), { 'content-encoding': 'gzip' })).toEqual([400, 'encoding_invalid'])
    expect(await responseTo(packed(helloText, 'gzip'), { 'content-encoding': 'gzip, gzip' })).toEqual([415, 'unsupported_encoding'])
    expect(await responseTo(helloText, { 'content-encoding': 'rot13' })).toEqual([415, 'unsupported_encoding'])
  })
})

describe('A body that is too large (F32)', () => {
  test('is refused by its length, or by the bytes received if it has none', async () => {
    expect(await responseTo(' '.repeat(bodyBytesMax + 1))).toEqual([413, 'body_too_large'])
    expect(await responseTo(streamed(new Uint8Array(64 * 1024).fill(0x20), 100))).toEqual([413, 'body_too_large'])
  })

  test('with a smaller length is read up to that length, and the rest is not treated as a request', async () => {
    const response = await raw(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 2\r\n\r\n{}${'x'.repeat(100_000)}`,
    )
    expect(response).toStartWith('HTTP/1.1 400')
    expect(response.match(/HTTP\/1\.1 2/g)).toBeNull()
  })
})

describe('A body that does not arrive', () => {
  test('ends with a timeout, and delays no other request (F30)', async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`
    const slow = Array.from({ length: 50 }, () => raw(`${head}content-length: 100\r\n\r\n{`))
    const chunked = raw(`${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`)
    expect(await responseTo(helloText)).toEqual([200, null])
    for (const response of await Promise.all([...slow, chunked])) {
      expect(response).toStartWith('HTTP/1.1 408')
      expect(response).toContain('"body_timeout"')
    }
  })

  test('because its client disconnected causes no error', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
    await new Promise<void>((resolve) => {
      socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 100\r\n\r\n{`, () =>
        resolve(),
      )
    })
    socket.resetAndDestroy()
    expect(await responseTo(helloText)).toEqual([200, null])
  })
})

describe('A form that is refused at its first bytes', () => {
  test('is not buffered after the refusal', async () => {
    const start = Buffer.from('--edge\r\nnonsense\r\n\r\n')
    const before = process.memoryUsage.rss()
    const response = await app.request('/v1/audio/transcriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=edge' },
      body: Buffer.concat([start, Buffer.alloc(60 * 1024 * 1024)]),
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('"multipart_invalid"')
    // Includes the client's own copy.
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024)
    expect(await responseTo(helloText)).toEqual([200, null])
  })
})

describe('A body of another type', () => {
  test('is refused if it cannot be JSON, and read if clients use the type for JSON', async () => {
    for (const type of ['multipart/form-data; boundary=x', 'image/png', 'application/octet-stream', 'nonsense'])
      expect(await responseTo(helloText, { 'content-type': type })).toEqual([415, 'unsupported_media_type'])
    for (const type of ['application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded', 'application/vnd.api+json'])
      expect(await responseTo(helloText, { 'content-type': type })).toEqual([200, null])
  })
})

describe('A hostile body (F34, F35)', () => {
  const withMember = (member: string): string => `${helloText.slice(0, -1)},${member}}`

  for (const [what, body] of [
    ['nested a million times', `{"a":${'['.repeat(1_000_000)}`],
    ['nested a million times and closed again', withMember(`"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)],
    ['nested 64 times', withMember(`"a":${'['.repeat(64)}${']'.repeat(64)}`)],
    ['nested in objects', withMember(`"a":${'{"b":'.repeat(100)}1${'}'.repeat(100)}`)],
    ['with a number that is infinite', withMember('"temperature":1e999')],
    ['with such a number deep inside', withMember('"a":[{"b":-1e999}]')],
    ['with a raw NUL in a text', withMember('"a":"\0"')],
    ['with a second value', `${helloText}{}`],
    ['with single quotes', "{'model':'x'}"],
    ['that is blank', ' \n'],
  ] as const) {
    test(`${what} is refused`, async () => {
      expect(await responseTo(body)).toEqual([400, 'invalid_json'])
    })
  }

  test('that is also large is refused for its depth; brackets and quotes within strings do not count', async () => {
    const filler = withMember(`"filler":"${'x'.repeat(1024 * 1024)}"`).slice(0, -1)
    expect(await responseTo(`${filler},"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`)).toEqual([400, 'invalid_json'])
    const texts = `"[{\\"[[${'['.repeat(1_000)}\\\\"`
    expect(await responseTo(`${filler},"a":[${Array.from({ length: 100 }, () => texts).join()}]}`)).toEqual([200, null])
    expect(await responseTo(`${filler},"a":"`)).toEqual([400, 'invalid_json'])
  })

  for (const [what, body] of [
    ['null', 'null'],
    ['text', '"gpt-4o-mini"'],
    ['a list', `[${helloText}]`],
    ['a number', '1'],
  ] as const) {
    test(`that is ${what} is refused`, async () => {
      expect(await responseTo(body)).toEqual([400, 'invalid_parameter'])
    })
  }

  test('nested 60 times, with NULs and members of every name is forwarded unchanged, and with U+FFFD for lone surrogates', async () => {
    const odd = `"a":${'['.repeat(60)}${']'.repeat(60)},"b":"\\ud800 \\udfff","c":"\\u0000","constructor":{"prototype":1},"m":1e308`
    expect(await responseTo(withMember(odd))).toEqual([200, null])
    expect(upstreamBody()).toEqual({ ...JSON.parse(withMember(odd)), b: '\ufffd \ufffd' })
  })

  test('with two models is routed by the one that is sent to the vendor', async () => {
    const twice = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"model":"gpt-4o-mini"}`
    expect(await responseTo(twice)).toEqual([200, null])
    const { body = '' } = app.upstream.received.at(-1) ?? {}
    expect(body.match(/"model"/g)).toHaveLength(1)
    expect(upstreamBody()['model']).toBe('gpt-4o-mini')
  })

  test('gets a 200 or a 400 with a message for any content, and changes no prototype', async () => {
    const hostile = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.jsonValue({ stringUnit: 'binary' }).map((value) => withMember(`"extra":${JSON.stringify(value)}`)),
      fc.jsonValue().map((value) => `{"model":"gpt-4o-mini","messages":${JSON.stringify(value)},"__proto__":{"x":1}}`),
      fc.nat({ max: helloText.length }).map((at) => `${helloText.slice(0, at)}\u0001${helloText.slice(at)}`),
    )
    await fc.assert(
      fc.asyncProperty(hostile, async (body) => {
        const [status, code] = await responseTo(body)
        expect([200, 400, 404]).toContain(status)
        if (status !== 200) expect(code).toBeString()
        expect(Object.prototype).not.toHaveProperty('x')
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 150) },
    )
  })
})

/** Sends bytes over a connection of its own. @returns everything received until the server closes it */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(got))
  })
}
