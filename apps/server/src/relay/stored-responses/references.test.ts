import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatChunk, chatResponse, events, json, usageChunk } from '../../../test/fake-upstream.ts'

// Clients of /v1/responses that refer to items of earlier responses by id, as the AI SDK does by default.

let app: TestApp
let user: TestUser
let key: string
/** Models of a channel with chats only, of two channels with native responses, and of both kinds. */
const [chats, native, mixed] = ['llama-3.3-70b-versatile', 'gpt-4o', 'gpt-4o-mini'] as const
let first: number
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ type: 29, models: `${chats},${mixed}` })
  first = await app.make.channel({ models: `${native},${mixed}`, key: 'first-key', priority: 1 })
  await app.make.channel({ models: native, key: 'second-key' })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

/** The last request of the SDK. */
let sdkBody = ''
const noting = Object.assign(
  (url: string | URL | Request, init?: RequestInit) => {
    sdkBody = String(init?.body)
    return fetch(url, init)
  },
  { preconnect: fetch.preconnect },
)
const sdk = () => createOpenAI({ apiKey: key, baseURL: `${app.url}/v1`, fetch: noting })
// Holds: requests sent upstream are objects.
const upstreamBody = () => JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as Record<string, unknown>
const usedKey = () => app.upstream.received.at(-1)?.headers['authorization']

function ask(body: object, as = key): Promise<Response> {
  return app.request('/v1/responses', { method: 'POST', headers: { authorization: `Bearer ${as}` }, body: JSON.stringify(body) })
}

/** Holds: the relay sends every refusal in this form. */
const refusal = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; param: string | null; message: string } }
  return { status: response.status, code: error.code, param: error.param, message: error.message }
}

const weather = { type: 'function' as const, name: 'weather', inputSchema: { type: 'object' as const, properties: {} } }
const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Weather?' }] }

