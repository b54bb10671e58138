import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { createVendorPlaces, model, places, type Refuses } from './vendor-places.ts'

// What other vendors and OpenAI's own tools left in earlier turns, choices of tools that are not there, and schemas without a type: no vendor gets what it
// would refuse.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const { tokenAt, sentFor: upstreamBodiesFor } = createVendorPlaces(() => app)

const parameters = { type: null, properties: { day: { type: 'string' }, place: { type: null } } }

/** A request of each client, with tools or without. */
const clients: Readonly<Record<string, { readonly path: string; readonly idle: object; readonly untyped: object }>> = {
  chat: {
    path: '/v1/chat/completions',
    idle: { model, messages: [{ role: 'user', content: 'Hi' }], tools: [], tool_choice: 'auto', parallel_tool_calls: false },
    untyped: { model, messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'function', function: { name: 'f', parameters } }] },
  },
  responses: {
    path: '/v1/responses',
    idle: { model, input: 'Hi', store: false, tools: [], tool_choice: 'auto', parallel_tool_calls: true },
    untyped: { model, input: 'Hi', store: false, tools: [{ type: 'function', name: 'f', parameters }] },
  },
  messages: {
    path: '/v1/messages',
    idle: { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], tools: [], tool_choice: { type: 'auto' } },
    untyped: { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], tools: [{ name: 'f', input_schema: parameters }] },
  },
  generateContent: {
    path: `/v1beta/models/${model}:generateContent`,
    idle: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
    untyped: {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: parameters }] }],
    },
  },
}

describe.each(Object.entries(clients))('%s', (_name, { path, idle, untyped }) => {
  test.each(places)('without a choice of tools where there are none, at %p: %s', async (type, upstream) => {
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), path, idle)
    expect(upstreamBody).not.toMatch(/tool_choice|toolChoice|parallel_tool_calls|functionCallingConfig|"tools":\[\]/)
  })

  // What a client of Google's writes for Google is its own.
  const translated = places.filter(([, upstream]) => path.startsWith('/v1/') || !upstream.startsWith('gemini'))
  test.each(translated)('with a schema that has no type as an object, at %p: %s', async (type, upstream) => {
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), path, untyped)
    expect(upstreamBody).not.toContain('"type":null')
    expect(upstreamBody).toContain('"day":')
  })
})

describe('what responses of other vendors have beside their text', () => {
  const turn = { role: 'assistant', content: 'y', reasoning_content: 'because', tool_calls: [] }
  const blocks = [{ type: 'thinking', thinking: 'because', signature: 'c2ln' }]
  const chatWith = (turns: object, isStream = false): object => ({
    ...{ model, stream: isStream },
    messages: [
      { role: 'user', content: 'x' },
      { ...turn, ...turns },
      { role: 'user', content: 'z' },
    ],
  })

  test.each(places)('is no empty list of calls, and no signed reasoning where they are not known, at %p: %s', async (type, upstream) => {
    const [upstreamBody = ''] = await upstreamBodiesFor(
      await tokenAt({ type, upstream }),
      '/v1/chat/completions',
      chatWith({ thinking_blocks: blocks, extra_content: { google: { thought_signature: 'c2ln' } } }),
    )
    expect(upstreamBody).not.toContain('"tool_calls"')
    const isGateway = [8, 20].includes(type)
    expect(upstreamBody.includes('thinking_blocks')).toBe(isGateway)
    expect(upstreamBody.includes('extra_content')).toBe(isGateway)
    if ([1, 28, 29].includes(type)) expect(upstreamBody).not.toContain('reasoning_content')
    if ([8, 25, 36].includes(type)) expect(upstreamBody).toContain('"reasoning_content":"because"')
  })

  test.each(['reasoning_content', 'thinking_blocks', 'annotations', 'provider_specific_fields'])(
    'is left out after an error that names it, and not sent again: %s',
    async (member) => {
      const refuses: Refuses = ({ messages }) =>
        JSON.stringify(messages).includes(`"${member}"`)
          ? `messages.1.assistant.${member}: property 'messages.1.assistant.${member}' is unsupported`
          : null
      const key = await tokenAt({ type: 8, upstream: 'llama-4-scout', refuses })
      const turns = { thinking_blocks: blocks, annotations: [], provider_specific_fields: {} }
      expect(await upstreamBodiesFor(key, '/v1/chat/completions', chatWith(turns))).toHaveLength(2)
      const [upstreamBody = '', ...others] = await upstreamBodiesFor(key, '/v1/chat/completions', chatWith(turns, true))
      expect([others, upstreamBody.includes(`"${member}"`), upstreamBody.includes('"content":"y"')]).toEqual([[], false, true])
    },
  )
})

describe('what OpenAI’s own tools did', () => {
  const input = [
    { role: 'user', content: 'When is high tide?' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'tides' } },
    { type: 'local_shell_call', id: 'ls_1', call_id: 'call_sh', status: 'completed', action: { type: 'exec', command: ['date'], env: {} } },
    { type: 'local_shell_call_output', id: 'ls_1', output: 'SATURDAY' },
    { type: 'code_interpreter_call', id: 'ci_1', code: '1+1', container_id: 'cntr_1', outputs: [{ type: 'logs', logs: 'TWO' }] },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=', revised_prompt: 'A SHIP' },
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['tide'], results: [{ filename: 'a.txt', text: 'AT-DAWN' }] },
    { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'tides', arguments: '{}', output: 'AT-NIGHT' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'AT-NOON' }] },
    { role: 'user', content: 'And tomorrow?' },
  ]

  test.each(places)('is passed on at %p: %s', async (type, upstream) => {
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), '/v1/responses', { model, store: false, input })
    for (const word of ['SATURDAY', 'TWO', 'A SHIP', 'AT-DAWN', 'AT-NIGHT', 'AT-NOON', 'And tomorrow?'])
      expect(upstreamBody).toContain(word)
  })
})
