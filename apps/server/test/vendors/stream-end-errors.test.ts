import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { APIError } from 'openai'
import { type TestApp, testApp } from '../app.ts'
import { chats, generated, messages } from '../client-streams.ts'
import { events, json, type Script } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// How clients learn that a response broke off or failed: in the format and the words at which their libraries throw, and agents retry.

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { HEARTBEAT_MS: '100' } })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

async function keyAt({ type, model, key, config, other, grant }: Omit<VendorDouble, 'whole' | 'stream'> | Place): Promise<string> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({
    ...{ groups, type, models: model, baseUrl: app.upstream.url },
    ...(key === undefined ? {} : { key: key.replaceAll('{upstream}', app.upstream.url) }),
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => grant?.(request) ?? null)
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))).key
}

interface Place {
  readonly type: number
  readonly model: string
  readonly key?: string
  readonly config?: undefined
  readonly other?: undefined
  readonly grant?: undefined
}

interface ResponseEvent {
  readonly type: string
  readonly sequence_number: number
  readonly response?: { readonly id: string; readonly status: string; readonly output: readonly object[]; readonly error: object | null }
  readonly error?: { readonly type: string; readonly code: string; readonly message: string; readonly param: string | null }
  readonly code?: string
  readonly message?: string
}

async function ask(path: string, key: string, body: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text(), shouldRetry: response.headers.get('x-should-retry') }
}

const dataOf = (text: string): readonly ResponseEvent[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    // Holds: the events of a response are objects with these members, as the test asserts.
    .map((line) => JSON.parse(line.slice('data: '.length)) as ResponseEvent)

/** What comes before it is read for itself. */
const pause = { do: 'pause', ms: 30 } as const

/** OpenAI's own models are called through the Responses API, which has a double of its own. */
const streaming = doubles.filter((double) => {
  const lacks = double.lacks ?? []
  return double !== openaiDouble && !lacks.includes('stream') && !lacks.includes('events')
})

describe.each(streaming.map((double) => [double.name, double] as const))('a response of %s', (_name, double) => {
  const { contentType, frames } = double.stream({ text: 'Half of an answer', finish: 'stop' })
  const half = frames.findIndex((frame) => new TextDecoder().decode(frame).includes('Half'))
  // The text may be encoded.
  const cutAt = half === -1 ? Math.floor(frames.length / 2) : half
  const errorFrame = double.errorFrame()
  const ends: ReadonlyArray<readonly [string, Script]> = [
    ['is cut off', [...pieces(contentType, frames.slice(0, cutAt + 1)), pause, { do: 'cut' }]],
    ...(errorFrame === null
      ? []
      : [
          [
            'ends with an error of the vendor',
            [...pieces(contentType, frames.slice(0, cutAt + 1)), pause, { do: 'send', bytes: errorFrame }],
          ] as const,
        ]),
  ]

  test.each(ends)('that %s is reported as failed, at which OpenAI’s client throws', async (_how, script) => {
    const key = await keyAt(double)
    const body = { model: double.model, input: 'Hi', stream: true }
    app.upstream.script(script)
    const { status, text } = await ask('/v1/responses', key, body)
    expect(status).toBe(200)
    const all = dataOf(text)
    const [errorEvent, last] = all.slice(-2)
    expect([errorEvent?.type, last?.type]).toEqual(['error', 'response.failed'])
    expect([errorEvent?.sequence_number, last?.sequence_number]).toEqual([all.length - 2, all.length - 1])
    expect(errorEvent?.error).toEqual({
      type: expect.stringMatching(/^(?:server|rate_limit)_error$/),
      code: errorEvent?.code ?? '',
      message: errorEvent?.message ?? '',
      param: null,
    })
    const created = all.find(({ type }) => type === 'response.created')
    expect(last?.response).toMatchObject({
      id: created?.response?.id ?? expect.any(String),
      status: 'failed',
      error: { code: errorEvent?.code },
    })
    const deltas = all.filter(({ type }) => type === 'response.output_text.delta').map((event) => Reflect.get(event, 'delta'))
    expect(JSON.stringify(last?.response?.output)).toContain(deltas.join(''))

    app.upstream.script(script)
    // At a channel that has not failed.
    const client = new OpenAI({ apiKey: await keyAt(double), baseURL: `${app.url}/v1`, maxRetries: 0 })
    const read = async () => {
      for await (const event of await client.responses.create({ ...body, stream: true })) void event
    }
    expect(await read().catch((error: unknown) => error)).toBeInstanceOf(APIError)
  })
})

describe('an error before the first event of a stream that has begun', () => {
  test.each([
    [
      'exceeded the context',
      { message: 'maximum context length is 10 tokens', code: 'context_length_exceeded' },
      'context_length_exceeded',
    ],
    ['broke', { message: 'broken', type: 'server_error' }, 'upstream_failed'],
  ])('of a request that %s is a failed response, with its code', async (_why, error, code) => {
    const key = await keyAt({ type: 36, model: 'deepseek-chat' })
    const status = code === 'upstream_failed' ? 500 : 400
    app.upstream.script([{ do: 'pause', ms: 1_500 }, ...json({ error }, status)])
    const { text } = await ask('/v1/responses', key, { model: 'deepseek-chat', input: 'Hi', stream: true })
    const [errorEvent, last, ...more] = dataOf(text)
    expect(more).toEqual([])
    expect(errorEvent).toMatchObject({ type: 'error', sequence_number: 0, error: { code } })
    expect(last).toMatchObject({ type: 'response.failed', sequence_number: 1, response: { status: 'failed', output: [], error: { code } } })
    expect(last?.response?.id).toStartWith('resp_')
  })
})

describe('a vendor that is overloaded', () => {
  const overloads: ReadonlyArray<readonly [string, Place, Script]> = [
    [
      'Anthropic',
      { type: 14, model: 'claude-sonnet-4-5' },
      json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529),
    ],
    ['OpenAI', { type: 1, model: 'gpt-4o-mini' }, json({ error: { message: 'Slow down', type: 'server_error', code: 'slow_down' } }, 503)],
    [
      'Google',
      { type: 24, model: 'gemini-2.5-flash' },
      json({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }, 503),
    ],
  ]

  test.each(overloads)('is reported as overloaded in each protocol: %s', async (_name, place, script) => {
    const key = await keyAt(place)
    const { model } = place
    const params = { model, content: 'Hi' }
    app.upstream.script(script, script, script)
    const native = await ask('/v1/messages', key, { ...messages.bodyOf(params), stream: false })
    expect(native).toMatchObject({ status: 529, shouldRetry: null })
    expect(native.text).toContain('"overloaded_error"')
    const chat = await ask('/v1/chat/completions', key, { ...chats.bodyOf(params), stream: false })
    expect([chat.status, chat.text]).toEqual([503, expect.stringContaining('"type":"server_error"')])
    const google = await ask(`/v1beta/models/${model}:generateContent`, key, generated.bodyOf(params))
    expect([google.status, google.text]).toEqual([503, expect.stringContaining('"code":503')])
    expect(google.text).toContain('"UNAVAILABLE"')
  })

  test('within a stream is an overload for Anthropic’s client', async () => {
    const place = { type: 14, model: 'claude-sonnet-4-5' }
    const key = await keyAt(place)
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: place.model,
      content: [],
      usage: { input_tokens: 3, output_tokens: 1 },
    }
    app.upstream.script(
      events([
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ]),
    )
    const client = new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 })
    const stream = client.messages.stream({ model: place.model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] })
    const error = await stream.finalMessage().catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('overloaded_error')
  })
})

