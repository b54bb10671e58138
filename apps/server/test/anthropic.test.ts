import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { events, json, type Script } from './fake-upstream.ts'

const model = 'claude-sonnet-4-5'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

/** A new account with one channel that responds with the given scripts. */
async function claude(...scripts: Script[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key } = await app.make.token(user)
  await app.make.channel({ groups: group, type: 14, models: model, key: 'sk-ant-1' })
  app.upstream.script(...scripts)
  return { user, client: new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 }) }
}

function lastBody(): unknown {
  return JSON.parse(app.upstream.received.at(-1)?.body ?? 'null')
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

const start = (usage: object) => ({ type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage } })
const opened = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value })
const closed = (index: number) => ({ type: 'content_block_stop', index })
const ended = (reason: string, usage: object) => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage },
  { type: 'message_stop' },
]

const tools: OpenAI.Chat.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'files.read', parameters: { type: 'object', properties: { path: { type: 'string' } } } } },
]

describe('a conversation with tools through OpenAI’s own client', () => {
  const question = [{ role: 'user' as const, content: 'What does it say?' }]

  test('continues with the model’s reasoning, the client’s names of tools and the vendor’s ids', async () => {
    const { client } = await claude(
      events([
        start({ input_tokens: 40, output_tokens: 1 }),
        opened(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'I must ' }),
        delta(0, { type: 'thinking_delta', thinking: 'read it.' }),
        delta(0, { type: 'signature_delta', signature: 'EqQBCg==' }),
        closed(0),
        opened(1, { type: 'redacted_thinking', data: 'EmwKAhgB' }),
        closed(1),
        opened(2, { type: 'tool_use', id: 'toolu_1', name: 'files_read', input: {} }),
        delta(2, { type: 'input_json_delta', partial_json: '{"path":' }),
        { type: 'ping' },
        delta(2, { type: 'input_json_delta', partial_json: '"a.txt"}' }),
        closed(2),
        ...ended('tool_use', { output_tokens: 30 }),
      ]),
      json({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 90, output_tokens: 3 },
      }),
    )
    const request = { model, tools, reasoning_effort: 'low' as const, max_tokens: 500 }
    const { message } = (await client.chat.completions.stream({ ...request, messages: question }).finalChatCompletion()).choices[0] ?? {}
    const [call] = message?.tool_calls ?? []
    expect(call).toMatchObject({ id: 'toolu_1', function: { name: 'files.read', arguments: '{"path":"a.txt"}' } })
    if (message === undefined || call === undefined) throw new Error('no tool was called')

    await client.chat.completions.create({
      ...request,
      messages: [...question, message, { role: 'tool', tool_call_id: call.id, content: 'It says hello.' }],
    })
    expect(lastBody()).toMatchObject({
      thinking: { type: 'enabled' },
      tools: [{ name: 'files_read' }],
      messages: [
        { role: 'user', content: 'What does it say?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'I must read it.', signature: 'EqQBCg==' },
            { type: 'redacted_thinking', data: 'EmwKAhgB' },
            { type: 'tool_use', id: 'toolu_1', name: 'files_read', input: { path: 'a.txt' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'It says hello.' }] },
      ],
    })
  })

  test('accepts tool calls that another vendor’s model made', async () => {
    const { client } = await claude(
      json({ type: 'message', content: [], stop_reason: 'end_turn', usage: { input_tokens: 9, output_tokens: 1 } }),
    )
    const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'files.read', arguments: '' } })
    await client.chat.completions.create({
      model,
      tools,
      messages: [
        ...question,
        { role: 'assistant', tool_calls: [call('functions.files.read:0')] },
        { role: 'tool', tool_call_id: 'functions.files.read:0', content: 'a' },
        { role: 'assistant', tool_calls: [call('functions.files.read:0')] },
        { role: 'tool', tool_call_id: 'functions.files.read:0', content: 'b' },
      ],
    })
    const ids = [...JSON.stringify(lastBody()).matchAll(/"(?:id|tool_use_id)":"([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['functions_files_read_0', 'functions_files_read_0', 'functions_files_read_0_2', 'functions_files_read_0_2'])
  })
})

describe('a write to the cache', () => {
  test('for an hour is charged once, though the stream reports it twice', async () => {
    const { client, user } = await claude(
      events([
        start({
          input_tokens: 10,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 1000,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1000 },
          output_tokens: 1,
        }),
        opened(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'Yes' }),
        closed(0),
        ...ended('end_turn', { input_tokens: 10, cache_creation_input_tokens: 1000, cache_read_input_tokens: 0, output_tokens: 2 }),
      ]),
    )
    const stream = client.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }] }],
      stream_options: { include_usage: true },
    })
    expect((await stream.finalChatCompletion()).usage).toMatchObject({
      prompt_tokens: 1010,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 1000 },
    })
    // 1.5 quota a token: 10 at that price, 1000 at twice that, 2 at five times that.
    expect((await lastLog(user))?.quota).toBe(10 * 1.5 + 1000 * 3 + 2 * 7.5)
  })
})

test('a response that the model refused has the reason', async () => {
  const details = { type: 'refusal', category: null, explanation: 'It could harm.' }
  const { client } = await claude(
    events([
      start({ input_tokens: 10, output_tokens: 1 }),
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: details }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]),
  )
  const { choices } = await client.chat.completions.stream({ model, messages: [{ role: 'user', content: 'Hi' }] }).finalChatCompletion()
  expect(choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { refusal: 'It could harm.' } })
})

test('if an account has no credit at the vendor, the next channel is tried', async () => {
  const poor = { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' } }
  const { client, user } = await claude(
    json(poor, 400),
    json({
      type: 'message',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 1 },
    }),
  )
  await app.make.channel({ groups: (await app.data(contract.account.self, {}, user)).group, type: 14, models: model, priority: -1 })
  const response = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] })
  expect(response.choices[0]?.message.content).toBe('Hi')
})
