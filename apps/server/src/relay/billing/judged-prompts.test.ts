import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

// Text anywhere in a body is counted before it is sent, and a vendor that counts it is believed.

const words = 'word '.repeat(40_000)
const claude = 'claude-haiku-4-5'
const gemini = 'gemini-2.5-flash'

let app: TestApp
let rich: TestUser
let richKey: string
let poorKey: string
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify({ 'my-server': { ratio: 1, completion: 1 } }) })
  await app.make.channel({ models: 'gpt-4o-mini,text-embedding-3-small' })
  await app.make.channel({ type: 8, models: 'my-server' })
  await app.make.channel({ type: 14, models: claude })
  await app.make.channel({ type: 24, models: gemini })
  await app.make.channel({ type: 35, models: 'command-r-08-2024' })
  rich = await app.make.user({ quota: 1_000_000_000 })
  richKey = (await app.make.token(rich, { isUnlimited: true })).key
  poorKey = (await app.make.token(await app.make.user({ quota: 500 }), { isUnlimited: true })).key
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const send = (key: string, path: string, body: object): Promise<Response> =>
  app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function rowOf(path: string, body: object): Promise<LogRow> {
  await (await send(richKey, path, body)).text()
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: rich.username })
  if (row === undefined) throw new Error('nothing was logged')
  return row
}

const chats = (input: number): Script => json(chatResponse('{}', { prompt_tokens: input, completion_tokens: 5, total_tokens: input + 5 }))
const messages = (input: number): Script =>
  json({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: claude, stop_reason: 'end_turn' },
    content: [{ type: 'text', text: '{}' }],
    usage: { input_tokens: input, output_tokens: 5 },
  })
const contents = (input: number): Script =>
  json({
    candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: '{}' }] } }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: 5, totalTokenCount: input + 5 },
  })
const items = (input: number): Script =>
  json({
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o-mini' },
    output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: '{}' }] }],
    usage: { input_tokens: input, output_tokens: 5, total_tokens: input + 5 },
  })
const cohere = (input: number): Script =>
  json({
    ...{ id: 'c', finish_reason: 'COMPLETE', message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }] } },
    usage: { billed_units: { input_tokens: input, output_tokens: 5 }, tokens: { input_tokens: input, output_tokens: 5 } },
  })

const greeting = [{ role: 'user', content: 'Hi' }]
const schema = (text: string) => ({ type: 'object', properties: { a: { type: 'string', description: text } } })
const format = (text: string) => ({ type: 'json_schema', name: 's', schema: schema(text) })
const generate = `/v1beta/models/${gemini}:generateContent`
const turns = [{ role: 'user', parts: [{ text: 'Hi' }] }]

type Case = readonly [name: string, path: string, body: (text: string) => object, script: (input: number) => Script]

const schemas: readonly Case[] = [
  [
    'the schema of a chat',
    '/v1/chat/completions',
    (text) => ({ model: 'gpt-4o-mini', messages: greeting, response_format: { type: 'json_schema', json_schema: format(text) } }),
    chats,
  ],
  ['the schema of a response', '/v1/responses', (text) => ({ model: 'gpt-4o-mini', input: 'Hi', text: { format: format(text) } }), items],
  [
    'the schema of a message',
    '/v1/messages',
    (text) => ({ model: claude, max_tokens: 50, messages: greeting, output_config: { format: format(text) } }),
    messages,
  ],
  [
    'the schema of a message in its older place',
    '/v1/messages',
    (text) => ({ model: claude, max_tokens: 50, messages: greeting, output_format: format(text) }),
    messages,
  ],
  [
    'the schema of Gemini',
    generate,
    (text) => ({ contents: turns, generationConfig: { responseMimeType: 'application/json', responseSchema: schema(text) } }),
    contents,
  ],
  [
    'the JSON schema of Gemini',
    generate,
    (text) => ({ contents: turns, generation_config: { responseMimeType: 'application/json', response_json_schema: schema(text) } }),
    contents,
  ],
  [
    'documents of Cohere',
    '/v1/chat/completions',
    (text) => ({ model: 'command-r-08-2024', messages: greeting, documents: [{ data: { text } }] }),
    cohere,
  ],
  ['a schema of vLLM', '/v1/chat/completions', (text) => ({ model: 'my-server', messages: greeting, guided_json: schema(text) }), chats],
  [
    'words for a chat template',
    '/v1/chat/completions',
    (text) => ({ model: 'my-server', messages: greeting, chat_template_kwargs: { documents: [text] } }),
    chats,
  ],
]

