import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { chatChunk, chatResponse, events, json, usageChunk } from '../../../../test/fake-upstream.ts'

let app: TestApp
let key: string
let client: OpenAI
/** One channel has OpenAI's chats but no responses; the other has a dialect of its own. */
const [compatible, foreign] = ['openai/gpt-oss-120b', 'claude-sonnet-4-5'] as const
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })).key
  await app.make.channel({ type: 29, models: compatible })
  await app.make.channel({ type: 14, models: foreign })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
})
afterAll(() => app.close())

// Holds: requests sent upstream are objects.
const upstreamBody = () => JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as Record<string, unknown>

async function lastRow() {
  const [row] = await app.data(contract.log.list, { type: 2 })
  return row
}

const weather = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false } as const

const claudeResponse = (content: readonly unknown[], stop = 'end_turn') => ({
  id: 'msg_upstream',
  type: 'message',
  role: 'assistant',
  model: foreign,
  content,
  stop_reason: stop,
  usage: { input_tokens: 20, output_tokens: 6 },
})

describe('a response of a vendor that has chats only', () => {
  test('is a whole response where the model can only stream', async () => {
    await app.make.channel({ type: 17, models: 'qwq-plus' })
    app.upstream.script(events([chatChunk({ content: 'Hello' }), chatChunk({}, 'stop'), usageChunk(10, 5), '[DONE]']))
    const response = await client.responses.create({ model: 'qwq-plus', input: 'Hi' })
    expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hello', usage: { input_tokens: 10 } })
  })

  test('is sent upstream as a chat, returned as a response, and charged', async () => {
    app.upstream.script(json(chatResponse('Hello there', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })))
    const response = await client.responses.create({
      model: compatible,
      instructions: 'Be brief',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
          ],
        },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
        },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
      ],
      tools: [weather],
      tool_choice: { type: 'function', name: 'weather' },
      max_output_tokens: 100,
      reasoning: { effort: 'low' },
      temperature: 0.5,
      store: false,
    })
    expect(app.upstream.received.at(-1)?.path).toBe('/v1/chat/completions')
    expect(upstreamBody()).toEqual({
      model: compatible,
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: weather.parameters, strict: false } }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      max_completion_tokens: 100,
      reasoning_effort: 'low',
      temperature: 0.5,
    })
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response',
      status: 'completed',
      model: compatible,
      store: false,
      output_text: 'Hello there',
      instructions: 'Be brief',
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, estimated: false })
  })

  test('is streamed in the order that the official client requires: reasoning, text, and parallel calls', async () => {
    const call = (index: number, id: string | undefined, name: string | undefined, args: string) => ({
      tool_calls: [
        {
          index,
          ...(id === undefined ? {} : { id, type: 'function' }),
          function: { ...(name === undefined ? {} : { name }), arguments: args },
        },
      ],
    })
    app.upstream.script(
      events([
        chatChunk({ role: 'assistant', content: '' }),
        chatChunk({ reasoning: 'Let me ' }),
        chatChunk({ reasoning: 'think' }),
        chatChunk({ content: 'I ' }),
        chatChunk({ content: 'ask' }),
        chatChunk(call(0, 'call_a', 'weather', '{"a"')),
        chatChunk(call(1, 'call_b', 'weather', '{}')),
        chatChunk(call(0, undefined, undefined, ':1}')),
        chatChunk({}, 'tool_calls'),
        usageChunk(10, 9),
        '[DONE]',
      ]),
    )
    const seen: string[] = []
    const numbers: number[] = []
    const running = client.responses.stream({ model: compatible, input: 'Weather?', tools: [weather] })
    for await (const event of running) {
      seen.push(event.type)
      if ('sequence_number' in event) numbers.push(event.sequence_number)
    }
    expect(seen).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(numbers).toEqual(seen.map((_, index) => index))
    const final = await running.finalResponse()
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'I ask' }] },
      { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'call_b', name: 'weather', arguments: '{}' },
    ])
    expect(final.usage).toMatchObject({ input_tokens: 10, output_tokens: 9 })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 10, completion_tokens: 9, is_stream: true, estimated: false })
  })

  test('is parsed by its schema, also after two translations', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
    app.upstream.script(json(claudeResponse([{ type: 'text', text: '{"city":"Rome"}' }])))
    const response = await client.responses.parse({
      model: foreign,
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', schema, strict: true } },
    })
    expect(app.upstream.received.at(-1)?.path).toBe('/v1/messages')
    expect(response.output_text).toBe('{"city":"Rome"}')
    expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 6 })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 20, completion_tokens: 6 })
  })

  test('is incomplete if its chat ended at the limit', async () => {
    app.upstream.script(json(claudeResponse([{ type: 'text', text: 'Hel' }], 'max_tokens')))
    const response = await client.responses.create({ model: foreign, input: 'Hello', max_output_tokens: 1 })
    expect([response.status, response.incomplete_details]).toEqual(['incomplete', { reason: 'max_output_tokens' }])
  })

  test('is sent as a stream if the vendor responded without one', async () => {
    app.upstream.script(json(chatResponse('Hello')))
    const running = client.responses.stream({ model: compatible, input: 'Hello' })
    const words: string[] = []
    running.on('response.output_text.delta', ({ delta }) => void words.push(delta))
    expect((await running.finalResponse()).output_text).toBe('Hello')
    expect(words).toEqual(['Hello'])
  })

  test('whose stream breaks off ends with an error event, after what was delivered', async () => {
    app.upstream.script(events([chatChunk({ content: 'Hello' })]))
    const running = await client.responses.create({ model: compatible, input: 'Hello', stream: true })
    const seen: string[] = []
    const read = async () => {
      for await (const { type } of running) seen.push(type)
    }
    expect(await read().catch((error: unknown) => error)).toMatchObject({ code: 'upstream_stream_interrupted' })
    expect(seen.at(-1)).toBe('response.output_text.delta')
    expect(await lastRow()).toMatchObject({ end_reason: 'upstream_cut', estimated: true })
  })

  test.each([
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['tool_choice', { tool_choice: { type: 'file_search' } }],
    ['input[0].content', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }],
  ])('has an error that %s is not offered, before anything is sent', async (name, fields) => {
    const before = app.upstream.received.length
    const response = await app.request('/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: foreign, input: 'Hello', ...fields }),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'parameter_not_offered', param: name, message: expect.stringContaining(`: ${name}`) },
    })
    expect(app.upstream.received.length).toBe(before)
  })

  test('has an error that names an item that only its vendor knows, as Codex’s mark for a shorter conversation', async () => {
    const response = await app.request('/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: foreign, input: [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }] }),
    })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: { code: 'parameter_not_offered', param: 'input[1].type', message: expect.stringContaining('Item compaction_trigger ') },
      },
    ])
  })

  test('that follows an unknown one has an error that names it', async () => {
    const response = await app.request('/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: foreign, input: 'Hello', previous_response_id: 'resp_unknown' }),
    })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: 'response_not_found', param: 'previous_response_id' } })
  })

  test.each([
    [foreign, 'file_search', [weather, { type: 'file_search' }], 'tools[1].type'],
    [compatible, 'web_search', [{ type: 'web_search' }], 'tools[0].type'],
  ])('of %s has an error for the tool %s that its vendor does not have', async (model, tool, tools, param) => {
    const response = await app.request('/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, input: 'Hello', tools }),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'parameter_not_offered', param, message: expect.stringContaining(`Tool ${tool} (${param}) `) },
    })
  })

  test('searches the web if the vendor does so in chats', async () => {
    app.upstream.script(json(claudeResponse([{ type: 'text', text: 'Found' }])))
    const place = { type: 'approximate' as const, country: 'NO', city: 'Oslo' }
    const search = {
      type: 'web_search' as const,
      filters: { allowed_domains: ['example.org'] },
      user_location: place,
      search_context_size: 'low' as const,
    }
    const response = await client.responses.create({
      model: foreign,
      input: 'News?',
      tools: [search],
      tool_choice: { type: 'web_search_preview' },
    })
    expect(response.output_text).toBe('Found')
    expect(upstreamBody()).toMatchObject({
      tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['example.org'], user_location: place }],
      tool_choice: { type: 'tool', name: 'web_search' },
    })
  })

  test('calls custom tools, as Codex has them, and translates their results', async () => {
    const patch = '*** Begin Patch\n"quoted"'
    const args = JSON.stringify({ input: patch })
    const half = Math.floor(args.length / 2)
    const piece = (argsChunk: string, head: object = {}) =>
      chatChunk({
        tool_calls: [
          { index: 0, ...head, function: { ...(argsChunk === args.slice(0, half) ? { name: 'apply_patch' } : {}), arguments: argsChunk } },
        ],
      })
    app.upstream.script(
      events([
        chatChunk({ role: 'assistant', content: '' }),
        piece(args.slice(0, half), { id: 'call_p', type: 'function' }),
        piece(args.slice(half)),
        chatChunk({}, 'tool_calls'),
        usageChunk(10, 9),
        '[DONE]',
      ]),
    )
    const format = { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: "x"' }
    const tools = [{ type: 'custom' as const, name: 'apply_patch', description: 'Changes files', format }]
    const running = client.responses.stream({ model: compatible, input: 'Fix it', tools, store: false })
    const inputs: string[] = []
    for await (const event of running) {
      if (event.type === 'response.custom_tool_call_input.delta') inputs.push(event.delta)
      if (event.type === 'response.custom_tool_call_input.done') inputs.push(event.input)
    }
    expect(inputs).toEqual([patch, patch])
    const [call] = (await running.finalResponse()).output
    expect(call).toMatchObject({ type: 'custom_tool_call', call_id: 'call_p', name: 'apply_patch', input: patch })
    const [tool] = upstreamBody()['tools'] as { function: { description: string; parameters: object } }[]
    expect(tool?.function.description).toContain('start: "x"')
    expect(tool).toMatchObject({ type: 'function', function: { name: 'apply_patch', parameters: { required: ['input'] } } })

    app.upstream.script(json(chatResponse('Done')))
    const next = await client.responses.create({
      model: compatible,
      tools,
      tool_choice: { type: 'custom', name: 'apply_patch' },
      input: [
        { role: 'user', content: 'Fix it' },
        { type: 'custom_tool_call', call_id: 'call_p', name: 'apply_patch', input: patch },
        { type: 'custom_tool_call_output', call_id: 'call_p', output: 'ok' },
      ],
    })
    expect(next.output_text).toBe('Done')
    expect(upstreamBody()).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'apply_patch' } },
      messages: [
        { role: 'user', content: 'Fix it' },
        { role: 'assistant', tool_calls: [{ id: 'call_p', type: 'function', function: { name: 'apply_patch', arguments: args } }] },
        { role: 'tool', tool_call_id: 'call_p', content: 'ok' },
      ],
    })
  })

  test('has the text of a custom tool also without a stream', async () => {
    const call = { id: 'call_p', type: 'function', function: { name: 'apply_patch', arguments: 'not what was asked for' } }
    app.upstream.script(
      json({
        ...chatResponse(''),
        choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
      }),
    )
    const running = client.responses.stream({ model: compatible, input: 'Fix it', tools: [{ type: 'custom', name: 'apply_patch' }] })
    expect((await running.finalResponse()).output).toMatchObject([{ type: 'custom_tool_call', input: 'not what was asked for' }])
  })

  test('calls functions of a group by one name in the chat, and by both in the response; a search of stored pages is left out', async () => {
    const spawn = { type: 'function', name: 'spawn', parameters: { type: 'object', properties: {} }, strict: false }
    const tools = [
      weather,
      { type: 'namespace', name: 'agents', description: 'Helpers', tools: [spawn] },
      { type: 'web_search', external_web_access: false },
    ]
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'agents__spawn', arguments: '{"task":1}' } }
    app.upstream.script(
      events([chatChunk({ role: 'assistant', tool_calls: [call] }), chatChunk({}, 'tool_calls'), usageChunk(10, 5), '[DONE]']),
      json(chatResponse('Done', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })),
    )
    const ask = (body: object) =>
      app.request('/v1/responses', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: compatible, tools, store: false, ...body }),
      })
    const text = await (await ask({ input: 'Go', stream: true })).text()
    const item = { type: 'function_call', call_id: 'call_1', name: 'spawn', namespace: 'agents', arguments: '{"task":1}' }
    expect(upstreamBody()['tools']).toMatchObject([
      { function: { name: 'weather' } },
      { type: 'function', function: { name: 'agents__spawn' } },
    ])
    const last = JSON.parse(text.trim().split('\n').at(-1)?.slice('data: '.length) ?? 'null') as { readonly response: unknown }
    expect(last.response).toMatchObject({ output: [item] })
    await ask({ input: [{ role: 'user', content: 'Go' }, item, { type: 'function_call_output', call_id: 'call_1', output: 'ok' }] })
    expect(upstreamBody()['messages']).toMatchObject([
      {},
      { tool_calls: [{ function: { name: 'agents__spawn' } }] },
      { role: 'tool', content: 'ok' },
    ])
  })

  test('is sent to a vendor with native responses if only that one supports the request', async () => {
    const own = await app.make.channel({ models: foreign, priority: -5 })
    const upstreamResponse = {
      id: 'resp_own',
      object: 'response',
      status: 'completed',
      output: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    app.upstream.script(json(upstreamResponse))
    const response = await client.responses.create({
      model: foreign,
      input: 'Hello',
      tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }],
    })
    expect([response.id, app.upstream.received.at(-1)?.path]).toEqual(['resp_own', '/v1/responses'])
    await app.data(contract.channel.remove, { id: own })
  })
})

test('after all tests the ledger is consistent', async () => {
  expect(await app.inconsistencies()).toEqual([])
})
