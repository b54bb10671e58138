import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../../test/app.ts'
import { json } from '../../../../test/fake-upstream.ts'
import { entriesMax, valuesMax } from './entries.ts'

// One request must not keep the others waiting while it is translated, so it has a most of messages, parts and tools.

let app: TestApp
let user: TestUser
let key: string
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 1_000_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ type: 1, models: 'gpt-4o' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const upstreamResponse = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 20_000, completion_tokens: 2, total_tokens: 20_002 },
}

async function ask(
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly text: string; readonly upstreamRequests: number }> {
  const before = app.upstream.received.length
  app.upstream.script(json(upstreamResponse))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  const upstreamRequests = app.upstream.received.length - before
  // What was not fetched must not respond to the next request.
  app.upstream.script()
  return { status: response.status, text, upstreamRequests }
}

const many = <Value>(count: number, value: Value): readonly Value[] => Array.from({ length: count }, () => value)
const model = 'gpt-4o'

/** A request of so many entries, and the member that has most of them. */
const requests: readonly (readonly [string, string, string, (count: number) => object])[] = [
  ['chats', 'messages', '/v1/chat/completions', (count) => ({ model, messages: many(count, { role: 'user', content: 'a' }) })],
  [
    'parts of a message',
    'messages',
    '/v1/chat/completions',
    (count) => ({ model, messages: [{ role: 'user', content: many(count - 1, { type: 'text', text: 'a' }) }] }),
  ],
  [
    'messages',
    'messages',
    '/v1/messages',
    (count) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: many(count - 1, { type: 'text', text: 'a' }) }] }),
  ],
  [
    'tools',
    'tools',
    '/v1/messages',
    (count) => ({
      ...{ model, max_tokens: 9, messages: [{ role: 'user', content: 'a' }] },
      tools: many(count - 1, 0).map((_, at) => ({ name: `f${at}`, input_schema: { type: 'object' } })),
    }),
  ],
  [
    'contents',
    'contents',
    `/v1beta/models/${model}:generateContent`,
    (count) => ({ contents: many(count / 2, 0).flatMap((_, at) => [{ role: at % 2 === 0 ? 'user' : 'model', parts: [{ text: 'a' }] }]) }),
  ],
  ['responses', 'input', '/v1/responses', (count) => ({ model, input: many(count, { role: 'user', content: 'a' }) })],
]

test.each(requests)('%s with more entries than the most are refused by name, and nothing is sent', async (_, name, path, bodyOf) => {
  const refused = await ask(path, bodyOf(entriesMax + 2))
  expect([refused.status, refused.upstreamRequests]).toEqual([400, 0])
  expect(refused.text).toContain(`in ${name}: the maximum is`)
  expect(refused.text).toContain(String(entriesMax))
  // The double responds in the form of chats, which is invalid for native Responses.
  const most = await ask(path, bodyOf(entriesMax))
  expect([most.status === 400, most.upstreamRequests]).toEqual([false, 1])
})

/** A schema of so many properties, each of which is two values: its name, and its type. */
const schemaOf = (properties: number, type = 'string') => ({
  ...{ type: type === 'string' ? 'object' : 'OBJECT' },
  properties: Object.fromEntries(Array.from({ length: properties }, (_, at) => [`p${at}`, { type }])),
})
const question = [{ role: 'user', content: 'a' }]
const contents = [{ role: 'user', parts: [{ text: 'a' }] }]
const generatePath = `/v1beta/models/${model}:generateContent`

/** A request with a schema, the member that it is in, and how the protocol reports an error. */
const schemas: readonly (readonly [string, string, string, (properties: number) => object, object])[] = [
  [
    'tools of chats',
    'tools',
    '/v1/chat/completions',
    (count) => ({ model, messages: question, tools: [{ type: 'function', function: { name: 'f', parameters: schemaOf(count) } }] }),
    { error: { type: 'invalid_request_error', param: 'tools', code: 'too_many_values' } },
  ],
  [
    'functions in the older form',
    'functions',
    '/v1/chat/completions',
    (count) => ({ model, messages: question, functions: [{ name: 'f', parameters: schemaOf(count) }] }),
    { error: { type: 'invalid_request_error', param: 'functions', code: 'too_many_values' } },
  ],
  [
    'the answer of a chat',
    'response_format',
    '/v1/chat/completions',
    (count) => ({
      model,
      messages: question,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: schemaOf(count) } },
    }),
    { error: { type: 'invalid_request_error', param: 'response_format', code: 'too_many_values' } },
  ],
  [
    'tools of messages',
    'tools',
    '/v1/messages',
    (count) => ({ model, max_tokens: 9, messages: question, tools: [{ name: 'f', input_schema: schemaOf(count) }] }),
    { type: 'error', error: { type: 'invalid_request_error' } },
  ],
  [
    'declarations of functions',
    'tools',
    generatePath,
    (count) => ({ contents, tools: [{ functionDeclarations: [{ name: 'f', parameters: schemaOf(count, 'STRING') }] }] }),
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ],
  [
    'the answer of a request of Gemini’s',
    'generationConfig',
    generatePath,
    (count) => ({ contents, generationConfig: { responseMimeType: 'application/json', responseSchema: schemaOf(count, 'STRING') } }),
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ],
  [
    'tools of responses',
    'tools',
    '/v1/responses',
    (count) => ({ model, input: 'a', tools: [{ type: 'function', name: 'f', parameters: schemaOf(count) }] }),
    { error: { type: 'invalid_request_error', param: 'tools', code: 'too_many_values' } },
  ],
]

test.each(schemas)(
  'a schema of %s with more values than the most is refused by name, and nothing is charged',
  async (_, name, path, bodyOf, form) => {
    const balance = await app.data(contract.account.self, {}, user)
    const refused = await ask(path, bodyOf(valuesMax / 2))
    expect([refused.status, refused.upstreamRequests, refused.text]).toEqual([
      400,
      0,
      expect.stringContaining(`in ${name}: the maximum is`),
    ])
    expect(refused.text).toContain(String(valuesMax))
    expect(JSON.parse(refused.text)).toMatchObject(form)
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(balance.quota)
    // The members around the schema are values, too.
    const most = await ask(path, bodyOf(valuesMax / 2 - 10))
    expect([most.status === 400, most.upstreamRequests]).toEqual([false, 1])
  },
)

test('lists of names are values, too', async () => {
  const names = many(valuesMax + 1, 'f')
  const config = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: names } }
  expect(await ask(generatePath, { contents, toolConfig: config })).toMatchObject({ status: 400, upstreamRequests: 0 })
  expect(await ask('/v1/chat/completions', { model, messages: question, stop: names })).toMatchObject({ status: 400, upstreamRequests: 0 })
})

test('counts of tokens have the same bound', async () => {
  for (const [path, body] of [
    ['/v1/messages/count_tokens', { model, messages: many(entriesMax + 1, { role: 'user', content: 'a' }) }],
    [`/v1beta/models/${model}:countTokens`, { contents: many(entriesMax, { role: 'user', parts: [{ text: 'a' }] }) }],
  ] as const) {
    const refused = await ask(path, body)
    expect([path, refused.status, refused.upstreamRequests, refused.text.includes(String(entriesMax))]).toEqual([path, 400, 0, true])
  }
})

test('what a function got is one value, however long its lists are', async () => {
  const input = { rows: many(2 * entriesMax, 1) }
  const conversation = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'b' }] },
  ]
  expect(await ask('/v1/messages', { model, max_tokens: 9, messages: conversation })).toMatchObject({ status: 200, upstreamRequests: 1 })
})
