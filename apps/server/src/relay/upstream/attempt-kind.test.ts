import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { type SetClock, setClock } from '../../../test/channel-scene.ts'
import { chatResponse, chatStream, json, type Script } from '../../../test/fake-upstream.ts'

// Servers with OpenAI's chats but without responses, as most self-hosted ones.

let app: TestApp
let clock: SetClock
let key: string
let channel: number
beforeAll(async () => {
  clock = setClock()
  app = await testApp({ clock })
  key = (await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })).key
})
afterAll(() => app.close())
beforeEach(async () => {
  if (channel !== undefined) await app.data(contract.channel.remove, { id: channel })
  channel = await app.make.channel({ type: 8, baseUrl: app.upstream.url })
})

const absent: Script = json({ detail: 'Not Found' }, 404)
const notAllowed: Script = json({ detail: 'Method Not Allowed' }, 405)
const plainPage: Script = [
  { do: 'head', status: 404, headers: { 'content-type': 'text/plain' } },
  { do: 'send', bytes: '404 page not found' },
]
const noModel: Script = json(
  { error: { message: 'no such model', type: 'invalid_request_error', param: null, code: 'model_not_found' } },
  404,
)
const noItem: Script = json({ error: { message: 'Item not found', type: 'invalid_request_error', param: 'input', code: null } }, 404)
const native: Script = json({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [],
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** Makes a call of the relay. @returns the status, the text, and the paths requested upstream */
async function call(path: string, body: object, ...scripts: readonly Script[]) {
  const requestsBefore = app.upstream.received.length
  app.upstream.script(...scripts)
  const response = await app.request(path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, text, paths: app.upstream.received.slice(requestsBefore).map(({ path: upstreamPath }) => upstreamPath) }
}

const [responses, chats] = ['/v1/responses', '/v1/chat/completions']

const respond = (more: object, ...scripts: readonly Script[]) => call(responses, { model: 'gpt-4o-mini', input: 'Hi', ...more }, ...scripts)

test.each([
  ['an error', absent],
  ['another status', notAllowed],
  ['a page', plainPage],
] as const)('a server that reports by %s that it has no responses gets a chat at once, and the lack is cached', async (_, refusal) => {
  const first = await respond({}, refusal, json(chatResponse('Hello')))
  expect(first).toMatchObject({ status: 200, paths: [responses, chats] })
  expect(JSON.parse(first.text)).toMatchObject({ object: 'response', output: [{ content: [{ text: 'Hello' }] }] })
  const [row] = await app.data(contract.log.list, { type: 2 })
  expect(row).toMatchObject({ attempts: 1, end_reason: 'complete', prompt_tokens: 10 })
  const streamed = await respond({ stream: true }, chatStream(['Hel', 'lo']))
  expect(streamed).toMatchObject({ status: 200, paths: [chats] })
  expect(streamed.text).toContain('event: response.completed')
})

test('native responses are tried again after an hour, and after the channel was edited', async () => {
  expect((await respond({}, absent, json(chatResponse()))).paths).toEqual([responses, chats])
  clock.advance(59 * 60_000)
  expect((await respond({}, json(chatResponse()))).paths).toEqual([chats])
  clock.advance(2 * 60_000)
  expect((await respond({}, native)).paths).toEqual([responses])
  expect((await respond({}, absent, json(chatResponse()))).paths).toEqual([responses, chats])
  await app.data(contract.channel.update, { id: channel, name: 'brought up to date' })
  expect((await respond({}, native)).paths).toEqual([responses])
})

test('an error about the model or the request does not cause a fallback, and a fallback that fails is not cached', async () => {
  for (const refusal of [noModel, noItem]) expect(await respond({}, refusal)).toMatchObject({ status: 502, paths: [responses] })
  expect(await respond({}, absent, absent)).toMatchObject({ status: 502, paths: [responses, chats] })
  expect((await respond({}, native)).paths).toEqual([responses])
})

test('a request that needs native responses is not sent as a chat, nor at all if the channel is known to lack them', async () => {
  expect(await respond({ tools: [{ type: 'file_search' }] }, absent)).toMatchObject({ status: 502, paths: [responses] })
  await respond({}, absent, json(chatResponse()))
  const refused = await respond({ tools: [{ type: 'file_search' }] })
  expect(refused).toMatchObject({ status: 400, paths: [] })
  expect(refused.text).toContain('parameter_not_offered')
})

test('the fallback chat has the limit under both names, and asks for no stream', async () => {
  await respond({ max_output_tokens: 8 }, absent, json(chatResponse()))
  const body: unknown = JSON.parse(app.upstream.received.at(-1)?.body ?? 'null')
  expect(body).toMatchObject({ max_tokens: 8, max_completion_tokens: 8, stream: false })
})

describe('a channel of OpenAI’s type that leads to another server', () => {
  const model = 'gpt-6-sol'
  const messages = [{ role: 'user', content: 'Hi' }]
  const parameters = { type: 'object', properties: {} }
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
  beforeEach(async () => {
    await app.data(contract.channel.remove, { id: channel })
    channel = await app.make.channel({ type: 1, baseUrl: app.upstream.url, models: `gpt-4o-mini,${model}` })
  })

  test('gets a chat for a response', async () => {
    expect(await respond({}, absent, json(chatResponse('Hello')))).toMatchObject({ status: 200, paths: [responses, chats] })
    expect(await respond({}, json(chatResponse('Hello')))).toMatchObject({ status: 200, paths: [chats] })
  })

  test.each([
    ['a chat', chats, { messages, tools }],
    ['messages', '/v1/messages', { messages, max_tokens: 500, tools: [{ name: 'weather', input_schema: parameters }] }],
  ])('gets the chat itself where OpenAI would get a response for %s with functions, from then on at once', async (_, path, body) => {
    const first = await call(path, { model, ...body }, absent, json(chatResponse('Sun')))
    expect(first).toMatchObject({ status: 200, paths: [responses, chats] })
    expect(first.text).toContain('Sun')
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '{}')).toMatchObject({ tools })
    expect(await call(path, { model, ...body }, json(chatResponse('Sun')))).toMatchObject({ status: 200, paths: [chats] })
    expect(await respond({}, json(chatResponse('Hello')))).toMatchObject({ status: 200, paths: [chats] })
  })

  test('is called once for a chat that it does not find', async () => {
    expect(await call(chats, { model, messages }, absent)).toMatchObject({ status: 502, paths: [chats] })
  })
})

test('after all tests the ledger is consistent', async () => {
  expect(await app.inconsistencies()).toEqual([])
})
