import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Vendor } from '../../core/vendor.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { azure } from '../../vendors/azure/vendor.ts'
import { openaiVendor } from '../../vendors/openai/vendor.ts'
import { openaiThinking } from './reasoning-chats.ts'

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }
const shell = { type: 'custom', custom: { name: 'shell', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'a' } } } }
const userMessages = [{ role: 'user', content: 'Rain?' }]
const context = { id: 'chatcmpl-1', created: 1, model: 'gpt-6-sol' }

function requestOf(chat: JsonObject, { vendor = openaiVendor, baseUrl }: { readonly vendor?: Vendor; readonly baseUrl?: string } = {}) {
  const { facts } = exampleChannel(vendor)
  const model = String(chat['model'])
  const channel = baseUrl === undefined ? facts : { ...facts, baseUrl }
  const used = addressed(vendor, { ...channel, config: '' })?.vendor ?? vendor
  return buildRequest(used, { messages: userMessages, ...chat }, { kind: 'chat', model, stream: false, channel })
}

describe('a chat of OpenAI with functions', () => {
  test.each([
    ['gpt-6-sol', undefined, '/v1/responses'],
    ['gpt-6-sol', 'none', '/v1/chat/completions'],
    ['gpt-6.2-astra', 'none', '/v1/responses'],
    ['gpt-5.6-luna', 'high', '/v1/responses'],
    ['gpt-5.4', undefined, '/v1/chat/completions'],
    ['gpt-5.4', 'low', '/v1/responses'],
    ['gpt-5.2', 'high', '/v1/chat/completions'],
    ['gpt-4.1', undefined, '/v1/chat/completions'],
  ])('to %s at the level %s goes to %s', (model, effort, path) => {
    const chat = { model, tools: [weather], ...(effort === undefined ? {} : { reasoning_effort: effort }) }
    expect(requestOf(chat).path).toBe(path)
    expect(requestOf({ model, ...(effort === undefined ? {} : { reasoning_effort: effort }) }).path).toBe('/v1/chat/completions')
  })

  test('is a response at Azure, and a chat at other servers with its dated interface, which may have no responses', () => {
    const chat = { model: 'gpt-6-sol', tools: [weather] }
    expect(requestOf(chat, { vendor: azure, baseUrl: 'https://a.openai.azure.com/openai/v1' }).path).toBe('/v1/responses')
    expect(requestOf(chat, { vendor: azure, baseUrl: 'https://a.openai.azure.com' }).path).toBe('/openai/v1/responses')
    expect(requestOf(chat, { vendor: azure, baseUrl: 'https://gateway.example' }).path).toContain('/chat/completions?api-version=')
  })

  test('has its turns, calls and results as items, and its settings under the names of responses', () => {
    const messages = [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Rain?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aa' } },
        ],
      },
      { role: 'assistant', content: 'Well.', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'Yes' }] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c2', type: 'custom', custom: { name: 'shell', input: 'ls' } }] },
      { role: 'tool', tool_call_id: 'c2', content: 'a.txt' },
    ]
    const schema = { name: 'answer', schema: { type: 'object' }, strict: true }
    const { body } = requestOf({
      ...{ model: 'gpt-6-sol', messages, tools: [weather, shell], tool_choice: { type: 'function', function: { name: 'weather' } } },
      ...{ reasoning_effort: 'minimal', max_completion_tokens: 5, temperature: 0.5, seed: 1, verbosity: 'low', user: 'u', n: 1 },
      response_format: { type: 'json_schema', json_schema: schema },
    })
    expect(body).toEqual({
      model: 'gpt-6-sol',
      input: [
        { role: 'system', content: 'Be short.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Rain?' },
            { type: 'input_image', image_url: 'data:image/png;base64,aa', detail: 'auto' },
          ],
        },
        { role: 'assistant', content: 'Well.', phase: 'commentary' },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'Yes' }] },
        { type: 'custom_tool_call', call_id: 'c2', name: 'shell', input: 'ls' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'a.txt' },
      ],
      tools: [
        { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'custom', name: 'shell', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
      ],
      tool_choice: { type: 'function', name: 'weather' },
      reasoning: { effort: 'low' },
      max_output_tokens: 16,
      text: { format: { type: 'json_schema', ...schema }, verbosity: 'low' },
      user: 'u',
      store: false,
      include: ['reasoning.encrypted_content'],
    })
  })

  test('has the reasoning before its calls, as the vendor encrypted it, unless the vendor has none', () => {
    const reasoningText = (id: string) => ({ id, summary: [], encrypted_content: `text of ${id}` })
    const callOf = (id: string, reasoning?: readonly JsonObject[]) => ({
      ...{ id, type: 'function', function: { name: 'weather', arguments: '{}' } },
      ...(reasoning === undefined ? {} : { extra_content: { openai: { reasoning }, google: { thought_signature: 'foreign' } } }),
    })
    const assistantMessage = {
      role: 'assistant',
      content: 'Well.',
      tool_calls: [callOf('c1', [reasoningText('rs_1')]), callOf('c2'), callOf('c3', [reasoningText('rs_3')])],
    }
    const chat = { model: 'gpt-6-sol', tools: [weather], messages: [...userMessages, assistantMessage] }
    expect(requestOf(chat).body['input']).toEqual([
      { role: 'user', content: 'Rain?' },
      { type: 'reasoning', ...reasoningText('rs_1') },
      { role: 'assistant', content: 'Well.', phase: 'commentary' },
      expect.objectContaining({ type: 'function_call', call_id: 'c1' }),
      expect.objectContaining({ type: 'function_call', call_id: 'c2' }),
      { type: 'reasoning', ...reasoningText('rs_3') },
      expect.objectContaining({ type: 'function_call', call_id: 'c3' }),
    ] as never)
    const next = [...chat.messages, { role: 'assistant', content: 'Dry.' }, { role: 'user', content: 'Sure?' }]
    expect(requestOf({ ...chat, messages: next }).body['input']).toContainEqual({
      role: 'assistant',
      content: 'Dry.',
      phase: 'final_answer',
    })
    const plain = { role: 'assistant', content: 'Well.', tool_calls: [callOf('c1'), callOf('c2'), callOf('c3')] }
    expect(requestOf({ ...chat, reasoning_effort: 'none' }).body['messages']).toEqual([...userMessages, plain])
  })

  test.each([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ stop: ['.'.repeat(65)] }, 'stop'],
    [{ web_search_options: {} }, 'web_search_options'],
  ])('with %j is refused by name', (field, name) => {
    expect(requestOf({ model: 'gpt-6-sol', tools: [weather], ...field }).refused).toBe(name)
  })

  test('with a stop sequence gets a response that ends there', () => {
    const { body, refused, cutAt } = requestOf({ model: 'gpt-6-sol', tools: [weather], stop: 'END' })
    expect([body['stop'], refused, cutAt]).toEqual([undefined, undefined, ['END']])
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One END two', annotations: [] }] }]
    const read = openaiThinking.response(
      { object: 'response', id: 'resp_1', status: 'completed', output },
      { id: 'c', created: 1, model: 'm', cutAt },
    )
    expect(read).toMatchObject({ response: { choices: [{ message: { content: 'One ' }, finish_reason: 'stop' }] } })
  })

  test('in the old form gets a response in it', () => {
    const { body, callsFunctions } = requestOf({ model: 'gpt-6-sol', functions: [weather.function], function_call: 'auto' })
    expect([callsFunctions, body['tools'], body['parallel_tool_calls']]).toEqual([
      true,
      [expect.objectContaining({ name: 'weather' })],
      false,
    ])
  })
})

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
}
const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'weather', arguments: '{"at":"Rome"}' }
const message = { type: 'message', content: [{ type: 'output_text', text: 'Let me see.' }] }
const response = {
  object: 'response',
  status: 'completed',
  service_tier: 'priority',
  output: [{ type: 'reasoning', summary: [] }, message, call],
  usage,
}

