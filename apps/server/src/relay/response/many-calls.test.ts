import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatChunk, events } from '../../../test/fake-upstream.ts'
import { messageScene } from '../../../test/message-scene.ts'

// A vendor that sends more calls than any model writes: clients get an error in the place of an end, and pay for what came.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const model = 'gpt-4o-mini'
const calls = Array.from({ length: 11_000 }, (_, index) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
}))
const chunks = Array.from({ length: 110 }, (_, index) => chatChunk({ tool_calls: calls.slice(index * 100, (index + 1) * 100) }))
const stream = events([chatChunk({ role: 'assistant', content: 'I look' }), ...chunks, chatChunk({}, 'tool_calls'), '[DONE]'])

describe.each([
  ['messages', '/v1/messages', { max_tokens: 100, messages: [{ role: 'user', content: 'Go' }] }],
  ['responses', '/v1/responses', { input: 'Go' }],
] as const)('a stream of eleven thousand calls as %s', (_kind, path, body) => {
  test('ends with an error, and is charged like any response that was broken off', async () => {
    const { key, log } = await messageScene(app, [{ type: 25, models: model }], [stream])
    const response = await app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: true, ...body }),
    })
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text.trim().split('\n').at(-1)).toContain('error')
    expect(text).not.toContain('message_stop')
    expect(text).not.toContain('response.completed')
    const row = await log()
    expect(row?.quota).toBeGreaterThan(0)
  })
})
