import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunk, chatResponse, type FakeUpstream, json, startFakeUpstream } from './fake-upstream.ts'
import { follow } from './fault-scene.ts'
import { createServerPlace } from './server-place.ts'
import { fromSources, prepare, runServer, type ServerProcess, startServer, until } from './server-process.ts'

// A thread of its own ends a server whose event loop does not turn any more (`watchdog/`).

const folder = mkdtempSync(join(tmpdir(), 'sluice-watchdog-'))
const { variables, remove } = await createServerPlace('watchdog')
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.close()
  await remove()
  rmSync(folder, { recursive: true, force: true })
})

const limitMs = 1_000
/** Exit code of a server that its watchdog ended. */
const blockedCode = 70
const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'a prompt that is nobody else’s' }] })

/** Starts a server that reserves nothing before its calls are prepared, so that the first reservation is that of the test's request. */
async function start(more: Readonly<Record<string, string>>, program = fromSources()) {
  const server = await startServer({ ...variables, WATCHDOG_MS: String(limitMs), ...more }, program)
  const headers = await prepare(server, upstream)
  const ask = (text = body) => fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body: text })
  return { server, ask }
}

async function stop(server: ServerProcess): Promise<number> {
  server.signal('SIGTERM')
  return await server.exited
}

/** The lines of the log about a blocked event loop. */
const reportsOf = (server: ServerProcess): readonly unknown[] =>
  server
    .printed()
    .split('\n')
    .filter((line) => line.includes('"event loop blocked, ending the process"'))
    .map((line) => JSON.parse(line))

test('a server whose event loop is blocked says what was running and ends within the limit, and the next start goes on', async () => {
  const { server, ask } = await start({ FAIL_AT: 'hold-asked:3:block' })
  const other = await start({ DATA_DIR: join(folder, 'other'), DATABASE_URL: '', NODE_ID: 'other' })
  const chunk = (text: string) => ({ do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ content: text }))}\n\n` }) as const
  upstream.script(
    [
      { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
      chunk('begun'),
      { do: 'wait', name: 'more' },
      chunk('more'),
      { do: 'hang' },
    ],
    [{ do: 'hang' }],
  )
  const stream = await ask(JSON.stringify({ ...JSON.parse(body), stream: true }))
  const streamed = follow(stream)
  const before = upstream.received.length
  const silent = ask().catch((error: unknown) => error)
  await until(() => upstream.received.length > before)
  upstream.release('more')
  await until(() => streamed.text().includes('more'))
  const startMs = performance.now()
  const refused = ask().catch((error: unknown) => error)
  expect(await server.exited).toBe(blockedCode)
  expect(performance.now() - startMs).toBeLessThan(limitMs + 2_000)
  for (const broken of [refused, silent]) expect(await broken).toBeInstanceOf(Error)
  await streamed.ended

  expect(reportsOf(server)).toEqual([
    {
      level: 'fatal',
      time: expect.any(String),
      blockedMs: expect.any(Number),
      mainThread: expect.any(String),
      running: 3,
      // The one that made a step last first: the stream has got more since the silent one was sent.
      activities: [
        {
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          route: 'POST /v1/chat/completions',
          kind: 'chat',
          model: 'gpt-4o-mini',
          bytes: Buffer.byteLength(body),
          ms: expect.any(Number),
        },
        expect.objectContaining({ requestId: stream.headers.get('x-request-id'), route: 'POST /v1/chat/completions', kind: 'chat' }),
        expect.objectContaining({ bytes: Buffer.byteLength(body), kind: 'chat', channel: expect.any(Number) }),
      ],
      msg: 'event loop blocked, ending the process',
    },
  ])
  expect(server.printed()).not.toContain('a prompt')
  expect(server.printed()).not.toContain('Bearer')
  upstream.fallback(() => json(chatResponse('hello')))
  expect((await other.ask()).status).toBe(200)
  expect(await stop(other.server)).toBe(0)
  const next = await start({})
  expect((await next.ask()).status).toBe(200)
  expect(await stop(next.server)).toBe(0)
  expect((await runServer(['verify'], variables)).text).toContain('The ledger is consistent.')
}, 60_000)

test.each([
  ['longer than the limit', { FAIL_AT: 'hold-asked:1:stall' }, blockedCode],
  ['shorter than the limit', { FAIL_AT: 'hold-asked:1:stall', WATCHDOG_MS: '4000' }, 0],
  ['and the watchdog is off', { FAIL_AT: 'hold-asked:1:stall', WATCHDOG_MS: '0' }, 0],
])(
  'an event loop that is blocked for a second and a half, %s',
  async (_, more, code) => {
    const { server, ask } = await start(more)
    upstream.fallback(() => json(chatResponse('hello')))
    const status = await ask().then(
      (response) => response.status,
      () => null,
    )
    expect(status).toBe(code === 0 ? 200 : null)
    expect(code === 0 ? await stop(server) : await server.exited).toBe(code)
    expect(reportsOf(server)).toHaveLength(code === 0 ? 0 : 1)
  },
  60_000,
)

test('a process that stood still for longer than the limit goes on', async () => {
  const { server, ask } = await start({})
  upstream.fallback(() => json(chatResponse('hello')))
  server.signal('SIGSTOP')
  const stoppedMs = performance.now()
  await until(() => performance.now() - stoppedMs > 2 * limitMs)
  server.signal('SIGCONT')
  expect((await ask()).status).toBe(200)
  expect(await stop(server)).toBe(0)
}, 60_000)

test('a start and the end of a shutdown may take longer than the limit', async () => {
  const dataDir = mkdtempSync(join(folder, 'slow-'))
  const server = await startServer({ DATA_DIR: dataDir, WATCHDOG_MS: String(limitMs), FAIL_AT: 'migrated:1:stall,closing:1:stall' })
  expect(await stop(server)).toBe(0)
  expect(reportsOf(server)).toEqual([])
}, 60_000)

test('a server ends also if nobody reads its standard error', async () => {
  const pipe = join(folder, 'pipe')
  await Bun.$`mkfifo ${pipe}`
  // Who opens it for both can fill it without a reader.
  const both = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  expect(() => {
    for (;;) writeSync(both, 'x'.repeat(4_096))
  }).toThrow('EAGAIN')
  const { server, ask } = await start({ FAIL_AT: 'hold-asked:1:block' }, ['sh', '-c', `exec "$@" 2>${pipe}`, 'sh', ...fromSources()])
  void ask().catch(() => {})
  expect(await server.exited).toBe(blockedCode)
  closeSync(both)
}, 60_000)
