import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatChunk, events, json, type Script, usageChunk } from '../../../test/fake-upstream.ts'

// Almost compatible servers: they leave out fields that OpenAI's clients need.

let app: TestApp
let key: string
let client: OpenAI
const [model, foreign] = ['gpt-4o-mini', 'claude-sonnet-4-5'] as const
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })).key
  await app.make.channel({ type: 8, models: model, baseUrl: app.upstream.url })
  await app.make.channel({ type: 14, models: foreign })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const hello = { model, messages: [{ role: 'user' as const, content: 'Hi' }] }

/** The data of every event that the client gets; `[DONE]` as text. */
async function streamed(script: Script, fields: object = {}): Promise<readonly unknown[]> {
  app.upstream.script(script)
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...hello, stream: true, ...fields }),
  })
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => (line === 'data: [DONE]' ? '[DONE]' : JSON.parse(line.slice(6))))
}

const bare = (delta: object, reason: string | null = null) => ({ choices: [{ delta, finish_reason: reason }] })
const named = { id: expect.stringMatching(/^chatcmpl-/), object: 'chat.completion.chunk', created: expect.any(Number), model }
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

describe('a stream', () => {
  test('gets the head of its chunks, the role and the terminator that its server leaves out', async () => {
    expect(await streamed(events([bare({ content: 'Hel' }), bare({ content: 'lo' }), bare({}, 'stop')]))).toEqual([
      { ...named, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }] },
      { ...named, choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }] },
      { ...named, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    ])
  })

  test('gets a finish reason if it ends without one', async () => {
    const all = await streamed(events([chatChunk({ role: 'assistant', content: 'Hi' }), '[DONE]']))
    expect(all.slice(1)).toEqual([{ ...chatChunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, '[DONE]'])
  })

  test('has its usage in a chunk of its own and nowhere else, if requested', async () => {
    const last = { ...chatChunk({}, 'stop'), usage }
    const script = events([chatChunk({ role: 'assistant', content: 'Hi' }), last, '[DONE]'])
    const withUsage = await streamed(script, { stream_options: { include_usage: true } })
    expect(withUsage.slice(1)).toEqual([{ ...last, usage: null }, usageChunk(3, 2), '[DONE]'])
    expect((await streamed(script)).slice(1)).toEqual([last, '[DONE]'])
  })

  test('omits the usage chunk of a proxy, which has an empty choice, unless requested', async () => {
    const proxied = { ...chatChunk({}), usage }
    const script = events([chatChunk({ role: 'assistant', content: 'Hi' }), chatChunk({}, 'stop'), proxied, '[DONE]'])
    expect((await streamed(script)).slice(1)).toEqual([chatChunk({}, 'stop'), '[DONE]'])
    const withUsage = await streamed(script, { stream_options: { include_usage: true } })
    expect(withUsage.slice(1)).toEqual([chatChunk({}, 'stop'), usageChunk(3, 2), '[DONE]'])
  })

  test('that is complete passes byte for byte', async () => {
    const data = [
      { ...chatChunk({ role: 'assistant', content: '' }), unknown: [1] },
      chatChunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }),
      chatChunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      chatChunk({}, 'tool_calls'),
    ].map((chunk) => `data:  ${JSON.stringify(chunk, null, 1).replaceAll('\n', '')}\n\n`)
    const bytes = `${data.join('')}data: [DONE]\n\n`
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
      { do: 'send', bytes },
    ])
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    expect(await response.text()).toBe(bytes)
  })
})