describe('a stream that broke off asks chat clients to try again', () => {
  const chunk = (delta: object) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null }],
  })
  const half = [chunk({ role: 'assistant', content: 'Half' })]
  test.each([
    ['by a cut', events(half, [{ do: 'pause', ms: 50 }, { do: 'cut' }]), 'Try again later'],
    ['by an error', events([...half, { error: { message: 'The server had an error', type: 'server_error' } }]), 'The server had an error'],
  ])('%s', async (_how, script, words) => {
    const key = await keyAt({ type: 36, model: 'deepseek-chat' })
    app.upstream.script(script)
    const { text } = await ask('/v1/chat/completions', key, chats.bodyOf({ model: 'deepseek-chat', content: 'Hi' }))
    expect(text).toContain('"type":"server_error"')
    expect(text).toContain(words)
  })
})

describe('a response that Claude pauses to go on later', () => {
  const model = 'claude-sonnet-4-5'
  const usage = { input_tokens: 20, output_tokens: 10, server_tool_use: { web_search_requests: 1 } }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null }
  const whole = json({ ...message, content: [{ type: 'text', text: 'Let me search.' }], stop_reason: 'pause_turn', usage })
  const stream = events([
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Let me search.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'pause_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
  const question = [{ role: 'user', content: 'Hi' }]
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  const cases: ReadonlyArray<readonly [path: string, body: object, end: string]> = [
    ['/v1/chat/completions', { model, messages: question, web_search_options: {} }, '"finish_reason":"length"'],
    ['/v1/responses', { model, input: 'Hi', tools: [{ type: 'web_search' }] }, '"incomplete_details":{"reason":"max_output_tokens"}'],
    [`/v1beta/models/${model}:generateContent`, { contents, tools: [{ googleSearch: {} }] }, '"finishReason":"MAX_TOKENS"'],
    ['/v1/messages', { model, messages: question, max_tokens: 100 }, '"stop_reason":"pause_turn"'],
  ]

  test.each(cases)('is not reported as complete: %s', async (path, body, end) => {
    for (const isStream of [true, false]) {
      const key = await keyAt({ type: 14, model })
      app.upstream.script(isStream ? stream : whole)
      const isGoogle = path.includes('generateContent')
      const streamed = isGoogle ? path.replace('generateContent', 'streamGenerateContent?alt=sse') : path
      const response = await ask(isStream ? streamed : path, key, isGoogle ? body : { ...body, stream: isStream })
      expect(response).toMatchObject({ status: 200, text: expect.stringContaining(end) })
    }
  })
})
