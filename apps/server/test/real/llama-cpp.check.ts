import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import { until } from '../channel-scene.ts'

// Compares responses of a real llama.cpp server, requested directly and through the gateway. `npm run test:real` starts the server.

const direct = process.env['REAL_SERVER_URL'] ?? ''
const model = 'tiny'

let app: TestApp
let user: TestUser
let key: string
let id: number
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  user = await app.make.user({ quota: 100_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  id = await app.make.channel({ type: 8, baseUrl: direct, models: `${model},not-there`, key: 'none' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

interface ChatCompletion {
  readonly status: number
  readonly text: string
}

async function ask(base: string, path: string, body: object): Promise<ChatCompletion> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${base === direct ? 'none' : key}` }
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

/** Sends one request directly and through the gateway, one after the other, because the server responds to one at a time. */
async function both(path: string, body: object): Promise<readonly [ChatCompletion, ChatCompletion]> {
  return [await ask(direct, path, body), await ask(app.url, path, body)]
}

/** A response without ids and times. Probabilities are rounded: their last digits depend on what the server has cached of the prompt. */
function lasting(text: string): unknown {
  const rounded = (_: string, value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value)
  const { id: _id, created: _created, ...rest } = JSON.parse(text, rounded)
  return rest
}

const eventsOf = (text: string): string[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (data ?? '').trim())
const lastingEvents = (text: string): unknown[] => eventsOf(text).map((data) => (data === '[DONE]' ? data : lasting(data)))

/** Parameters with which the model gives the same response each time. */
const steady = { model, temperature: 0, seed: 3, max_tokens: 12 }
const chat = { ...steady, messages: [{ role: 'user', content: 'abc def' }] }
const completion = { ...steady, prompt: 'abc def' }

async function lastRow() {
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { type: 2, username: user.username })
  if (row === undefined) throw new Error('there is no row')
  return row
}

const questions: readonly [string, string, object][] = [
  ['a chat', '/v1/chat/completions', chat],
  [
    'a chat with a system prompt and a stop',
    '/v1/chat/completions',
    { ...chat, stop: ['a'], messages: [{ role: 'system', content: 'be brief' }, ...chat.messages] },
  ],
  ['a chat with log probabilities', '/v1/chat/completions', { ...chat, logprobs: true, top_logprobs: 2 }],
  ['a completion', '/v1/completions', completion],
  ['a completion that repeats its prompt', '/v1/completions', { ...completion, echo: true }],
]

describe.each(questions)('%s', (_, path, body) => {
  test('has the same response through the gateway as directly, and is charged by the server’s usage', async () => {
    const [bare, through] = await both(path, body)
    expect([bare.status, through.status]).toEqual([200, 200])
    expect(lasting(through.text)).toEqual(lasting(bare.text))
    const { usage } = JSON.parse(bare.text)
    expect(await lastRow()).toMatchObject({ prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens })
  })

  test('has the same stream, event by event', async () => {
    const [bare, through] = await both(path, { ...body, stream: true })
    expect([bare.status, through.status]).toEqual([200, 200])
    expect(lastingEvents(through.text)).toEqual(lastingEvents(bare.text))
    expect(eventsOf(through.text).at(-1)).toBe('[DONE]')
    const row = await lastRow()
    expect(row.end_reason).toBe('complete')
    // This server reports no usage in streams, and an echoed prompt cannot be distinguished from output.
    if ('echo' in body) return
    const whole = JSON.parse((await ask(direct, path, body)).text).usage
    expect(Math.abs(row.prompt_tokens - whole.prompt_tokens)).toBeLessThanOrEqual(0.02 * whole.prompt_tokens)
    expect(Math.abs(row.completion_tokens - whole.completion_tokens)).toBeLessThanOrEqual(0.02 * whole.completion_tokens)
  })
})

test('the models of the server are listed, and its channel passes its test', async () => {
  expect(await app.data(contract.channel.upstreamModels, { id })).toEqual([model])
  expect(await app.data(contract.channel.test, { id, model })).toMatchObject({ model })
})

test('a response is made from a chat, because the server has no responses', async () => {
  const { status, text } = await ask(app.url, '/v1/responses', { model, input: 'abc def', max_output_tokens: 8, store: false })
  expect(status).toBe(200)
  const response = JSON.parse(text)
  expect(response).toMatchObject({ object: 'response', status: expect.stringMatching(/completed|incomplete/) })
  expect(response.usage.output_tokens).toBeLessThanOrEqual(8)
})

test('a request that the server refuses is refused through the gateway, and does not affect other requests', async () => {
  const mistakes: readonly [string, object][] = [
    ['/v1/embeddings', { model, input: 'abc' }],
    ['/v1/chat/completions', { ...chat, temperature: 'hot' }],
    ['/v1/chat/completions', { ...chat, messages: 'none' }],
    ['/v1/moderations', { model, input: 'abc' }],
  ]
  for (let round = 0; round < 3; round++) {
    for (const [path, body] of mistakes) {
      const [bare, through] = await both(path, body)
      expect([path, bare.status < 400]).toEqual([path, through.status < 400])
    }
  }
  const good = await Promise.all(Array.from({ length: 16 }, () => ask(app.url, '/v1/chat/completions', chat)))
  expect(good.map(({ status }) => status)).toEqual(good.map(() => 200))
})

test('no hold is left of a stream that its client has left', async () => {
  const left = new AbortController()
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...chat, stream: true, max_tokens: 900, logit_bias: { '2': -100 } }),
    signal: left.signal,
  })
  await response.body?.getReader().read()
  left.abort()
  const row = await until(lastRow, ({ end_reason }) => end_reason === 'client_gone')
  expect(row.completion_tokens).toBeLessThan(900)
  expect((await ask(app.url, '/v1/chat/completions', chat)).status).toBe(200)
})
