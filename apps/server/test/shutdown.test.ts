import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunk, chatResponse, type FakeUpstream, json, type Script, startFakeUpstream } from './fake-upstream.ts'
import { follow, seen } from './fault-scene.ts'
import { isClosed, prepare, processPassword, runServer, startServer, until } from './server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-shutdown-'))
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

const chunk = (text: string, finish: string | null = null) => `data: ${JSON.stringify(chatChunk({ content: text }, finish))}\n\n`
const stream = (gate: string): Script => [
  { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
  { do: 'send', bytes: chunk('begun') },
  { do: 'wait', name: gate },
  { do: 'send', bytes: `${chunk('last', 'stop')}data: [DONE]\n\n` },
]

test('a stopping server waits for running requests, ends late ones with an error, and leaves a consistent ledger (F44)', async () => {
  const variables = { DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword, SHUTDOWN_GRACE_MS: '1500' }
  const server = await startServer(variables)
  const headers = await prepare(server, upstream)
  const ask = (isStream: boolean) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
    })
  const half = 60
  upstream.script(...Array.from({ length: half }, () => stream('soon')), ...Array.from({ length: half }, () => stream('never')))
  const streams = await Promise.all(Array.from({ length: 2 * half }, async () => follow(await ask(true))))
  await until(() => streams.every(({ text }) => text().includes('begun')))
  upstream.script([{ do: 'hang' }], [{ do: 'hang' }])
  const before = upstream.received.length
  const silent = [ask(false), ask(true)].map(async (pending) => await seen(await pending))
  await until(() => upstream.received.length === before + 2)

  const startMs = performance.now()
  server.signal('SIGTERM')
  await until(() => isClosed(server.port))
  upstream.release('soon')
  const ends = await Promise.all(streams.map(({ ended }) => ended))
  expect(ends.filter(({ isDone, code }) => isDone && code === null)).toHaveLength(half)
  expect(ends.filter(({ isDone, code, text }) => !isDone && code === 'shutting_down' && text.endsWith('\n\n'))).toHaveLength(half)
  for (const end of silent) expect(await end).toMatchObject({ status: 503, code: 'shutting_down' })
  expect(await server.exited).toBe(0)
  // The configured second and a half, not the default half minute, also on a busy machine.
  expect(performance.now() - startMs).toBeLessThan(20_000)
  const { code, text } = await runServer(['verify'], variables)
  expect(text).toContain('0 open reservations')
  expect(code).toBe(0)
}, 60_000)

test('a stop waits for requests whose bodies are still arriving, and refuses those that do not arrive in time', async () => {
  const variables = { DATA_DIR: join(folder, 'bodies'), INITIAL_ROOT_PASSWORD: processPassword, SHUTDOWN_GRACE_MS: '4000' }
  const server = await startServer(variables)
  const headers = await prepare(server, upstream)
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  const half = Math.floor(body.length / 2)

  /** Sends the head and half of the body. */
  async function begin() {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    const ended = new Promise<string>((resolve) => socket.on('error', () => {}).on('close', () => resolve(text)))
    const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': String(body.length) })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    // The interim response shows that the body is being read.
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nexpect: 100-continue\r\n${head}\r\n`)
    await until(() => text.includes('100 Continue'))
    socket.write(body.slice(0, half))
    return { socket, ended }
  }

  const late = await begin()
  const never = await begin()
  server.signal('SIGTERM')
  await until(() => isClosed(server.port))
  late.socket.write(body.slice(half))
  expect(await late.ended).toContain('HTTP/1.1 200')
  const refused = await never.ended
  expect([refused.includes('HTTP/1.1 503'), refused.includes('shutting_down')]).toEqual([true, true])
  expect(await server.exited).toBe(0)
  const { code, text } = await runServer(['verify'], variables)
  expect([code, text]).toEqual([0, expect.stringContaining('0 open reservations')])
}, 60_000)

test('a server that receives a stop signal serves on for the delay, while it invites no more requests', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-delay-'))
  const server = await startServer({ DATA_DIR: dataDir, INITIAL_ROOT_PASSWORD: processPassword, SHUTDOWN_DELAY_MS: '3000' })
  const headers = await prepare(server, upstream)
  const chat = () =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    })
  upstream.fallback(() => json(chatResponse('hello', { prompt_tokens: 1, completion_tokens: 1 })))
  server.signal('SIGTERM')
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503)
  expect((await chat()).status).toBe(200)
  expect((await chat()).status).toBe(200)
  expect(await server.exited).toBe(0)
  rmSync(dataDir, { recursive: true, force: true })
}, 60_000)
