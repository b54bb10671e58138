import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunk, type FakeUpstream, type Script, startFakeUpstream } from './fake-upstream.ts'
import { follow, seen } from './fault-scene.ts'
import { prepare, processPassword, runServer, startServer, until } from './server-process.ts'

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

test('a server that is stopped lets what is running end, ends what does not with an error, and leaves sound books (F44)', async () => {
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
  const silent = [ask(false), ask(true)].map(async (asked) => await seen(await asked))
  await until(() => upstream.received.length === before + 2)

  const startMs = performance.now()
  server.signal('SIGTERM')
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503)
  upstream.release('soon')
  const ends = await Promise.all(streams.map(({ ended }) => ended))
  expect(ends.filter(({ isDone, code }) => isDone && code === null)).toHaveLength(half)
  expect(ends.filter(({ isDone, code, text }) => !isDone && code === 'shutting_down' && text.endsWith('\n\n'))).toHaveLength(half)
  for (const end of silent) expect(await end).toMatchObject({ status: 503, code: 'shutting_down' })
  expect(await server.exited).toBe(0)
  // The second and a half that was set, and not the half minute that is usual, also on a busy machine.
  expect(performance.now() - startMs).toBeLessThan(20_000)
  const { code, text } = await runServer(['verify'], variables)
  expect(text).toContain('0 open reservations')
  expect(code).toBe(0)
}, 60_000)