describe('a response for a chat', () => {
  test('is a whole response of a chat, with its usage', () => {
    const read = openaiThinking.response(response, context)
    expect(read).toMatchObject({
      response: {
        object: 'chat.completion',
        choices: [
          {
            message: {
              content: 'Let me see.',
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"at":"Rome"}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
      usage: { promptTokens: 10, cachedTokens: 4, completionTokens: 7, reasoningTokens: 3, serviceTier: 'priority' },
    })
  })

  test.each([
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
    [{ status: 'incomplete', incomplete_details: null }, 'length'],
    [{ status: 'cancelled' }, 'length'],
    [{ status: 'in_progress', incomplete_details: null }, 'length'],
    [{ status: 'completed' }, 'stop'],
  ])('that ends with %j has the reason %s', (end, reason) => {
    expect(openaiThinking.response({ ...response, output: [message], ...end }, context)).toMatchObject({
      response: { choices: [{ finish_reason: reason }] },
    })
  })

  test('is a failure where it says so', () => {
    const failed = { ...response, status: 'failed', error: { code: 'server_error', message: 'oh' } }
    expect(openaiThinking.response(failed, context)).toMatchObject({ kind: 'unavailable', message: 'oh' })
  })

  const events = [
    { type: 'response.created', response: { status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } },
    { type: 'response.output_text.delta', output_index: 1, delta: 'Let me ' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'see.' },
    { type: 'response.output_item.added', output_index: 2, item: { ...call, arguments: '' } },
    { type: 'response.output_item.added', output_index: 3, item: { type: 'custom_tool_call', call_id: 'c2', name: 'shell', input: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"at":' },
    { type: 'response.custom_tool_call_input.delta', output_index: 3, delta: 'ls' },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '"Rome"}' },
    { type: 'response.completed', response },
  ]

  test('comes as the chunks of a chat, with parallel calls and one end', () => {
    const stream = openaiThinking.stream(context)
    const steps = events.map((event) => stream.event(JSON.stringify(event)))
    const deltas = steps
      .flatMap(({ chunks }) => chunks)
      .map((chunk) => (chunk as { choices: { delta: unknown; finish_reason: unknown }[] }).choices[0])
    expect(deltas).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'Let me ' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'see.' }, logprobs: null, finish_reason: null },
      expect.objectContaining({
        delta: { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }] },
      }),
      expect.objectContaining({ delta: { tool_calls: [{ index: 1, id: 'c2', type: 'custom', custom: { name: 'shell', input: '' } }] } }),
      expect.objectContaining({ delta: { tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] } }),
      expect.objectContaining({ delta: { tool_calls: [{ index: 1, custom: { input: 'ls' } }] } }),
      expect.objectContaining({ delta: { tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] } }),
      expect.objectContaining({ delta: {}, finish_reason: 'tool_calls' }),
    ] as never)
    expect(steps.map(({ text }) => text).join('')).toBe('Let me see.{"at":ls"Rome"}')
    expect([steps.at(-1)?.isLast, stream.end()]).toMatchObject([true, { complete: true, usage: { completionTokens: 7 } }])
  })

  test('that was cut is not complete, and one that fails is a failure', () => {
    const stream = openaiThinking.stream(context)
    for (const event of events.slice(0, -1)) stream.event(JSON.stringify(event))
    expect(stream.end()).toEqual({ complete: false, usage: null })
    const failed = stream.event(JSON.stringify({ type: 'response.failed', response: { error: { code: 'server_error', message: 'oh' } } }))
    expect(failed.failure).toMatchObject({ kind: 'unavailable', message: 'oh' })
  })

  test('is distinguished from a response of a chat by its form', () => {
    const stream = openaiThinking.stream(context)
    expect(stream.event('garbage').chunks).toEqual([])
    const chunk = { id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }
    expect(stream.event(JSON.stringify(chunk)).text).toBe('Hi')
    expect(stream.event('[DONE]').isLast).toBe(true)
    expect(stream.end().complete).toBe(true)
  })

  const reasoning = [
    { id: 'rs_1', summary: [], encrypted_content: 'gAAA1' },
    { id: 'rs_2', summary: [], encrypted_content: 'gAAA2' },
  ]
  const output = [
    { type: 'reasoning', ...reasoning[0] },
    message,
    { type: 'reasoning', ...reasoning[1], content: null },
    call,
    { ...call, call_id: 'c2' },
  ]
  const extra_content = { openai: { reasoning } }

  test('returns its encrypted reasoning with the call after it, whole and streamed', () => {
    const whole = openaiThinking.response({ ...response, output }, context) as unknown as {
      response: { choices: [{ message: { tool_calls: JsonObject[] } }] }
    }
    expect(whole.response.choices[0].message.tool_calls.map((call) => call['extra_content'])).toEqual([extra_content, undefined])
    const stream = openaiThinking.stream(context)
    const chunks = output.flatMap((item, output_index) =>
      ['added', 'done'].flatMap((state) => {
        // What is encrypted is complete at the end only.
        const partialItem = state === 'added' && item.type === 'reasoning' ? { ...item, encrypted_content: 'gAAA' } : item
        return stream.event(JSON.stringify({ type: `response.output_item.${state}`, output_index, item: partialItem })).chunks
      }),
    )
    const calls = chunks.flatMap(
      (chunk) => (chunk as unknown as { choices: [{ delta: { tool_calls?: JsonObject[] } }] }).choices[0].delta.tool_calls ?? [],
    )
    expect(calls.map((call) => call['extra_content'])).toEqual([extra_content, undefined])
  })

  test('that refuses the reasoning of another organization, or has none, is called once more without it', () => {
    const failure = { kind: 'bad_request', message: 'no', type: null, param: null, code: null } as const
    const foreign = { ...failure, code: 'invalid_encrypted_content' }
    const turn = (call: JsonObject) => ({ model: 'gpt-6-sol', messages: [{ role: 'assistant', tool_calls: [call] }] })
    expect(openaiThinking.retryWithout(turn({ id: 'c1', extra_content }), foreign)).toEqual(turn({ id: 'c1' }))
    expect(openaiThinking.retryWithout(turn({ id: 'c1' }), foreign)).toBeNull()
    const refusal = { ...failure, param: 'include' }
    const chat = { model: 'gpt-6-sol', messages: userMessages, tools: [weather] }
    expect(openaiThinking.retryWithout(chat, refusal)).toBe(chat)
    const { facts } = exampleChannel(openaiVendor)
    const params = { kind: 'chat', model: 'gpt-6-sol', stream: false, channel: facts, refusal } as const
    expect(buildRequest(openaiVendor, chat, params).body).not.toHaveProperty('include')
  })
})
