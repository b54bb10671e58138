import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { events, json, type Script } from '../fake-upstream.ts'

// Models that only stream, when whole responses are requested; and the handshake by which Codex tries responses first.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const chunk = (choice: object) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })
const streamed: Script = events([
  chunk({ delta: { role: 'assistant', content: 'It is ' }, finish_reason: null }),
  chunk({ delta: { content: 'done.' }, finish_reason: 'stop' }),
  { ...chunk({}), choices: [], usage },
  '[DONE]',
])
const refusals = [
  'Stream must be set to true',
  'This model only support stream mode, please enable the stream parameter to access the model.',
]

const clients: ReadonlyArray<readonly [string, ClientStream]> = [chats, messages, responses, generated].map((client) => [
  client.name,
  client,
])

describe.each(clients)('%s', (_name, client) => {
  test.each(refusals)('gets a whole response of a model that says: %s', async (message) => {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    const model = 'gpt-4o-mini'
    await app.make.channel({ groups, type: 8, models: model, baseUrl: app.upstream.url })
    const user = await app.make.user({ groups, quota: 100_000_000 })
    const { key } = await app.make.token(user, { isUnlimited: true })
    let refused = 0
    app.upstream.always(({ path, body }) => {
      if (!path.endsWith('/chat/completions')) return json({ error: 'no such path' }, 404)
      if (body.includes('"stream":true')) return streamed
      refused += 1
      return json({ error: { message, type: 'invalid_request_error' } }, 400)
    })
    const ask = async () => {
      const path = client.pathOf(model).replace('streamGenerateContent?alt=sse', 'generateContent')
      const body = { ...client.bodyOf({ model, content: 'Hi' }), ...(client === generated ? {} : { stream: false }) }
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
      const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await response.text()
      expect([response.status, JSON.stringify(JSON.parse(text))]).toEqual([200, expect.stringContaining('It is done.')])
    }
    await ask()
    await ask()
    // It is remembered.
    expect(refused).toBe(1)
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { username: user.username })
    expect(row).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
  })
})

test('a handshake where responses are sent gets the error that there is none, and any other request that the address is unknown', async () => {
  app.upstream.always(() => null)
  const handshake = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const response = await app.request('/v1/responses', { headers: handshake })
  expect([response.status, await response.json()]).toMatchObject([426, { error: { code: 'post_required' } }])
  const other = await app.request('/v1/responses')
  expect([other.status, await other.json()]).toMatchObject([404, { error: { code: 'unknown_url' } }])
})
