import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { json, type Script, type Step } from '../../../../test/fake-upstream.ts'
import { messageScene } from '../../../../test/message-scene.ts'
import { until } from '../../../../test/server-process.ts'

// Messages at channels that speak Anthropic's protocol: bytes are passed on.

const model = 'claude-sonnet-4-5'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { HEARTBEAT_MS: '200' } })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const claude = { type: 14, models: model, key: 'sk-ant-vendor' } as const
const scene = (...scripts: Script[]) => messageScene(app, [claude], scripts)
const ask = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }

const messageResponse = (content: readonly unknown[], usage: object = { input_tokens: 20, output_tokens: 6 }) => ({
  id: 'msg_vendor',
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
})

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const started = event({
  type: 'message_start',
  ...{ message: { ...messageResponse([]), stop_reason: null, usage: { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 1 } } },
})
const opened = event({ type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } })
const word = (text: string) => event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } })
const ending =
  event({ type: 'content_block_stop', ...{ index: 0 } }) +
  event({ type: 'message_delta', ...{ delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } } })
const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
const stopped = event({ type: 'message_stop' })
const head: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }
const streamOf = (...bytes: string[]): Script => [head, ...bytes.map((piece): Step => ({ do: 'send', bytes: piece }))]

describe('a request for Claude', () => {
  test('arrives as it was sent, with its beta features and version, and never with the client’s key', async () => {
    const { raw, upstreamBody, header } = await scene(json(messageResponse([{ type: 'text', text: 'Hello', citations: null }])))
    const body = {
      ...ask,
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tools: [{ type: 'bash_20250124', name: 'bash' }],
      metadata: { user_id: 'somebody' },
    }
    const response = await raw(body, { 'anthropic-beta': 'context-1m-2025-08-07, new-thing-2027-01-01', 'anthropic-version': '2024-01-01' })
    expect(response.status).toBe(200)
    expect(upstreamBody()).toEqual(body)
    expect(header('anthropic-beta')).toBe('context-1m-2025-08-07,new-thing-2027-01-01')
    expect(header('anthropic-version')).toBe('2024-01-01')
    expect([header('x-api-key'), header('authorization')]).toEqual(['sk-ant-vendor', undefined])
    expect(await response.json()).toEqual(messageResponse([{ type: 'text', text: 'Hello', citations: null }]))
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
  })

  test('of the SDK’s beta interface has its features as a header', async () => {
    const { client, header } = await scene(json(messageResponse([{ type: 'text', text: 'A' }])))
    const message = await client.beta.messages.create({ ...ask, betas: ['context-1m-2025-08-07'] })
    expect(message.content).toMatchObject([{ text: 'A' }])
    expect(header('anthropic-beta')).toBe('context-1m-2025-08-07')
  })

  test('names its version, and the beta features that its body needs, where the client names none', async () => {
    const { raw, upstreamBody, header } = await scene(json(messageResponse([])))
    const { max_tokens: _none, ...short } = ask
    await raw({ ...short, speed: 'fast' })
    expect(upstreamBody()['max_tokens']).toBeGreaterThan(0)
    expect([header('anthropic-version'), header('anthropic-beta')]).toEqual(['2023-06-01', 'fast-mode-2026-02-01'])
  })

  test('with a header that no client sends is refused in the form of the protocol', async () => {
    const { raw } = await scene()
    const response = await raw(ask, { 'anthropic-beta': 'a"b' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
  })

  test('keeps the signed reasoning of Claude, and drops the reasoning and citations of another vendor', async () => {
    const { raw, upstreamBody } = await scene(json(messageResponse([])))
    const mark = 'sluice:'
    const reasoning = { type: 'thinking', thinking: 'Hm', signature: 'EqQB' }
    const cited = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: '', encrypted_index: mark }
    await raw({
      ...ask,
      messages: [
        ...ask.messages,
        {
          role: 'assistant',
          content: [reasoning, { type: 'thinking', thinking: 'Foreign', signature: mark }, { type: 'text', text: 'A', citations: [cited] }],
        },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(upstreamBody()['messages']).toEqual([
      ...ask.messages,
      { role: 'assistant', content: [reasoning, { type: 'text', text: 'A' }] },
      { role: 'user', content: 'And?' },
    ])
  })

  test('that is refused for a foreign signature is sent once more without reasoning', async () => {
    const refusal = { type: 'error', error: { type: 'invalid_request_error', message: 'Invalid `signature` in `thinking` block' } }
    const { raw, upstreamBody } = await scene(json(refusal, 400), json(messageResponse([{ type: 'text', text: 'Hello' }])))
    const assistantMessage = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'EqQB' },
        { type: 'text', text: 'A' },
      ],
    }
    const response = await raw({ ...ask, messages: [...ask.messages, assistantMessage, { role: 'user', content: 'And?' }] })
    expect(response.status).toBe(200)
    expect(JSON.stringify(upstreamBody())).not.toContain('EqQB')
  })

  test('uses the channel’s name of a model, and the response the client’s', async () => {
    const [clientModel, upstream] = ['claude-opus-4-5', 'claude-sonnet-4-5']
    const { client, upstreamBody } = await messageScene(
      app,
      [{ ...claude, models: clientModel, mapping: { [clientModel]: upstream } }],
      [json(messageResponse([{ type: 'text', text: 'A' }])), streamOf(started, opened, word('A'), ending, stopped)],
    )
    expect(await client.messages.create({ ...ask, model: clientModel })).toMatchObject({ model: clientModel })
    expect(upstreamBody()['model']).toBe(upstream)
    expect(await client.messages.stream({ ...ask, model: clientModel }).finalMessage()).toMatchObject({ model: clientModel })
  })
})

describe('a stream of Claude', () => {
  test('is passed on to the byte, and charged', async () => {
    const { raw, log } = await scene(streamOf(started, opened, word('Hel'), word('lo "ü" 🙂'), ping, ending, stopped))
    const response = await raw({ ...ask, stream: true })
    expect(await response.text()).toBe([started, opened, word('Hel'), word('lo "ü" 🙂'), ping, ending, stopped].join(''))
    expect(await log()).toMatchObject({ prompt_tokens: 25, completion_tokens: 3, estimated: false, end_reason: 'complete' })
  })

  test('that lacks its last event gets it', async () => {
    const { raw } = await scene(streamOf(started, opened, word('A'), ending))
    expect(await (await raw({ ...ask, stream: true })).text()).toEndWith(stopped)
  })

  test('without a count of its output is counted here', async () => {
    const silent = event({ type: 'message_delta', ...{ delta: { stop_reason: 'end_turn' } } })
    const closed = event({ type: 'content_block_stop', ...{ index: 0 } })
    const { raw, log } = await scene(streamOf(started, opened, word('one two three four five six'), closed, silent, stopped))
    await (await raw({ ...ask, stream: true })).text()
    expect((await log())?.completion_tokens).toBeGreaterThanOrEqual(6)
  })

  test('that begins with an error goes to the next channel', async () => {
    const overloaded = event({ type: 'error', ...{ error: { type: 'overloaded_error', message: 'Overloaded' } } })
    const { client, log } = await messageScene(
      app,
      [claude, claude],
      [streamOf(started, overloaded), streamOf(started, opened, word('A'), ending, stopped)],
    )
    expect(await client.messages.stream(ask).finalText()).toBe('A')
    expect(await log()).toMatchObject({ attempts: 2 })
  })

  test('that breaks off ends in an error event, which the client throws, and what came is charged', async () => {
    const overloaded = event({ type: 'error', ...{ error: { type: 'overloaded_error', message: 'Overloaded' } } })
    const { client, log } = await scene([
      ...streamOf(started, opened, word('one two three')),
      { do: 'pause', ms: 50 },
      { do: 'send', bytes: overloaded },
    ])
    const error = await client.messages
      .stream(ask)
      .finalMessage()
      .catch((caught: unknown) => caught)
    if (!(error instanceof Anthropic.APIError)) throw new Error('the client threw no error of its own')
    expect(error.error).toMatchObject({ type: 'error', error: { type: expect.stringMatching(/_error$/) } })
    expect(await log()).toMatchObject({ end_reason: 'upstream_cut' })
    expect((await log())?.quota).toBeGreaterThan(0)
  })

  test('sends pings until its first event, and an error of the protocol if none comes', async () => {
    const { raw } = await scene([{ do: 'pause', ms: 500 }, ...streamOf(started, opened, word('A'), ending, stopped)])
    const response = await raw({ ...ask, stream: true })
    const text = await response.text()
    expect(text).toStartWith(ping)
    expect(text).toEndWith(stopped)
    const failing = await scene([{ do: 'pause', ms: 500 }, ...json({ error: { message: 'broken' } }, 500)])
    const failed = await (await failing.raw({ ...ask, stream: true })).text()
    expect(failed).toMatch(/\n\nevent: error\ndata: \{"type":"error","error":\{"type":"[a-z]+_error"/)
  })

  test('that the client leaves ends at the vendor, too', async () => {
    const { raw, log } = await scene([...streamOf(started, opened, word('one two three')), { do: 'hang' }])
    const leaving = new AbortController()
    const response = await raw({ ...ask, stream: true }, {}, leaving.signal)
    await response.body?.getReader().read()
    leaving.abort()
    await app.upstream.received.at(-1)?.aborted
    await until(async () => (await log())?.end_reason === 'client_gone')
  })

  test('is made of a whole response where the vendor sends one', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'EqQB' },
      { type: 'text', text: 'A' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rio' } },
    ]
    const { client } = await scene(json(messageResponse(content)))
    expect((await client.messages.stream(ask).finalMessage()).content).toMatchObject(content)
  })
})

describe('a failure', () => {
  test.each([
    [400, 'invalid_request_error', Anthropic.BadRequestError],
    [413, 'request_too_large', Anthropic.APIError],
    [429, 'rate_limit_error', Anthropic.RateLimitError],
    [529, 'overloaded_error', Anthropic.InternalServerError],
  ])('with status %d of the vendor is the client’s own error', async (status, type, kind) => {
    const { client } = await scene(json({ type: 'error', error: { type, message: 'No' } }, status))
    const error = await client.messages.create(ask).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(kind)
  })

  test('of admission has the protocol’s form with Bearer, too', async () => {
    const client = new Anthropic({ authToken: 'sk-nobody', apiKey: null, baseURL: app.url, maxRetries: 0 })
    const error = await client.messages.create(ask).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    const { key } = await scene(json(messageResponse([{ type: 'text', text: 'A' }])))
    const bearer = new Anthropic({ authToken: key, apiKey: null, baseURL: app.url, maxRetries: 0 })
    expect((await bearer.messages.create(ask)).content).toMatchObject([{ text: 'A' }])
  })

  test.each([
    ['{', 400],
    ['[]', 400],
    [JSON.stringify({ model, max_tokens: 5 }), 400],
    [JSON.stringify({ ...ask, model: 'unknown-model' }), 404],
  ])('of the request %s is in the protocol’s form', async (body, status) => {
    const { key } = await scene()
    const response = await app.request('/v1/messages', { method: 'POST', headers: { 'x-api-key': key }, body })
    expect(response.status).toBe(status)
    const type = status === 404 ? 'not_found_error' : 'invalid_request_error'
    expect(await response.json()).toMatchObject({ type: 'error', error: { type } })
  })
})
