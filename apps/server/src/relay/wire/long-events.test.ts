import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatChunk, type Script } from '../../../test/fake-upstream.ts'
import { messageScene } from '../../../test/message-scene.ts'

// A vendor whose stream has an event of more short lines than any event has: it ends with an error, and what came before it is charged.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const model = 'gpt-4o-mini'
const first = `data: ${JSON.stringify(chatChunk({ role: 'assistant', content: 'I look' }))}\n\n`

test.each([':\n', 'data:\n', 'id:\n', 'a\n'])('an event of lines %j ends the stream with an error', async (line) => {
  const script: Script = [
    { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
    { do: 'send', bytes: first },
    { do: 'send', bytes: line.repeat(200_000) },
    { do: 'send', bytes: '\ndata: [DONE]\n\n' },
  ]
  const { key, log } = await messageScene(app, [{ type: 1, models: model }], [script])
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Go' }] }),
  })
  const text = await response.text()
  expect(text).toStartWith(first)
  expect(text).toContain('"code":"upstream_line_too_long"')
  expect(text).not.toContain('[DONE]')
  expect(text.length).toBeLessThan(2_000)
  expect((await log())?.quota).toBeGreaterThan(0)
})
