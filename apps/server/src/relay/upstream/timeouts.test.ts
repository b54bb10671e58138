import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { chatChunk, chatResponse, events, json, type Script, type Step } from '../../../test/fake-upstream.ts'
import { type FaultScenes, follow, seen, startFaultScenes } from '../../../test/fault-scene.ts'
import { until } from '../../../test/server-process.ts'

let scenes: FaultScenes
beforeAll(async () => {
  scenes = await startFaultScenes({ FIRST_BYTE_TIMEOUT_MS: '', IDLE_TIMEOUT_MS: '', HEARTBEAT_MS: '500' })
})
afterAll(() => scenes.app.close())

const role: Step = { do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ role: 'assistant', content: '' }))}\n\n` }
const rest = events([chatChunk({ content: 'Hello' }), chatChunk({}, 'stop'), '[DONE]']).slice(1)
const head: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }

const beat = ': keep-alive\n\n'

/** Advances the clock without data from the vendor. One timer sends heartbeats and checks the timeouts. */
async function silence(stream: ReturnType<typeof follow>, ms: number): Promise<void> {
  const beats = (): number => stream.text().split(beat).length
  const before = beats()
  scenes.clock.pass(ms)
  await until(() => beats() > before)
}

describe('a server that queues: a role at once, then nothing for long', () => {
  const queued: Script = [head, role, { do: 'wait', name: 'turn' }, ...rest]

  test('is waited for if its channel type is self-hosted', async () => {
    const { ask } = await scenes.scene({ responses: [queued], type: 8 })
    const stream = follow(await ask({ stream: true }))
    await silence(stream, 108_000)
    scenes.app.upstream.release('turn')
    expect(await stream.ended).toMatchObject({ status: 200, isDone: true })
  })

  test('times out for other types, with an error that names the channel’s setting', async () => {
    const { ask } = await scenes.scene([[head, role, { do: 'hang' }]])
    const response = await ask({ stream: true })
    scenes.clock.pass(61_000)
    const { code, text } = await seen(response)
    expect(code).toBe('upstream_timeout')
    expect(text).toContain('idle_seconds of its channel is 60 s')
  })

  test('times out by the channel’s own setting', async () => {
    const { ask, ids } = await scenes.scene({ responses: [[{ do: 'hang' }]], type: 8 })
    await scenes.app.data(contract.channel.update, { id: ids[0] ?? 0, first_byte_seconds: 5 })
    const before = scenes.app.upstream.received.length
    const pending = ask()
    await until(() => scenes.app.upstream.received.length > before)
    scenes.clock.pass(6_000)
    const { status, text } = await seen(await pending)
    expect(status).toBe(504)
    expect(text).toContain('first_byte_seconds of its channel is 5 s')
  })
})

test.each([
  ['comments', ': processing\n\n'],
  ['empty deltas', `data: ${JSON.stringify(chatChunk({ content: '' }))}\n\n`],
])('%s are life: a stream that brings one now and then is not silent', async (_, bytes) => {
  const beats = [1, 2, 3].flatMap(
    (at): Script => [
      { do: 'wait', name: `beat ${bytes} ${at}` },
      { do: 'send', bytes },
    ],
  )
  const { ask } = await scenes.scene([[head, role, ...beats, { do: 'wait', name: `end ${bytes}` }, ...rest]])
  const stream = follow(await ask({ stream: true }))
  for (const at of [1, 2, 3]) {
    await silence(stream, 50_000)
    scenes.app.upstream.release(`beat ${bytes} ${at}`)
  }
  scenes.app.upstream.release(`end ${bytes}`)
  expect(await stream.ended).toMatchObject({ status: 200, isDone: true })
})

test('clients get the message of a vendor’s 5xx without stack trace and file paths', async () => {
  const message = 'Traceback (most recent call last):\n  File "/srv/app/main.py", line 3, in chat\nValueError: no room in /srv/cache/kv.bin'
  const { ask } = await scenes.scene([json({ error: { message } }, 500)])
  const { status, text } = await seen(await ask())
  expect(status).toBe(502)
  expect(JSON.parse(text).error.message).toBe('Upstream error: ValueError: no room in [path]')
})

test('a channel with a key of one letter shows its vendor’s messages unchanged', async () => {
  const { ask, ids } = await scenes.scene({ responses: [], type: 8 })
  await scenes.app.data(contract.channel.update, { id: ids[0] ?? 0, key: 'x' })
  scenes.app.upstream.script(json({ error: { message: 'Unexpected text' } }, 400), json(chatResponse()))
  expect(JSON.parse((await seen(await ask())).text).error.message).toBe('Unexpected text')
})
