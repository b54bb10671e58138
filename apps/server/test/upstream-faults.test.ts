import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chatChunk, chatResponse, chatStream, events, json, type Script, type Step, usageChunk } from './fake-upstream.ts'
import { type FaultProxy, type NetworkFault, startFaultProxy } from './fault-proxy.ts'
import { type FaultScenes, follow, type Scene, type Seen, seen, startFaultScenes } from './fault-scene.ts'
import { until } from './server-process.ts'

// Faults of a vendor or of the connection to it: effects on the client, on the vendor and on the charge.

let scenes: FaultScenes
let proxy: FaultProxy
beforeAll(async () => {
  scenes = await startFaultScenes({ HEARTBEAT_MS: '500' })
  proxy = await startFaultProxy(scenes.app.upstream.url)
})
afterAll(async () => {
  proxy.close()
  await scenes.app.close()
})
afterEach(async () => {
  proxy.arm({ do: 'nothing' })
  expect(await scenes.expectConsistent()).toEqual([])
})

const head = (type: string, more: Readonly<Record<string, string>> = {}): Step => ({
  do: 'head',
  status: 200,
  headers: { 'content-type': type, ...more },
})
const send = (bytes: string | Uint8Array): Step => ({ do: 'send', bytes })
const event = (data: unknown): Step => send(`data: ${JSON.stringify(data)}\n\n`)
const word = (content: string): Step => event(chatChunk({ content }))
const good = json(chatResponse('From the second'))