describe('tool calls of a stream', () => {
  const first = chatChunk({ role: 'assistant', content: '' })
  const calls = (...list: readonly object[]) => chatChunk({ tool_calls: list })
  const piece = (name: string | undefined, args: string) => ({ function: { ...(name === undefined ? {} : { name }), arguments: args } })

  test.each([
    ['whole in one list, as Mistral sends them', [calls({ id: 'a', ...piece('sun', '{"x":1}') }, { id: 'b', ...piece('rain', '{}') })]],
    [
      'in pieces with ids',
      [
        calls({ id: 'a', ...piece('sun', '{"x"') }),
        calls({ id: 'b', ...piece('rain', '{}') }),
        calls({ id: 'a', ...piece(undefined, ':1}') }),
      ],
    ],
    [
      'in pieces one after the other',
      [calls({ id: 'a', ...piece('sun', '{"x"') }), calls(piece(undefined, ':1}')), calls({ id: 'b', ...piece('rain', '{}') })],
    ],
    [
      'side by side under one index',
      [calls({ index: 0, id: 'a', ...piece('sun', '{"x":1}') }, { index: 0, id: 'b', ...piece('rain', '{}') })],
    ],
  ])('do not merge where they come %s', async (_, chunks) => {
    const script = events([first, ...chunks, chatChunk({}, 'tool_calls'), '[DONE]'])
    const expected = [
      { id: 'a', type: 'function', function: { name: 'sun', arguments: '{"x":1}' } },
      { id: 'b', type: 'function', function: { name: 'rain', arguments: '{}' } },
    ]
    app.upstream.script(script, script)
    const message = await client.chat.completions.stream(hello).finalMessage()
    expect(message.tool_calls).toMatchObject(expected)
    // The other kind of call assembles its items from the same chunks.
    const response = await client.responses.stream({ model: await onlyChats(), input: 'Hi' }).finalResponse()
    expect(response.output.filter(({ type }) => type === 'function_call')).toMatchObject([
      { call_id: 'a', name: 'sun', arguments: '{"x":1}' },
      { call_id: 'b', name: 'rain', arguments: '{}' },
    ])
  })

  test('get the missing id, index and type, and the finish reason `tool_calls`', async () => {
    const chunks = await streamed(events([first, calls(piece('sun', '{}')), calls(piece('rain', '{}')), '[DONE]']))
    const call = (index: number, name: string) => ({
      index,
      id: expect.stringMatching(/^call_/),
      type: 'function',
      function: { name, arguments: '{}' },
    })
    expect(chunks.slice(1)).toMatchObject([
      { choices: [{ delta: { tool_calls: [call(0, 'sun')] } }] },
      { choices: [{ delta: { tool_calls: [call(1, 'rain')] } }] },
      { choices: [{ finish_reason: 'tool_calls' }] },
      '[DONE]',
    ])
  })

  let chats: string | null = null
  async function onlyChats(): Promise<string> {
    chats ??= 'llama-3.3-70b-versatile'
    if (!(await app.data(contract.channel.list, {})).some(({ models }) => models === chats))
      await app.make.channel({ type: 29, models: chats })
    return chats
  }
})

test('a whole response gets what its server leaves out', async () => {
  const call = { function: { name: 'sun', arguments: '{}' } }
  app.upstream.script(json({ choices: [{ message: { content: null, tool_calls: [call] } }], usage }))
  const response = await client.chat.completions.create(hello)
  expect(response).toEqual({
    ...named,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [{ ...call, id: expect.stringMatching(/^call_/), type: 'function' }] },
        finish_reason: 'tool_calls',
      },
    ],
    usage,
  } as never)
})

test('a completion without its terminator gets it', async () => {
  app.upstream.script(events([{ id: 'c', object: 'text_completion', choices: [{ index: 0, text: ' there', finish_reason: 'stop' }] }]))
  const response = await app.request('/v1/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, prompt: 'Hi', stream: true }),
  })
  expect(await response.text()).toEndWith('\n\ndata: [DONE]\n\n')
})

test('a second response that a proxy starts within the first ends as an error and is no complete response', async () => {
  const start = (id: string) => ({
    type: 'message_start',
    message: { id, role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
  })
  const tool = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'sun', input: {} } }
  const half = { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"x"' } }
  const text = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } }
  const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } }, { type: 'message_stop' }]
  const [, ...second] = events([start('msg_2'), text, ...end])
  app.upstream.script([...events([start('msg_1'), tool, half]), { do: 'wait', name: 'second' }, ...second])
  const stream = await client.chat.completions.create({ ...hello, model: foreign, stream: true })
  const read = async (): Promise<void> => {
    for await (const { choices } of stream) if (choices[0]?.delta.tool_calls !== undefined) app.upstream.release('second')
  }
  expect(await read().catch((error: unknown) => error)).toMatchObject({
    error: { message: 'the upstream service started a second message within the first' },
  })
  const [row] = await app.data(contract.log.list, { type: 2 })
  expect(row).toMatchObject({ end_reason: 'upstream_cut' })
})
