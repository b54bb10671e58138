import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import { faultsIn, wireEvents } from '../../../../../../packages/vendors/test/message-grammar.ts'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { chatChunk, chatResponse, events, json, type Script, usageChunk } from '../../../../test/fake-upstream.ts'
import { messageScene } from '../../../../test/message-scene.ts'

// Messages of vendors that speak another protocol: the request becomes a chat, and the chat a message.

const model = 'gpt-4o-mini'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

const openAi = { type: 1, models: model } as const
const scene = (...scripts: Script[]) => messageScene(app, [openAi], scripts)
const hello = [{ role: 'user' as const, content: 'Hi' }]
const ask = { model, max_tokens: 100, messages: hello }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } } as const
const imageUrl = 'data:image/png;base64,AA=='

describe('a request for messages', () => {
  test('becomes a chat with everything that a chat can hold', async () => {
    const { raw, upstreamBody } = await scene(json(chatResponse('Hello')))
    const response = await raw({
      model,
      max_tokens: 4_000,
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } }, image] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'EqQB' },
            { type: 'text', text: 'I call.' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rio' } },
            { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no such city', is_error: true },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'Seen' }, image] },
            { type: 'text', text: 'Go on' },
          ],
        },
      ],
      tools: [
        {
          name: 'weather',
          description: 'Tells it',
          input_schema: { type: 'object', properties: {} },
          cache_control: { type: 'ephemeral' },
        },
        { name: 'look', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      stop_sequences: ['END'],
      temperature: 0.5,
      top_k: 5,
      metadata: { user_id: 'u-1' },
    })
    expect(app.upstream.received.at(-1)?.path).toBe('/v1/chat/completions')
    expect(upstreamBody()).toEqual({
      model,
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: imageUrl } },
          ],
        },
        {
          role: 'assistant',
          content: 'I call.',
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rio"}' } },
            { id: 'toolu_2', type: 'function', function: { name: 'look', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Error: no such city' },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'Seen' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Pictures in the results of the tools:' },
            { type: 'image_url', image_url: { url: imageUrl } },
          ],
        },
        { role: 'user', content: 'Go on' },
      ],
      max_completion_tokens: 4_000,
      stop: ['END'],
      temperature: 0.5,
      tools: [
        { type: 'function', function: { name: 'weather', description: 'Tells it', parameters: { type: 'object', properties: {} } } },
        { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      user: 'u-1',
    })
    expect(await response.json()).toMatchObject({
      content: [{ type: 'text', text: 'Hello' }],
      usage: { input_tokens: 10, output_tokens: 5 },
    })
  })

  test.each([
    [{ tool_choice: { type: 'tool', name: 'weather' } }, { tool_choice: { type: 'function', function: { name: 'weather' } } }],
    [{ tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, { reasoning_effort: 'medium' }],
    [{ thinking: { type: 'enabled', budget_tokens: 30_000 } }, { reasoning_effort: 'high' }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, { reasoning_effort: 'xhigh' }],
    [
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: false } } },
    ],
  ])('translates %j', async (fields, expected) => {
    const model = 'gpt-5.2'
    const { raw, upstreamBody } = await messageScene(app, [{ type: 1, models: model }], [json(chatResponse('Hello'))])
    const tools = [{ name: 'weather', input_schema: { type: 'object' } }]
    await raw({ ...ask, model, tools, ...fields })
    expect(upstreamBody()).toMatchObject(expected)
  })

  test('keeps documents as files and as text', async () => {
    const { raw, upstreamBody } = await scene(json(chatResponse('Hello')))
    const pdf = { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' } }
    const note = { type: 'document', title: 'Note', source: { type: 'text', media_type: 'text/plain', data: 'Words' } }
    await raw({ ...ask, messages: [{ role: 'user', content: [pdf, note] }] })
    expect(upstreamBody()['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
          { type: 'text', text: 'Note\n\nWords' },
        ],
      },
    ])
  })

  test.each([
    [{ mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] }, 'mcp_servers'],
    [{ tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
    [{ container: 'c_1' }, 'container'],
    [
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] }] },
      'messages[0].content[0]',
    ],
  ])('with %j is refused by the name of the field', async (fields, name) => {
    const { raw } = await messageScene(app, [{ type: 29, models: 'openai/gpt-oss-120b' }], [])
    const before = app.upstream.received.length
    const response = await raw({ ...ask, model: 'openai/gpt-oss-120b', ...fields })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', message: expect.stringContaining(name) } })
    expect(app.upstream.received.length).toBe(before)
  })

  test('with an image for a vendor that sees none is refused by the name of the block', async () => {
    const { raw } = await messageScene(app, [{ type: 36, models: 'deepseek-v4-pro' }], [])
    const response = await raw({ ...ask, model: 'deepseek-v4-pro', messages: [{ role: 'user', content: [image] }] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('messages[].content[].image') } })
  })

  test('goes to a channel that can hold it, if there is one', async () => {
    const { raw } = await messageScene(
      app,
      [
        { type: 1, models: 'claude-sonnet-4-5' },
        { type: 14, models: 'claude-sonnet-4-5' },
      ],
      [
        json({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      ],
    )
    const response = await raw({ ...ask, model: 'claude-sonnet-4-5', tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] })
    expect(response.status).toBe(200)
    expect(app.upstream.received.at(-1)?.path).toBe('/v1/messages')
  })

  const hidden = { thinking: { type: 'adaptive', display: 'omitted' } } as const
  test.each([
    ['', {}, 'I must look.'],
    [', which the client did not want to see', hidden, ''],
  ] as const)('gives DeepSeek its reasoning back%s, and no signature', async (_, fields, seen) => {
    const { client, upstreamBody } = await messageScene(
      app,
      [{ type: 36, models: 'deepseek-chat' }],
      [
        events([
          chatChunk({ reasoning_content: 'I must look.' }),
          chatChunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }] }),
          chatChunk({}, 'tool_calls'),
          usageChunk(10, 5),
          '[DONE]',
        ]),
        json(chatResponse('Sun')),
      ],
    )
    const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object' } }]
    const request = { ...ask, model: 'deepseek-chat', tools, ...fields }
    const first = await client.messages.stream(request).finalMessage()
    expect(first.content).toMatchObject([{ type: 'thinking', thinking: seen }, { type: 'tool_use' }])
    await client.messages.create({
      ...request,
      messages: [
        ...hello,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Sun' }] },
      ],
    })
    expect(upstreamBody()['messages']).toMatchObject([
      {},
      { role: 'assistant', reasoning_content: 'I must look.' },
      { role: 'tool', content: 'Sun' },
    ])
    expect(JSON.stringify(upstreamBody())).not.toContain('signature')
    app.upstream.script(
      json({ ...chatResponse('Sun'), choices: [{ message: { content: 'Sun', reasoning_content: 'I look.' }, finish_reason: 'stop' }] }),
    )
    const whole = await client.messages.create(request)
    expect(whole.content).toMatchObject([{ type: 'thinking', thinking: seen === '' ? '' : 'I look.' }, { text: 'Sun' }])
    expect(JSON.stringify(whole)).not.toContain(seen === '' ? 'I look.' : '"thinking":""')
  })

  test('gives Gemini back its proof of reasoning with the call that had it, and Claude none', async () => {
    const gemini = 'gemini-3-pro-preview'
    const part = { functionCall: { name: 'weather', args: {} }, thoughtSignature: 'proof-of-gemini' }
    const { client, upstreamBody, raw } = await messageScene(
      app,
      [
        { type: 24, models: gemini },
        { type: 14, models: 'claude-sonnet-4-5' },
      ],
      [
        events([
          {
            candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
            usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
          },
        ]),
        json({ candidates: [{ content: { parts: [{ text: 'Sun' }] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 5 } }),
        json({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      ],
    )
    const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object' } }]
    const first = await client.messages.stream({ ...ask, model: gemini, tools }).finalMessage()
    const [use] = first.content
    const next = [
      ...hello,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use?.type === 'tool_use' ? use.id : '', content: 'Sun' }] },
    ]
    await raw({ ...ask, model: gemini, tools, messages: next })
    expect(JSON.stringify(upstreamBody()['contents'])).toContain('"thoughtSignature":"proof-of-gemini"')
    await raw({ ...ask, model: 'claude-sonnet-4-5', tools, messages: next })
    expect(JSON.stringify(upstreamBody())).not.toContain('proof-of-gemini')
  })

  test('keeps marks for the cache, and reasoning, where the vendor reads them', async () => {
    const { raw, upstreamBody } = await messageScene(
      app,
      [{ type: 20, models: 'anthropic/claude-sonnet-4.5' }],
      [json(chatResponse('Hello'))],
    )
    const mark = { type: 'ephemeral' }
    await raw({ ...ask, model: 'anthropic/claude-sonnet-4.5', top_k: 3, system: [{ type: 'text', text: 'Be brief', cache_control: mark }] })
    expect(upstreamBody()).toMatchObject({
      top_k: 3,
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief', cache_control: mark }] },
        { role: 'user', content: 'Hi' },
      ],
    })
  })

  test('gets the channel’s system prompt before its own', async () => {
    const { raw, upstreamBody, ids } = await scene(json(chatResponse('Hello')))
    await app.data(contract.channel.update, { id: ids[0] ?? 0, key: 'upstream-key', system_prompt: 'House rules' })
    await raw({ ...ask, system: 'Be brief' })
    expect(upstreamBody()['messages']).toEqual([{ role: 'system', content: 'House rules\n\nBe brief' }, ...hello])
  })
})

