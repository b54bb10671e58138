import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { chatResponse, json, type Step } from '../../../../test/fake-upstream.ts'
import { type FakeProxy, startHttpProxy } from '../../../../test/proxies.ts'

// Anthropic's messages and OpenAI's responses at a vendor that takes them beside its chats. The vendor's host is reached through a proxy that leads to the double.

let app: TestApp
let proxy: FakeProxy
let key: string
let group: string
beforeAll(async () => {
  app = await testApp()
  proxy = await startHttpProxy({ port: Number(new URL(app.upstream.url).port) })
  group = 'compatible'
  key = (await app.make.token(await app.make.user({ groups: group, quota: 10_000_000 }), { isUnlimited: true })).key
  const models = 'claude-sonnet-4-5,deepseek-v4-pro'
  const mapping = { 'claude-sonnet-4-5': 'deepseek-v4-pro' }
  const id = await app.make.channel({ type: 36, groups: group, models, mapping, baseUrl: 'http://api.deepseek.com', key: 'sk-vendor' })
  await app.data(contract.channel.update, { id, proxy: proxy.url, key: 'sk-vendor' })
})
afterAll(async () => {
  proxy.close()
  await app.close()
})
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const ask = async (more: object = {}) => {
  const body = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...more }
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'anthropic-beta': 'interleaved-thinking-2025-05-14' }
  const response = await app.request('/v1/messages', { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { size: 1 })
  return { status: response.status, text, row, upstreamRequest: app.upstream.received.at(-1), body }
}

const usage = { input_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 24, output_tokens: 9 }
const reasoning = { type: 'thinking', thinking: 'hm', signature: '6f1c9a52-11c1' }
const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'deepseek-v4-pro', stop_reason: 'end_turn', stop_sequence: null },
  content: [reasoning, { type: 'text', text: 'Hello' }],
  usage,
}

const event = (type: string, more: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const stream = [
  event('message_start', { message: { ...message, content: [], usage: { ...usage, output_tokens: 0 } } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...['Hel', 'lo', '!'].map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } }),
  event('message_stop'),
]
const streamed = (events: readonly string[]): readonly Step[] => [
  { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
  ...events.map((bytes): Step => ({ do: 'send', bytes })),
]

describe('a request that the vendor covers', () => {
  test('arrives as it was sent, with the key and the name of the model there, and so does the response', async () => {
    app.upstream.script(json(message))
    const history = {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [reasoning] },
        { role: 'user', content: 'So?' },
      ],
    }
    const { status, text, upstreamRequest, body } = await ask(history)
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual({ ...message, model: 'claude-sonnet-4-5' })
    expect([upstreamRequest?.path, upstreamRequest?.headers['authorization'], upstreamRequest?.headers['anthropic-beta']]).toEqual([
      '/anthropic/v1/messages',
      'Bearer sk-vendor',
      undefined,
    ])
    expect(JSON.parse(upstreamRequest?.body ?? '')).toEqual({ ...body, model: 'deepseek-v4-pro' })
    expect(proxy.requests.at(-1)?.to).toBe('api.deepseek.com:80')
  })

  test('streams the bytes of the vendor', async () => {
    app.upstream.script(streamed(stream))
    const { text, row } = await ask({ stream: true })
    expect(text.slice(text.indexOf('event: content_block_start'))).toBe(stream.slice(1).join(''))
    expect(text).toContain('"model":"claude-sonnet-4-5"')
    expect(row).toMatchObject({ prompt_tokens: 64, cached_tokens: 24, completion_tokens: 9, protocol: 'anthropic', kind: 'messages' })
  })

  test('that ends early is an error, and is no complete response', async () => {
    app.upstream.script(streamed(stream.slice(0, 4)))
    const { text, row } = await ask({ stream: true })
    expect(text).toContain('event: error')
    expect(text).not.toContain('message_stop')
    expect(row).toMatchObject({ end_reason: 'upstream_cut' })
  })

  test('costs what the same response of a chat costs', async () => {
    app.upstream.script(json(message))
    const native = await ask()
    app.upstream.script(
      json(chatResponse('Hello', { prompt_tokens: 64, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 24 } })),
    )
    const translated = await ask({ tool_choice: { type: 'any' }, tools: [{ name: 'f', input_schema: { type: 'object' } }] })
    expect(translated.upstreamRequest?.path).toBe('/v1/chat/completions')
    const cost = ({ row }: typeof native) => [row?.quota, row?.prompt_tokens, row?.cached_tokens, row?.completion_tokens]
    expect(cost(native)).toEqual(cost(translated))
    expect(cost(native)[0]).toBeGreaterThan(0)
  })
})

test('a request that the vendor does not cover becomes a chat', async () => {
  const schema = { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }
  app.upstream.script(json(chatResponse('{}')))
  const { status, upstreamRequest } = await ask(schema)
  expect([status, upstreamRequest?.path]).toEqual([200, '/v1/chat/completions'])
  expect(JSON.parse(upstreamRequest?.body ?? '')).toMatchObject({ model: 'deepseek-v4-pro' })
})

