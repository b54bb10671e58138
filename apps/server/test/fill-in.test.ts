import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { events, json } from './fake-upstream.ts'

// Completions at a vendor that fills in the middle in the form of a chat.

let app: TestApp
let user: TestUser
let client: OpenAI
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  await app.make.channel({ type: 28, baseUrl: app.upstream.url, models: 'codestral-latest' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const usage = { prompt_tokens: 100, completion_tokens: 40, total_tokens: 140 }
const params = { model: 'codestral-latest', prompt: 'def a', suffix: 'return 1' } as const
/** Prompt and completion at 0.15 and 0.45 of the unit. */
const cost = Math.ceil(100 * 0.15 + 40 * 0.45)

async function charged() {
  const [row] = await app.data(contract.log.list, { type: 2 })
  return row?.quota
}

describe('a completion with a suffix', () => {
  test('gets a whole response, and is charged', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x = 1' }, finish_reason: 'stop' }]
    app.upstream.script(json({ id: 'f', object: 'chat.completion', choices, usage }))
    const response = await client.completions.create(params)
    expect(response).toMatchObject({ object: 'text_completion', choices: [{ text: 'x = 1', finish_reason: 'stop' }], usage })
    expect(app.upstream.received.at(-1)?.path).toBe('/v1/fim/completions')
    expect(await charged()).toBe(cost)
  })

  test('is streamed with its usage, and charged', async () => {
    const piece = (content: string, reason: string | null = null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: reason }],
    })
    app.upstream.script(events([piece('x ='), piece(' 1'), { ...piece('', 'stop'), usage }, '[DONE]']))
    const stream = await client.completions.create({ ...params, stream: true, stream_options: { include_usage: true } })
    let text = ''
    let last: unknown
    for await (const { object, choices, usage: counted } of stream) {
      expect(object).toBe('text_completion')
      text += choices[0]?.text ?? ''
      last = counted ?? last
    }
    expect(text).toBe('x = 1')
    expect(last).toMatchObject({ prompt_tokens: 100, completion_tokens: 40 })
    expect(await charged()).toBe(cost)
  })

  test('that asks for several responses is refused by that name', async () => {
    const refused = await client.completions.create({ ...params, n: 2 }).then(null, (error: unknown) => error)
    expect(refused).toMatchObject({ status: 400, code: 'parameter_not_offered', param: 'n' })
  })
})