test('A prompt that is too long is reported in the words that Claude Code knows', async () => {
  const error = {
    message: 'This model has 8 tokens only',
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  }
  const { raw } = await scene(json({ error }, 400))
  expect(await (await raw(ask)).json()).toMatchObject({
    error: { type: 'invalid_request_error', message: 'prompt is too long: This model has 8 tokens only' },
  })
})

describe('a stream of messages', () => {
  const call = (index: number, args: string, begin: object = {}) =>
    chatChunk({ tool_calls: [{ index, ...begin, function: { arguments: args, ...('id' in begin ? { name: `tool${index}` } : {}) } }] })

  test('keeps calls apart that a vendor sends mixed', async () => {
    const { client, raw } = await (async () => {
      const mixed = events([
        chatChunk({ content: 'I call.' }),
        call(0, '{"a"', { id: 'call_0', type: 'function' }),
        call(1, '{"b"', { id: 'call_1', type: 'function' }),
        call(0, ':1}'),
        call(1, ':2'),
        call(2, '', { id: 'call_2', type: 'function' }),
        call(1, '}'),
        chatChunk({}, 'tool_calls'),
        usageChunk(10, 5),
        '[DONE]',
      ])
      return await scene(mixed, mixed)
    })()
    const wire = wireEvents(await (await raw({ ...ask, stream: true })).text())
    expect(faultsIn(wire)).toEqual([])
    const message = await client.messages.stream(ask).finalMessage()
    expect(message.content).toMatchObject([
      { type: 'text', text: 'I call.' },
      { type: 'tool_use', id: 'call_0', name: 'tool0', input: { a: 1 } },
      { type: 'tool_use', id: 'call_1', name: 'tool1', input: { b: 2 } },
      { type: 'tool_use', id: 'call_2', name: 'tool2', input: {} },
    ])
    expect(message).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 10, output_tokens: 5 } })
  })

  test.each([
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['stop', 'end_turn'],
  ])('that ends with %s ends with %s', async (finish, reason) => {
    const { client } = await scene(events([chatChunk({ content: 'A' }), chatChunk({}, finish), usageChunk(1, 1), '[DONE]']))
    expect((await client.messages.stream(ask).finalMessage()).stop_reason).toBe(reason as Anthropic.StopReason)
  })

  test('that breaks off has an error event and no end', async () => {
    const { raw, log } = await scene([...events([chatChunk({ content: 'one two' })]), { do: 'pause', ms: 50 }, { do: 'cut' }])
    const text = await (await raw({ ...ask, stream: true })).text()
    expect(wireEvents(text).at(-1)).toMatchObject({ name: 'error', data: { error: { type: 'api_error' } } })
    expect(text).not.toContain('message_stop')
    expect(await log()).toMatchObject({ end_reason: 'upstream_cut' })
  })

  test('searches the web where the vendor does, cites the pages, and counts the searches', async () => {
    const { client, upstreamBody, log } = await messageScene(
      app,
      [{ type: 24, models: 'gemini-2.5-flash' }],
      [
        events([
          {
            candidates: [
              {
                content: { role: 'model', parts: [{ text: 'Rain.' }] },
                finishReason: 'STOP',
                groundingMetadata: {
                  webSearchQueries: ['weather'],
                  groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
                  groundingSupports: [{ segment: { startIndex: 0, endIndex: 5 }, groundingChunkIndices: [0] }],
                },
              },
            ],
            usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
          },
        ]),
      ],
    )
    const tools: Anthropic.ToolUnion[] = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }]
    const earlier: Anthropic.ContentBlockParam[] = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'Sun.' },
    ]
    const messages: Anthropic.MessageParam[] = [...hello, { role: 'assistant', content: earlier }, { role: 'user', content: 'And now?' }]
    const message = await client.messages.stream({ ...ask, model: 'gemini-2.5-flash', tools, messages }).finalMessage()
    expect(upstreamBody()).toMatchObject({
      tools: [{ googleSearch: {} }],
      contents: [{}, { role: 'model', parts: [{ text: 'Sun.' }] }, {}],
    })
    expect(message.content).toMatchObject([{ type: 'text', text: 'Rain.', citations: [{ url: 'https://a.example' }] }])
    expect(message.usage.server_tool_use?.web_search_requests).toBe(1)
    expect(await log()).toMatchObject({ end_reason: 'complete' })
  })

  test('brings the pages that a search found as citations, which do not go to Claude', async () => {
    const url = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 } }
    const { client } = await scene(
      events([chatChunk({ content: 'A' }), chatChunk({ annotations: [url] }), chatChunk({}, 'stop'), usageChunk(1, 1), '[DONE]']),
    )
    const [block] = (await client.messages.stream(ask).finalMessage()).content
    expect(block).toMatchObject({ citations: [{ type: 'web_search_result_location', url: 'https://a.example', title: 'A' }] })
  })
})