test('a server that has no messages after all gets a chat at once', async () => {
  app.upstream.script(json({ error: { message: 'Not Found' } }, 404), json(chatResponse('Hello')))
  const before = app.upstream.received.length
  const { status, text, row } = await ask()
  expect([status, JSON.parse(text).content]).toEqual([200, [{ type: 'text', text: 'Hello' }]])
  expect(app.upstream.received.slice(before).map(({ path }) => path)).toEqual(['/anthropic/v1/messages', '/v1/chat/completions'])
  expect(row).toMatchObject({ attempts: 1 })
})

test('an error of the vendor is returned in the form of the protocol', async () => {
  app.upstream.script(json({ error: { message: 'max_tokens is too large', type: 'invalid_request_error' } }, 400))
  const { status, text } = await ask()
  expect([status, JSON.parse(text)]).toMatchObject([400, { type: 'error', error: { type: 'invalid_request_error' } }])
})

describe('a response that the vendor covers', () => {
  const model = 'deepseek-v4-flash'
  const upstreamResponse = {
    ...{ id: 'resp_vendor', object: 'response', created_at: 1_700_000_000, status: 'completed', model, store: true },
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'of-the-vendor' },
      { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hello' }] },
    ],
    usage: { input_tokens: 40, input_tokens_details: { cached_tokens: 24 }, output_tokens: 9, total_tokens: 49 },
  }
  const patch = { type: 'custom', name: 'apply_patch', description: 'Changes files' }
  const covered = {
    ...{ model: 'gpt-5.5', store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'high' } },
    tools: [patch, { type: 'web_search', external_web_access: false }],
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }, ...upstreamResponse.output, { role: 'user', content: 'So?' }],
  }
  const respond = async (body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await app.request('/v1/responses', { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { size: 1 })
    return { status: response.status, text, row, upstreamRequest: app.upstream.received.at(-1) }
  }
  beforeAll(async () => {
    const mapping = { 'gpt-5.5': model }
    const id = await app.make.channel({
      type: 36,
      groups: group,
      models: 'gpt-5.5',
      mapping,
      baseUrl: 'http://api.deepseek.com',
      key: 'sk-v',
    })
    await app.data(contract.channel.update, { id, proxy: proxy.url, key: 'sk-v' })
  })

  test('arrives as it was sent but for the search that only OpenAI has, and is charged', async () => {
    app.upstream.script(json(upstreamResponse))
    const { status, text, row, upstreamRequest } = await respond(covered)
    expect([status, JSON.parse(text)]).toEqual([200, upstreamResponse])
    expect([upstreamRequest?.path, JSON.parse(upstreamRequest?.body ?? '')]).toEqual(['/responses', { ...covered, model, tools: [patch] }])
    expect(row).toMatchObject({ prompt_tokens: 40, completion_tokens: 9, kind: 'responses', estimated: false })
    // The vendor stores nothing, so nobody can follow its response.
    const followed = await respond({ ...covered, previous_response_id: 'resp_vendor' })
    expect([followed.status, JSON.parse(followed.text).error.code]).toEqual([404, 'response_not_found'])
  })

  test('streams the bytes of the vendor', async () => {
    const events = [
      event('response.created', { response: { ...upstreamResponse, status: 'in_progress', output: [] } }),
      event('response.output_text.delta', { delta: 'Hello' }),
      event('response.completed', { response: upstreamResponse }),
    ]
    app.upstream.script(streamed(events))
    const { text, row } = await respond({ ...covered, stream: true })
    expect([text, row?.prompt_tokens, row?.end_reason]).toEqual([events.join(''), 40, 'complete'])
  })

  const others: ReadonlyArray<readonly [string, object]> = [
    ['that is to be stored', { store: true }],
    [
      'with a tool that it does not know',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f', parameters: {} }] }] },
    ],
    ['with a forced tool', { tools: [patch], tool_choice: 'required' }],
    ['with a schema', { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } } }],
    ['with a level that it does not know', { reasoning: { effort: 'medium' } }],
    ['with a picture', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] }] }],
    [
      'with what OpenAI thought',
      {
        input: [
          { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABo' },
          { role: 'user', content: 'Hi' },
        ],
      },
    ],
  ]
  test.each(others)('but one %s is translated', async (_, more) => {
    app.upstream.script(json(chatResponse('{}')))
    const { status, upstreamRequest } = await respond({ ...covered, ...more })
    expect([status, upstreamRequest?.path]).toEqual([200, '/v1/chat/completions'])
  })

  test('is translated where the server has chats only', async () => {
    app.upstream.script(json({ error: { message: 'Not Found' } }, 404), json(chatResponse('Hello')))
    const { status, upstreamRequest } = await respond(covered)
    expect([status, upstreamRequest?.path]).toEqual([200, '/v1/chat/completions'])
  })
})