const others: readonly Case[] = [
  [
    'a member that nobody knows',
    '/v1/chat/completions',
    (text) => ({ model: 'my-server', messages: greeting, new_member: { deep: [{ er: text }] } }),
    chats,
  ],
  [
    'a member of a message that nobody knows',
    '/v1/chat/completions',
    (text) => ({ model: 'my-server', messages: [{ ...greeting[0], aside: text }] }),
    chats,
  ],
  [
    'a member of a part that nobody knows',
    '/v1/chat/completions',
    (text) => ({ model: 'my-server', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', aside: text }] }] }),
    chats,
  ],
  [
    'names of members',
    '/v1/chat/completions',
    (text) => ({ model: 'my-server', messages: greeting, new_member: Object.fromEntries([[text, 1]]) }),
    chats,
  ],
  ['a long role', '/v1/chat/completions', (text) => ({ model: 'my-server', messages: [...greeting, { role: text, content: '' }] }), chats],
]

describe.each([...schemas, ...others])('the text of %s', (_, path, body, script) => {
  test('is reserved', async () => {
    const response = await send(poorKey, path, { ...body(words), ...(path === generate ? {} : { max_tokens: 9 }) })
    expect(response.status).toBe(403)
    expect(await response.text()).toMatch(/Insufficient account balance/)
  })

  test('is charged as its vendor counts it', async () => {
    app.upstream.script(script(45_000))
    expect(await rowOf(path, body(words))).toMatchObject({ usage_suspect: false, estimated: false, prompt_tokens: 45_000 })
  })
})

test.each(schemas)('a count far above that of %s is not believed', async (_, path, body, script) => {
  app.upstream.script(script(80_000))
  const row = await rowOf(path, body('word '.repeat(400)))
  expect(row).toMatchObject({ usage_suspect: true, estimated: true })
  // The text alone is 400 tokens by the tokenizer, and 500 by the estimate.
  expect(row.prompt_tokens).toBeGreaterThan(400)
  expect(row.prompt_tokens).toBeLessThan(700)
})

test.each([
  ['letters that are two tokens each', 'ǟǞǡǠǬȻɎȜ'.repeat(1_000), 16_200],
  ['signs of the first page that are two', '\u0080\u0085\u0090\u0099'.repeat(2_000), 16_200],
  ['letters of a rare script', 'ꀀꀁꀂꀃ'.repeat(2_000), 24_200],
])('a prompt of %s is charged as its vendor counts it', async (_, content, input) => {
  app.upstream.script(chats(input))
  const row = await rowOf('/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content }] })
  expect(row).toMatchObject({ usage_suspect: false, prompt_tokens: input })
})

describe('bytes that only their vendor can read', () => {
  const bytes = 'QUJD'.repeat(20_000)
  const sealed: readonly Case[] = [
    [
      'thoughts of a message',
      '/v1/messages',
      (data) => ({
        ...{ model: claude, max_tokens: 9 },
        messages: [
          ...greeting,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm', signature: data },
              { type: 'text', text: 'Hi' },
            ],
          },
          ...greeting,
        ],
      }),
      messages,
    ],
    [
      'a signature of Gemini',
      generate,
      (data) => ({
        contents: [...turns, { role: 'model', parts: [{ text: 'Hi', thoughtSignature: data }] }, ...turns],
        generationConfig: { maxOutputTokens: 9 },
      }),
      contents,
    ],
  ]

  test.each(sealed)('are not reserved, and charged as their vendor counts them: %s', async (_, path, body, script) => {
    app.upstream.script(script(9), script(30_000))
    expect((await send(poorKey, path, body(bytes))).status).toBe(200)
    expect(await rowOf(path, body(bytes))).toMatchObject({ usage_suspect: false, prompt_tokens: 30_000 })
  })

  test('and tools whose loading is deferred are not reserved', async () => {
    const tool = { name: 'f', description: words, input_schema: { type: 'object' }, defer_loading: true }
    app.upstream.script(messages(9))
    expect((await send(poorKey, '/v1/messages', { model: claude, max_tokens: 9, messages: greeting, tools: [tool] })).status).toBe(200)
  })
})
