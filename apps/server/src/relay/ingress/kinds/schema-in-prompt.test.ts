import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { chatResponse, chatStream, json } from '../../../../test/fake-upstream.ts'
import { messageScene } from '../../../../test/message-scene.ts'

// A vendor that gets a schema only in the prompt may violate it: whatever protocol the client speaks, such a response is not sent.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const model = 'deepseek-v4-flash'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }

const asks = [
  {
    kind: 'messages',
    field: 'output_config.format',
    path: () => '/v1/messages',
    body: (stream: boolean) => ({
      ...{ model, max_tokens: 100, stream, messages: [{ role: 'user', content: 'Where?' }] },
      output_config: { format: { type: 'json_schema', schema } },
    }),
  },
  {
    kind: 'generate',
    field: 'generationConfig.responseMimeType',
    path: (stream: boolean) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({
      contents: [{ role: 'user', parts: [{ text: 'Where?' }] }],
      generationConfig: { maxOutputTokens: 100, responseMimeType: 'application/json', responseJsonSchema: schema },
    }),
  },
  {
    kind: 'responses',
    field: 'text.format',
    path: () => '/v1/responses',
    body: (stream: boolean) => ({
      model,
      stream,
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', strict: true, schema } },
    }),
  },
] as const

describe.each(asks.map((ask) => [ask.kind, ask] as const))(
  'a schema of the kind %s at a vendor that has none',
  (_, { field, path, body }) => {
    const post = async (stream: boolean, content: string) => {
      const { key, log } = await messageScene(app, [{ type: 36, models: model }], [json(chatResponse(content))])
      const response = await app.request(path(stream), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body(stream)),
      })
      return { status: response.status, text: await response.text(), log }
    }

    test.each([false, true])('is met by what the client gets (stream: %p)', async (stream) => {
      const { status, text, log } = await post(stream, '```json\n{"city":"Porto"}\n```')
      expect([status, text.includes('{\\"city\\":\\"Porto\\"}'), text.includes('```')]).toEqual([200, true, false])
      expect(await log()).toMatchObject({ end_reason: 'complete' })
    })

    test.each([false, true])(
      'that the response breaks is an error that names the field, and costs what the vendor bills (stream: %p)',
      async (stream) => {
        const { status, text, log } = await post(stream, 'Porto, I think.')
        expect([status, text.includes(field), text.includes('Porto')]).toEqual([502, true, false])
        expect(await log()).toMatchObject({ end_reason: 'failed', prompt_tokens: 10 })
        expect((await log())?.quota).toBeGreaterThan(0)
      },
    )
  },
)

test('a stream of messages begins with the gateway’s count of the prompt', async () => {
  const { raw } = await messageScene(app, [{ type: 1, models: 'gpt-4o-mini' }], [chatStream(['Hi'])])
  const content = 'word '.repeat(1_000)
  const text = await (await raw({ model: 'gpt-4o-mini', max_tokens: 9, stream: true, messages: [{ role: 'user', content }] })).text()
  const count = Number(/"message_start".*?"input_tokens":(\d+)/.exec(text)?.[1])
  expect(count).toBeGreaterThan(900)
  expect(count).toBeLessThan(1_500)
  expect(text).toMatch(/"message_delta".*"input_tokens":10\b/)
})

test('responses that repeatedly violate a schema do not count against the channel', async () => {
  const misfits = Array.from({ length: 30 }, () => json(chatResponse('Porto, I think.')))
  const { key, user } = await messageScene(app, [{ type: 36, models: model }], [...misfits, json(chatResponse('Hello'))])
  const other = (await app.make.token(user)).key
  const post = (as: string, body: object) =>
    app.request('/v1/responses', { method: 'POST', headers: { authorization: `Bearer ${as}` }, body: JSON.stringify(body) })
  const [, , responses] = asks
  for (let count = 0; count < misfits.length; count += 1) {
    const response = await post(count % 2 === 0 ? key : other, responses.body(false))
    expect([response.status, await response.text()]).toMatchObject([502, expect.stringContaining(responses.field)])
  }
  expect((await post(key, { model, input: 'Hi' })).status).toBe(200)
})
