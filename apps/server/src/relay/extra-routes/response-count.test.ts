import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../test/app.ts'
import { messageScene } from '../../../test/message-scene.ts'

const model = 'gpt-4o-mini'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

test('the input of a response is counted by the gateway, for free, whatever it is made of', async () => {
  const { key, log } = await messageScene(app, [{ models: model }], [])
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1` })
  const count = async (input: OpenAI.Responses.ResponseInput | string, more: object = {}) =>
    await client.responses.inputTokens.count({ model, input, ...more })
  const before = app.upstream.received.length
  const short = await count('How many tokens are there?')
  expect(short.object).toBe('response.input_tokens')
  expect(short.input_tokens).toBeWithin(6, 20)
  const parts = [{ role: 'user' as const, content: [{ type: 'input_text' as const, text: 'How many tokens are there?' }] }]
  expect((await count(parts)).input_tokens).toBe(short.input_tokens)
  const tools = [{ type: 'function', name: 'count', description: 'Counts the tokens of a text', parameters: { type: 'object' } }]
  const long = await count(parts, { instructions: 'You count the tokens of every text that you are given.', tools })
  expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 20)
  const image = { type: 'input_image' as const, detail: 'low' as const, image_url: 'https://pictures.test/a.png' }
  expect((await count([{ role: 'user', content: [image] }])).input_tokens).toBeGreaterThan(50)
  expect([app.upstream.received.length, await log()]).toEqual([before, undefined])
  // What came before is not known here.
  expect(await count('Hi', { previous_response_id: 'resp_1' }).catch((error: unknown) => error)).toMatchObject({
    status: 400,
    param: 'previous_response_id',
  })
  expect(await count('Hi', { model: 'nobody-has-it' }).catch((error: unknown) => error)).toMatchObject({ status: 404 })
})