/** A vendor that responds to every request with these bytes. */
async function startRaw(result: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.once('data', () => result(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    open: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Sends a request and advances the clock when the vendor has it, repeatedly, because a late keep-alive may restart the timeout. */
async function afterSilence(scene: Scene, { body, ms }: { readonly body: object; readonly ms: number }): Promise<Seen> {
  const before = scenes.app.upstream.received.length
  const pending = scene.see(body)
  await until(() => scenes.app.upstream.received.length > before)
  let isOver = false
  const seen = pending.finally(() => {
    isOver = true
  })
  await until(() => {
    if (!isOver) scenes.clock.pass(ms)
    return isOver
  })
  return await seen
}

const free = { quota: 0, completionTokens: 0 }

describe('if a channel gives no response, the next one is tried, and the client is charged once', () => {
  const closedPort = 'http://127.0.0.1:9'
  const raw: Readonly<Record<string, string>> = {
    'an invalid status line (F7)': 'HTTP/9 okay\r\n\r\n',
    'a head of 1 MB (F7)': `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1024 * 1024)}`,
    'a line break inside a header (F7)': 'HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 2\r\n\r\n{}',
    'a head that breaks off (F6)': 'HTTP/1.1 200 OK\r\ncontent-type: appl',
    'an invalid length (F7)': 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n',
  }
  for (const [name, bytes] of Object.entries(raw)) {
    test(name, async () => {
      const vendor = await startRaw((socket) => socket.end(bytes))
      const scene = await scenes.scene(vendor.url, [good])
      expect(await scene.see()).toMatchObject({ status: 200, text: expect.stringContaining('From the second') })
      expect(await scene.booked()).toMatchObject({ attempts: 2, endReason: 'complete', channelId: scene.ids[1] })
      await until(() => vendor.open() === 0)
      vendor.close()
    })
  }

  test.each([
    ['a head of 1 MB (F7)', 'upstream_invalid_response'],
    ['an invalid status line (F7)', 'upstream_invalid_response'],
    ['a head that breaks off (F6)', 'upstream_reset'],
  ])('%s is reported as what it is where there is no other channel', async (name, code) => {
    const vendor = await startRaw((socket) => socket.end(raw[name] ?? ''))
    const scene = await scenes.scene(vendor.url)
    expect(await scene.see()).toMatchObject({ status: 502, code })
    expect(await scene.booked()).toMatchObject(free)
    vendor.close()
  })

  test('a closed port (F1)', async () => {
    const scene = await scenes.scene(closedPort, [good])
    expect((await scene.see()).text).toContain('From the second')
    expect(await scene.booked()).toMatchObject({ attempts: 2, channelId: scene.ids[1] })
  })

  test('a name that has no address (F3)', async () => {
    const scene = await scenes.scene('http://no-such-host.invalid', [good])
    expect((await scene.see()).text).toContain('From the second')
  })

  const scripts: Readonly<Record<string, Script>> = {
    'an HTML page with status 200 (F14)': [head('text/html'), send('<html>Sorry</html>')],
    'JSON that breaks off (F14)': [head('application/json'), send('{"choices":[{"message":')],
    'an error inside a 200 (F15)': json({ error: { message: 'overloaded', code: 503 } }),
    'a 200 without choices (F15)': json({ ...chatResponse(), choices: [] }),
    'status 500 (F21)': json({ error: { message: 'no' } }, 500),
    'status 502 (F21)': json({}, 502),
    'status 503 (F21)': json({}, 503),
    'status 504 (F21)': [{ do: 'head', status: 504 }, send('<html>Gateway timeout</html>')],
    'status 529 (F21)': json({ error: { message: 'overloaded', type: 'overloaded_error' } }, 529),
    'an empty stream (F9)': [head('text/event-stream')],
    'a stream of comments only (F9)': [head('text/event-stream'), send(': hello\n\n')],
    'a body that cannot be decompressed (F25)': [head('application/json', { 'content-encoding': 'gzip' }), send('no gzip')],
  }
  for (const [name, script] of Object.entries(scripts)) {
    test(name, async () => {
      const stream = name.includes('stream')
      const scene = await scenes.scene([script], [stream ? chatStream(['From', ' the second']) : good])
      const { text } = await scene.see({ stream })
      expect(text).toContain('the second')
      expect(await scene.booked()).toMatchObject({ attempts: 2, endReason: 'complete', channelId: scene.ids[1] })
    })
  }

  const networks: Readonly<Record<string, NetworkFault>> = {
    'a reset before any byte of the head (F5)': { do: 'reset', afterBytes: 0 },
    'a reset inside the head (F6)': { do: 'reset', afterBytes: 20 },
    'a connection that ends inside the head (F6)': { do: 'end', afterBytes: 20 },
    'a connection that ends inside the body (F14)': { do: 'end', afterBytes: 250 },
  }
  for (const [name, fault] of Object.entries(networks)) {
    test(name, async () => {
      const scene = await scenes.scene({ by: proxy.url, responses: [json(chatResponse('From the first'))] }, [good])
      proxy.arm(fault)
      expect((await scene.see()).text).toContain('From the ')
      expect(await scene.booked()).toMatchObject({ attempts: 2, endReason: 'complete', channelId: scene.ids[1] })
    })
  }
})

describe('where no other channel is left, the client gets an error and is charged nothing', () => {
  test('a closed port: unreachable (F1)', async () => {
    const scene = await scenes.scene('http://127.0.0.1:9')
    expect(await scene.see()).toMatchObject({ status: 502, code: 'upstream_unreachable' })
    expect(await scene.booked()).toMatchObject({ ...free, attempts: 1, endReason: 'failed' })
  })

  test.each([
    ['a silent vendor (F10)', [{ do: 'hang' }], false],
    ['a head and nothing behind it (F10)', [head('application/json'), { do: 'hang' }], false],
    ['half an answer (F10)', [head('application/json'), send('{"choices":'), { do: 'hang' }], false],
    ['a failure that does not end (F10)', [{ do: 'head', status: 500 }, send('{"error"'), { do: 'hang' }], false],
    ['a stream without its first event (F10)', [head('text/event-stream'), { do: 'hang' }], true],
    ['a stream that says it is alive, and nothing else (F10)', [head('text/event-stream'), send(': ping\n\n'), { do: 'hang' }], true],
  ] as const)('%s: a timeout', async (_, script, stream) => {
    const scene = await scenes.scene([script])
    // The status of a stream was sent with the first keep-alive comment.
    const status = stream ? 200 : 504
    expect(await afterSilence(scene, { body: { stream }, ms: 301_000 })).toMatchObject({ status, code: 'upstream_timeout' })
    expect(await scene.booked()).toMatchObject({ ...free, attempts: 1, endReason: 'failed' })
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test('an untrusted certificate: nothing is sent, and the log has the reason (F4)', async () => {
    const file = (name: string) => Bun.file(join(import.meta.dir, 'fixtures', name))
    let requestCount = 0
    const tls = { cert: file('localhost-certificate.pem'), key: file('localhost-key.pem') }
    const vendor = Bun.serve({ port: 0, tls, fetch: () => Response.json(chatResponse(`asked ${++requestCount} times`)) })
    const scene = await scenes.scene(`https://localhost:${vendor.port}`)
    expect(await scene.see()).toMatchObject({ status: 502, code: 'upstream_tls' })
    expect(await scene.booked()).toMatchObject({ ...free, attempts: 1, endReason: 'failed' })
    expect(requestCount).toBe(0)
    await vendor.stop(true)
  })

  test('a connection that is never established: given up after ten seconds, not after the timeout of a response (F2)', async () => {
    const vendor = await startRaw(() => {})
    const scene = await scenes.scene(vendor.url.replace('http:', 'https:'))
    const pending = scene.see()
    await until(() => vendor.open() > 0)
    scenes.clock.pass(11_000)
    expect(await pending).toMatchObject({ status: 502, code: 'upstream_unreachable' })
    expect(await scene.booked()).toMatchObject({ ...free, attempts: 1, endReason: 'failed' })
    vendor.close()
  })

  test('a redirect: not followed with our key (F24)', async () => {
    const other = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    const scene = await scenes.scene([[{ do: 'head', status: 307, headers: { location: other.url } }]])
    expect(await scene.see()).toMatchObject({ status: 502, code: 'upstream_redirect' })
    expect(other.open()).toBe(0)
    expect(await scene.booked()).toMatchObject(free)
    other.close()
  })

  test('a whole response without end: given up after 64 MiB', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024)
    const start = '{"choices":[{"message":{"content":"'
    const scene = await scenes.scene([[head('application/json'), send(start), ...Array.from({ length: 200 }, () => send(mebibyte))]])
    expect(await scene.see()).toMatchObject({ status: 502, code: 'upstream_answer_too_long' })
    expect(await scene.booked()).toMatchObject({ ...free, attempts: 1, endReason: 'failed' })
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test.each([401, 403])('a refused key, status %d: not reported as a fault of the client’s key (F23)', async (status) => {
    const scene = await scenes.scene([json({ error: { message: 'no' } }, status)])
    expect(await scene.see()).toMatchObject({ status: 502, code: 'channel_auth_failed' })
    expect(await scene.booked()).toMatchObject(free)
  })

  test.each([400, 413, 422])('a request that the vendor refuses, status %d: one attempt, and its message (F22)', async (status) => {
    const scene = await scenes.scene([json({ error: { message: 'Too many cooks', type: 'invalid_request_error' } }, status)], [good])
    const result = await scene.see()
    expect(result.status).toBe(status)
    expect(result.text).toContain('Too many cooks')
    expect(await scene.booked()).toMatchObject({ ...free, attempts: 1 })
  })
})

/** Streams that have begun and then fail: the client has what came before and one error event, without a terminator. */
const three = [event(chatChunk({ role: 'assistant', content: '' })), word('one two three')]
const begun = [head('text/event-stream'), ...three]

describe('a stream that fails after it has begun ends with one error and no terminator, and is charged up to there', () => {
  const cases: ReadonlyArray<readonly [name: string, script: Script, code: string, endReason: string]> = [
    ['a reset (F8)', [...begun, { do: 'wait', name: 'a reset (F8)' }, { do: 'cut' }], 'upstream_stream_interrupted', 'upstream_cut'],
    ['an early end (F9)', begun, 'upstream_stream_interrupted', 'upstream_cut'],
    [
      'an error event (F8)',
      [...begun, { do: 'wait', name: 'an error event (F8)' }, event({ error: { message: 'broken', code: 'x' } })],
      'upstream_stream_interrupted',
      'upstream_cut',
    ],
    [
      'a line that has no end (F17)',
      [...begun, ...Array.from({ length: 560 }, () => send('x'.repeat(64 * 1024)))],
      'upstream_line_too_long',
      'upstream_cut',
    ],
    [
      'an event of lines without end (F17)',
      [...begun, ...Array.from({ length: 560 }, () => send(`data: ${'x'.repeat(64 * 1024)}\n`))],
      'upstream_line_too_long',
      'upstream_cut',
    ],
    [
      'comments without end (F13)',
      [...begun, ...Array.from({ length: 70 }, () => send(`${`: ${'x'.repeat(1022)}\n\n`.repeat(1024)}`))],
      'upstream_answer_too_long',
      'too_long',
    ],
    [
      'a compressed body that decompresses to too much (F25)',
      [
        head('text/event-stream', { 'content-encoding': 'gzip' }),
        send(gzipSync(`data: ${JSON.stringify(chatChunk({ content: 'one two three' }))}\n\n${': x\n\n'.repeat(4_000_000)}`)),
      ],
      'upstream_answer_too_long',
      'too_long',
    ],
  ]
  for (const [name, script, code, endReason] of cases) {
    test(name, async () => {
      const scene = await scenes.scene([script])
      const response = await scene.ask({ stream: true })
      scenes.app.upstream.release(name)
      const result = await seen(response)
      expect(result).toMatchObject({ status: 200, code, isDone: false })
      expect(result.text).toContain('one two three')
      expect(result.text).not.toContain('[DONE]')
      expect(result.text.match(/"error":\{/g)).toHaveLength(1)
      expect(await scene.booked()).toMatchObject({ attempts: 1, endReason, isEstimated: true, completionTokens: 3 })
    })
  }

  test('a model that does not stop at the limit (F13)', async () => {
    const script = [...begun, ...Array.from({ length: 200 }, () => word('word '.repeat(100))), { do: 'hang' } as const]
    const scene = await scenes.scene([script])
    const result = await scene.see({ stream: true, max_tokens: 1_000 })
    expect(result).toMatchObject({ code: 'upstream_answer_too_long', isDone: false })
    const booked = await scene.booked()
    expect(booked.endReason).toBe('too_long')
    // The allowed output is one and a half times the limit plus a thousand, by our own count, which is a little high.
    expect(booked.completionTokens).toBeGreaterThan(1_000)
    expect(booked.completionTokens).toBeLessThan(2_700)
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test('idle upstream (F11): keep-alive comments meanwhile, then an error, and the upstream request is cancelled', async () => {
    const scene = await scenes.scene([[...begun, { do: 'hang' }]])
    const stream = follow(await scene.ask({ stream: true }))
    await until(() => stream.text().endsWith(': keep-alive\n\n'))
    scenes.clock.pass(121_000)
    expect(await stream.ended).toMatchObject({ status: 200, code: 'upstream_timeout', isDone: false })
    expect(await scene.booked()).toMatchObject({ endReason: 'timed_out', completionTokens: 3 })
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test('single words at long intervals without end (F12)', async () => {
    const waitSteps = Array.from({ length: 40 }, (_, index) => [{ do: 'wait', name: `drip${index}` }, word(` ${index}`)] as const).flat()
    const scene = await scenes.scene([[...begun, ...waitSteps, { do: 'hang' }]])
    const response = await scene.ask({ stream: true })
    const reading = seen(response)
    let isOver = false
    void reading.finally(() => {
      isOver = true
    })
    for (let drip = 0; drip < 40 && !isOver; drip++) {
      scenes.app.upstream.release(`drip${drip}`)
      scenes.clock.pass(60_000)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(await reading).toMatchObject({ code: 'upstream_timeout', isDone: false })
    expect((await scene.booked()).endReason).toBe('timed_out')
    await scenes.app.upstream.received.at(-1)?.aborted
  })
})

describe('a response is over when the vendor says so', () => {
  test('also if it keeps the connection open: the client does not wait, and the connection is closed', async () => {
    const scene = await scenes.scene([
      [...begun, event(chatChunk({}, 'stop')), event(usageChunk(9, 3)), send('data: [DONE]\n\n'), { do: 'hang' }],
    ])
    const result = await scene.see({ stream: true })
    expect(result).toMatchObject({ code: null, isDone: true })
    expect(await scene.booked()).toMatchObject({ endReason: 'complete', completionTokens: 3, isEstimated: false })
    scenes.clock.pass(5_000)
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test('also in a dialect that is translated', async () => {
    const responseEvents = [
      { type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Bonjour' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ]
    const scene = await scenes.scene({ type: 14, responses: [events(responseEvents, [{ do: 'hang' }])] })
    const result = await scene.see({ model: 'claude-sonnet-4-5', stream: true })
    expect(result).toMatchObject({ code: null, isDone: true, text: expect.stringContaining('Bonjour') })
    expect(await scene.booked()).toMatchObject({ endReason: 'complete', completionTokens: 3, isEstimated: false })
    scenes.clock.pass(5_000)
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test('a response without a stream, although one was requested, is accepted (F16)', async () => {
    const scene = await scenes.scene([json(chatResponse('All at once'))])
    const result = await scene.see({ stream: true })
    expect(result).toMatchObject({ status: 200, code: null, isDone: true })
    expect(result.headers.get('content-type')).toContain('text/event-stream')
  })
})

describe('the usage that a vendor reports is used if it is possible (F19)', () => {
  const cases: ReadonlyArray<readonly [name: string, usage: unknown]> = [
    ['nothing', null],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0 }],
    ['negative counts', { prompt_tokens: -1000, completion_tokens: -1000, total_tokens: -2000 }],
    ['counts that are too large', { prompt_tokens: 2 ** 53 + 2, completion_tokens: 1 }],
    ['fractions', { prompt_tokens: 1.5, completion_tokens: 0.5 }],
    ['texts', { prompt_tokens: 'many', completion_tokens: 'NaN' }],
  ]
  for (const [name, usage] of cases) {
    test(`${name}: counted here, marked, and no quota is given`, async () => {
      const scene = await scenes.scene([json(chatResponse('one two three', usage))])
      expect((await scene.see()).status).toBe(200)
      const booked = await scene.booked()
      expect(booked).toMatchObject({ isEstimated: true, completionTokens: 3 })
      expect(booked.quota).toBe(2)
    })
  }

  test('counts that decrease within a stream: counted here, and marked', async () => {
    const scene = await scenes.scene([
      events([chatChunk({ content: 'a' }), usageChunk(100, 50), chatChunk({}, 'stop'), usageChunk(9, 3), '[DONE]']),
    ])
    await scene.see({ stream: true })
    expect(await scene.booked()).toMatchObject({ completionTokens: 1, isEstimated: true })
  })
})

describe('a channel pauses for as long as its vendor asks (F20)', () => {
  test.each([
    ['seconds', '7', '7'],
    ['a date', () => new Date(scenes.clock.nowMs() + 9_500).toUTCString(), /^(?:8|9|10)$/],
    ['a year', '31536000', '60'],
  ] as const)('in %s', async (_, value, expected) => {
    const header = typeof value === 'string' ? value : value()
    const scene = await scenes.scene([json({ error: { message: 'slow down' } }, 429, { 'retry-after': header })])
    const result = await scene.see()
    expect([result.status, result.code]).toEqual([429, 'upstream_rate_limited'])
    expect(result.headers.get('retry-after')).toMatch(expected)
    expect(await scene.booked()).toMatchObject(free)
  })

  test.each([
    ['Rate limit reached on tokens per minute (TPM): Limit 6000. Please try again in 4.77s. Need more?', {}, '5'],
    ['Please retry after 86400 seconds.', {}, '60'],
    ['Please try again in 20s.', { 'retry-after': '7' }, '7'],
  ] as const)('in its message, unless a header says it: %s', async (message, headers, expected) => {
    const scene = await scenes.scene([json({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } }, 429, headers)])
    const result = await scene.see()
    expect([result.status, result.code, result.headers.get('retry-after')]).toEqual([429, 'upstream_rate_limited', expected])
  })

  test.each(['-5', 'soon', '1e9', ''])('not where it says "%s"', async (header) => {
    const scene = await scenes.scene([json({ error: { message: 'slow down' } }, 429, { 'retry-after': header })])
    const result = await scene.see()
    expect(result.status).toBe(429)
    expect(Number(result.headers.get('retry-after') ?? 0)).toBeLessThanOrEqual(1)
  })
})