const call = { index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const callStream = events([
  chatChunk({ role: 'assistant', content: '' }),
  chatChunk({ reasoning: 'I must ask' }),
  chatChunk({ content: 'One moment' }),
  chatChunk({ tool_calls: [call] }),
  chatChunk({}, 'tool_calls'),
  usageChunk(10, 9),
  '[DONE]',
])

/** The second turn, which the AI SDK builds from the response to the first. */
async function turns(options: Parameters<ReturnType<ReturnType<typeof sdk>['responses']>['doStream']>[0]['providerOptions']) {
  const model = sdk().responses(chats)
  app.upstream.script(callStream)
  const extra = options === undefined ? {} : { providerOptions: options }
  const { stream } = await model.doStream({ prompt: [question], tools: [weather], ...extra })
  const content: { type: 'text' | 'reasoning'; text: string; providerOptions: object }[] = []
  const calls: object[] = []
  for await (const part of stream) {
    if (part.type === 'text-start' || part.type === 'reasoning-start')
      content.push({ type: part.type === 'text-start' ? 'text' : 'reasoning', text: '', providerOptions: part.providerMetadata ?? {} })
    const last = content.at(-1)
    if (last !== undefined && (part.type === 'text-delta' || part.type === 'reasoning-delta')) last.text += part.delta
    if (part.type === 'tool-call')
      calls.push({
        type: 'tool-call',
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: JSON.parse(part.input),
        providerOptions: part.providerMetadata ?? {},
      })
  }
  const result = {
    type: 'tool-result' as const,
    toolCallId: 'call_a',
    toolName: 'weather',
    output: { type: 'text' as const, value: 'Rain' },
  }
  app.upstream.script(json(chatResponse('It rains')))
  const response = await model.doGenerate({
    // Holds: the SDK's own helpers would build these parts.
    prompt: [question, { role: 'assistant', content: [...content, ...calls] as never }, { role: 'tool', content: [result] }],
    tools: [weather],
    ...extra,
  })
  return response.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

describe('the second request of the AI SDK at a vendor with chats only', () => {
  test.each([
    ['that refers to the first by ids', undefined],
    ['that repeats the first, where nothing is stored', { openai: { store: false } }],
  ] as const)('%s gets a response', async (_, options) => {
    expect(await turns(options)).toEqual(['It rains'])
    expect(sdkBody.includes('item_reference')).toBe(options === undefined)
    expect(upstreamBody()['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'One moment',
        // What the gateway stores has the reasoning, which this vendor wants back.
        ...(options === undefined ? { reasoning: 'I must ask' } : {}),
        tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'Rain' },
    ])
  })
})

/** A response of a chat, and the id of its message. */
async function responded(fields: object = {}): Promise<string> {
  app.upstream.script(json(chatResponse('Hello there')))
  // Holds: a response has this form.
  const { output } = (await (await ask({ model: chats, input: 'Hi', ...fields })).json()) as { output: { id: string }[] }
  return output[0]?.id ?? ''
}

const follow = (id: string, model: string = chats) => ({
  model,
  input: [
    { type: 'item_reference', id },
    { role: 'user', content: 'And?' },
  ],
})

describe('an item that no vendor stores', () => {
  test('may be named with others up to a bound of all that they stand for', async () => {
    const ids: string[] = []
    for (let count = 0; count < 26; count += 1) {
      app.upstream.script(json(chatResponse('x'.repeat(900_000))))
      // Holds: a response has this form.
      const { output } = (await (await ask({ model: chats, input: 'Hi' })).json()) as { output: { id: string }[] }
      ids.push(output[0]?.id ?? '')
    }
    const named = (list: readonly string[]) =>
      ask({ model: chats, input: [...list.map((id) => ({ type: 'item_reference', id })), { role: 'user', content: 'And?' }] })
    const before = app.upstream.received.length
    expect(await refusal(await named(ids))).toMatchObject({ status: 400, param: 'input' })
    expect(app.upstream.received.length).toBe(before)
    app.upstream.script(json(chatResponse('Fine')))
    expect((await named(ids.slice(0, 9))).status).toBe(200)
  })

  test('is stored encrypted, and available to nobody else', async () => {
    const id = await responded()
    const row = await app.app.store.db.selectFrom('kept_answers').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row.item_sealed).toStartWith('v1.')
    expect(JSON.stringify(row)).not.toContain('Hello there')
    const stranger = (await app.make.token(await app.make.user())).key
    expect(await refusal(await ask(follow(id), stranger))).toMatchObject({ status: 404, code: 'response_not_found' })
  })

  test('is not stored if the client says so, and the error names the field and the remedy', async () => {
    const before = app.upstream.received.length
    const id = await responded({ store: false })
    const refused = await refusal(await ask(follow(id)))
    expect(refused).toMatchObject({
      status: 404,
      code: 'response_not_found',
      param: 'input',
      message: expect.stringContaining('store: false'),
    })
    expect(app.upstream.received.length).toBe(before + 1)
  })

  test('is sent to a vendor with native responses by its content, without our id', async () => {
    const id = await responded()
    app.upstream.script(
      json({ id: 'resp_1', object: 'response', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } }),
    )
    expect((await ask({ ...follow(id, native), store: true })).status).toBe(200)
    expect(upstreamBody()['input']).toMatchObject([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there' }] },
      { role: 'user', content: 'And?' },
    ])
    expect(JSON.stringify(upstreamBody())).not.toContain(id)
  })

  test('cannot be fetched as a response', async () => {
    const id = await responded()
    expect((await app.request(`/v1/responses/${id}`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(404)
  })

  test('is charged as a part of the prompt', async () => {
    const id = await responded()
    app.upstream.script(json(chatResponse('Yes', null)))
    await ask(follow(id))
    const [row] = await app.data(contract.log.list, { type: 2 })
    app.upstream.script(json(chatResponse('Yes', null)))
    await ask({
      model: chats,
      input: [
        { role: 'assistant', content: 'Hello there' },
        { role: 'user', content: 'And?' },
      ],
    })
    const [whole] = await app.data(contract.log.list, { type: 2 })
    expect(row?.prompt_tokens).toBe(whole?.prompt_tokens ?? 0)
  })
})

describe('an item that a vendor stores', () => {
  const message = (id: string) => ({
    type: 'message',
    id,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
  })
  const reasoning = (id: string, encrypted: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: encrypted })
  const response = (output: readonly object[], fields: object = {}) =>
    json({
      id: `resp_${crypto.randomUUID()}`,
      object: 'response',
      status: 'completed',
      output,
      usage: { input_tokens: 1, output_tokens: 1 },
      ...fields,
    })

  /** A response of the first channel. */
  async function createAtFirst(output: readonly object[], fields: object = {}): Promise<void> {
    app.upstream.script(response(output, fields))
    expect((await ask({ model: native, input: 'Hi', ...fields })).status).toBe(200)
    expect(usedKey()).toBe('Bearer first-key')
  }

  async function withoutFirst(act: () => Promise<void>): Promise<void> {
    await app.data(contract.channel.update, { id: first, status: 2 })
    await act().finally(() => app.data(contract.channel.update, { id: first, status: 1 }))
  }

  test('is sent to the channel that made it, or to none', async () => {
    await createAtFirst([message('msg_kept')])
    app.upstream.script(response([]))
    expect((await ask(follow('msg_kept', native))).status).toBe(200)
    expect([usedKey(), upstreamBody()['input']]).toEqual(['Bearer first-key', follow('msg_kept').input])
    await withoutFirst(async () => {
      const refused = await refusal(await ask(follow('msg_kept', native)))
      expect(refused).toMatchObject({
        status: 409,
        code: 'response_unreachable',
        param: 'input',
        message: expect.stringContaining('store: false'),
      })
    })
  })

  const secret = 'secret thoughts'
  const turn = (model: string) => ({
    model,
    store: false,
    input: [
      { role: 'user', content: 'Hi' },
      reasoning('rs_1', secret),
      message('msg_1'),
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'Rain' },
      { role: 'user', content: 'And?' },
    ],
    tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
  })
  /** Without the reasoning, and without the ids of what the model said after it. */
  const withoutReasoning = (model: string) =>
    turn(model)
      .input.filter((item) => !('encrypted_content' in item))
      .map((item) => {
        const { id, status: _status, ...rest }: { id?: string; status?: string } = item
        return id === 'msg_1' || id === 'fc_1' ? rest : item
      })
  const noted = async () => {
    await app.app.ledger.drain()
    return (await app.data(contract.log.list, { type: 2 }))[0]?.rewrites
  }

  test('sends reasoning to the vendor that can decrypt it, whether it stores it or not', async () => {
    await createAtFirst([reasoning('rs_1', secret)], { store: false })
    app.upstream.script(response([]))
    expect((await ask(turn(native))).status).toBe(200)
    expect([usedKey(), upstreamBody()['input']]).toEqual(['Bearer first-key', turn(native).input])
    expect(await noted()).toEqual([])
  })

  test('goes on without reasoning that the channel cannot decrypt', async () => {
    const note = { kind: 'messages' as const, what: 'input: reasoning' }
    await createAtFirst([reasoning('rs_1', secret)], { store: false })
    await withoutFirst(async () => {
      app.upstream.script(response([]))
      expect((await ask(turn(native))).status).toBe(200)
      expect([usedKey(), upstreamBody()['input']]).toEqual(['Bearer second-key', withoutReasoning(native)])
      expect(await noted()).toEqual([note])
    })
    // The channel that can fails.
    app.upstream.script(json({ error: { message: 'down' } }, 500), response([]))
    expect((await ask(turn(native))).status).toBe(200)
    expect([usedKey(), upstreamBody()['input']]).toEqual(['Bearer second-key', withoutReasoning(native)])
    // It has another key.
    await app.data(contract.channel.update, { id: first, key: 'other-key' })
    app.upstream.script(response([]))
    expect((await ask(turn(native))).status).toBe(200)
    expect(upstreamBody()['input']).toEqual(withoutReasoning(native))
    await app.data(contract.channel.update, { id: first, key: 'first-key' })
    // A vendor with chats only.
    app.upstream.script(json(chatResponse('Fine')))
    expect((await ask(turn(chats))).status).toBe(200)
    expect(JSON.stringify(upstreamBody())).not.toContain(secret)
    expect(await noted()).toEqual([note])
  })

  test.each([
    [29, 'llama-3.3-70b-versatile'],
    [14, 'claude-sonnet-4-5'],
    [24, 'gemini-2.5-flash'],
    [16, 'glm-4.6'],
    [36, 'deepseek-chat'],
  ])('its reasoning is left out at other vendors: type %d', async (type, model) => {
    await createAtFirst([reasoning('rs_1', secret)], { store: false })
    await app.make.channel({ type, models: model, priority: 5 })
    await ask(turn(model))
    expect(app.upstream.received.at(-1)?.body).toContain('Rain')
    expect(app.upstream.received.at(-1)?.body).not.toContain(secret)
  })

  test('is forwarded if it is unknown who made its reasoning', async () => {
    app.upstream.script(response([]))
    const input = [
      { type: 'reasoning', summary: [], encrypted_content: 'of somebody else' },
      { role: 'user', content: 'And?' },
    ]
    expect((await ask({ model: native, input })).status).toBe(200)
    expect(upstreamBody()['input']).toEqual(input)
  })

  test('is recorded for streams, too', async () => {
    const completed = {
      type: 'response.completed',
      response: { id: 'resp_s', status: 'completed', output: [message('msg_streamed')], usage: null },
    }
    app.upstream.script(events([{ type: 'response.created', response: {} }, completed]))
    await (await ask({ model: native, input: 'Hi', stream: true })).text()
    app.upstream.script(response([]))
    expect((await ask(follow('msg_streamed', native))).status).toBe(200)
    expect(usedKey()).toBe('Bearer first-key')
  })

  test('is unknown if it was never made', async () => {
    expect(await refusal(await ask(follow('msg_never', native)))).toMatchObject({ status: 404, code: 'response_not_found', param: 'input' })
  })
})
