import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { json } from '../../../test/fake-upstream.ts'

// Channels of tasks are tested without an order.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const types: ReadonlyArray<readonly [number, string, string]> = [
  [48, 'sora-2', ''],
  [44, 'pika-2.2', ''],
  [46, 'pixverse-v5', ''],
  [47, 'flux-2-pro', ''],
  [45, 'suno_music', ''],
  [24, 'veo-3.1-generate-001', ''],
]

test.each(types)('a channel of type %d is tested by a question about no task, and its key is judged', async (type, model) => {
  const id = await app.make.channel({ type, models: model })
  const before = app.upstream.received.length
  app.upstream.fallback(() => json({ error: { message: 'no such task' } }, 404))
  const passed = await app.call(contract.channel.test, { id, model })
  expect([type, passed.success, passed.message]).toEqual([type, true, ''])
  const upstreamRequests = app.upstream.received.slice(before)
  expect(upstreamRequests.length).toBeGreaterThan(0)
  // No task is created, and nobody pays.
  expect(upstreamRequests.filter(({ path }) => /submit|generate$|predictLongRunning|v1\/videos$/.test(path))).toEqual([])
  app.upstream.fallback(() => json({ error: { message: 'Invalid API key', code: 'invalid_api_key' } }, 401))
  expect((await app.call(contract.channel.test, { id, model })).success).toBe(false)
  app.upstream.fallback(() => json({ error: { message: 'down' } }, 503))
  expect((await app.call(contract.channel.test, { id, model })).success).toBe(false)
})

test.each([
  [
    'a page',
    () => [
      { do: 'head', status: 404, headers: { 'content-type': 'text/html' } } as const,
      { do: 'send', bytes: Buffer.from('<h1>404</h1>') } as const,
    ],
  ],
  ['nothing', () => [{ do: 'head', status: 404, headers: {} } as const]],
  ['that it has no such path', () => json({ detail: 'Not Found' }, 404)],
  ['that the address is wrong', () => json({ error: { message: 'Invalid URL (GET /v1/videos/x)', type: 'invalid_request_error' } }, 404)],
])('a server that responds with %s to a poll is not the vendor’s', async (_, response) => {
  for (const [type, model] of types) {
    const id = await app.make.channel({ type, models: model })
    app.upstream.fallback(response)
    expect([type, (await app.call(contract.channel.test, { id, model })).success]).toEqual([type, false])
  }
})
