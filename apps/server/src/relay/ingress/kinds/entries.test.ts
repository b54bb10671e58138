import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { json } from '../../../../test/fake-upstream.ts'
import { entriesMax } from './entries.ts'

// One request must not keep the others waiting while it is translated, so it has a most of messages, parts and tools.

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 1_000_000_000 }))).key
  await app.make.channel({ type: 1, models: 'gpt-4o' })
})
afterAll(async () => {
  expect(await app.unsound()).toEqual([])
  await app.close()
})

const answer = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 20_000, completion_tokens: 2, total_tokens: 20_002 },
}

async function ask(path: string, body: object): Promise<{ readonly status: number; readonly text: string; readonly sent: number }> {
  const before = app.upstream.received.length
  app.upstream.script(json(answer))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  const sent = app.upstream.received.length - before
  // What was not fetched must not answer the next request.
  app.upstream.script()
  return { status: response.status, text, sent }
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
  expect([refused.status, refused.sent]).toEqual([400, 0])
  expect(refused.text).toContain(`(${name})`)
  expect(refused.text).toContain(String(entriesMax))
  // The double answers as chats are answered, which is no answer to native responses.
  const most = await ask(path, bodyOf(entriesMax))
  expect([most.status === 400, most.sent]).toEqual([false, 1])
})

test('counts of tokens have the same bound', async () => {
  for (const [path, body] of [
    ['/v1/messages/count_tokens', { model, messages: many(entriesMax + 1, { role: 'user', content: 'a' }) }],
    [`/v1beta/models/${model}:countTokens`, { contents: many(entriesMax, { role: 'user', parts: [{ text: 'a' }] }) }],
  ] as const) {
    const refused = await ask(path, body)
    expect([path, refused.status, refused.sent, refused.text.includes(String(entriesMax))]).toEqual([path, 400, 0, true])
  }
})

test('what a function got is one value, however long its lists are', async () => {
  const input = { rows: many(2 * entriesMax, 1) }
  const said = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'b' }] },
  ]
  expect(await ask('/v1/messages', { model, max_tokens: 9, messages: said })).toMatchObject({ status: 200, sent: 1 })
})
