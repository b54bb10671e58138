import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { type FakeService, fakePusher } from '../../../test/fake-services.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'
import { wavFile } from '../../../test/wav.ts'

// What a vendor counts is compared with what the request allowed and with what passed through here.

let app: TestApp
let pusher: FakeService
let user: TestUser
let key: string
beforeAll(async () => {
  pusher = fakePusher('push-token')
  app = await testApp({ env: { ABANDONED_MS: '200' } })
  const flat = { ratio: 1, completion: 1 }
  const priced = { PriceRules: JSON.stringify({ chatty: flat, 'my-sonar': flat, 'doubao-seed': flat }) }
  const options = { ...priced, MessagePusherAddress: `${pusher.url}/push/root`, MessagePusherToken: 'push-token', PreConsumedQuota: '0' }
  for (const [name, value] of Object.entries(options)) await app.data(contract.option.update, { key: name, value })
  await app.make.channel({ models: 'gpt-4o-mini,gpt-4,gpt-5,chatty,my-sonar,gpt-4o-audio-preview,gemini-2.5-flash-image' })
  await app.make.channel({ type: 14, models: 'claude-haiku-4-5,claude-opus-4-8' })
  await app.make.channel({ type: 24, models: 'gemini-3-pro-image' })
  await app.make.channel({ type: 40, models: 'doubao-seed' })
  user = await app.make.user({ quota: 1_000_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
})
afterAll(async () => {
  await app.close()
  await pusher.close()
})
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

function send(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return app.request(path, { method: 'POST', headers, body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) })
}

const chat = (model: string, more: object = {}): Promise<Response> =>
  send('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more })

async function lastRow(): Promise<LogRow> {
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username })
  if (row === undefined) throw new Error('nothing was logged')
  return row
}

async function rowOf(response: Promise<Response>): Promise<LogRow> {
  await (await response).text()
  return await lastRow()
}

type Counts = readonly [promptTokens: number, completionTokens: number, reasoning?: number]

/** A response with these counts, whole or as a stream. */
function scriptOf(text: string, [prompt, completion, reasoning = 0]: Counts, stream: boolean): Script {
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
  if (!stream) return json(chatResponse(text, usage))
  return events([chatChunk({ content: text }), chatChunk({}, 'stop'), { ...chatChunk({}), choices: [], usage }, '[DONE]'])
}

const prompt = 'word '.repeat(400)

describe.each([false, true])('a count of a vendor is not charged (stream: %p)', (stream) => {
  test.each([
    ['is above the limit that was sent', 'chatty', { max_tokens: 100 }, [5, 1_000_000_000]],
    ['is a little above what another tokenizer explains', 'chatty', { max_tokens: 100 }, [5, 1_151]],
    ['has an output that nothing shows, although no limit was sent', 'chatty', {}, [5, 5_000]],
    ['has a prompt that was not sent', 'chatty', {}, [1_000_000, 3]],
    ['has no prompt and an output that nothing shows', 'chatty', { max_tokens: 100 }, [0, 900_000_000]],
    ['is more than the model can hold', 'gpt-4', { max_tokens: 1_000, messages: [{ role: 'user', content: prompt }] }, [7_500, 800]],
    ['hides thoughts beyond the model', 'gpt-5', {}, [5, 500_000_000, 499_999_999]],
  ] as const)('if it %s', async (_, model, more, counts) => {
    app.upstream.script(scriptOf('one two three', counts, stream))
    const row = await rowOf(chat(model, { ...more, stream }))
    expect(row).toMatchObject({
      usage_suspect: true,
      estimated: true,
      end_reason: 'complete',
      content: expect.stringContaining('implausible usage'),
    })
    expect(row.completion_tokens === 3 || row.completion_tokens === counts[1]).toBe(true)
    expect(row.completion_tokens).toBeLessThan(900)
    expect(row.prompt_tokens).toBeLessThan(7_501)
  })

  test.each([
    ['thoughts that are not shown', 'gpt-5', {}, 'ok', [5, 30_000, 29_990]],
    ['thoughts that the limit does not bound', 'doubao-seed', { max_tokens: 100 }, 'ok', [5, 5_000, 4_990]],
    ['a limit that another tokenizer exceeds', 'chatty', { max_tokens: 100 }, 'word '.repeat(100), [5, 1_149]],
    ['what a model with searches of its own reads', 'my-sonar', {}, 'ok', [60_000, 5]],
    ['pages that a tool read', 'chatty', { tools: [{ url_context: {} }] }, 'ok', [60_000, 5]],
    ['results of a search', 'chatty', { web_search_options: {} }, 'ok', [60_000, 5]],
    ['results of another search', 'chatty', { enable_search: true }, 'ok', [60_000, 5]],
    ['answers of an MCP server', 'chatty', { mcp_servers: [{ type: 'url', name: 'a', url: 'https://mcp.test' }] }, 'ok', [60_000, 5]],
    ['a prediction that was wrong', 'chatty', { prediction: { type: 'content', content: prompt } }, 'ok', [5, 4_000]],
    ['a language of many tokens', 'chatty', {}, '在这个例子中我们将讨论如何计数'.repeat(200), [5, 9_000]],
    [
      'pictures in the prompt',
      'chatty',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }] },
      'ok',
      [20_000, 5],
    ],
  ] as const)('unless it is explained by %s', async (_, model, more, text, counts) => {
    app.upstream.script(scriptOf(text, counts, stream))
    const row = await rowOf(chat(model, { ...more, stream }))
    expect(row).toMatchObject({ usage_suspect: false, estimated: false, prompt_tokens: counts[0], completion_tokens: counts[1] })
  })
})

test('a response that ignores its limit costs no more than the limit and the margin of another tokenizer', async () => {
  app.upstream.script(scriptOf('word '.repeat(30_000), [5, 30_000], false))
  const row = await rowOf(chat('chatty', { max_tokens: 100 }))
  expect(row).toMatchObject({ usage_suspect: true, completion_tokens: 1_150 })
})

test('an inflated count of a running response is not charged if its client leaves', async () => {
  const running = { ...chatChunk({ content: 'one two three' }), usage: { prompt_tokens: 5, completion_tokens: 900_000_000 } }
  app.upstream.script([...events([running]), { do: 'hang' }])
  const leaving = new AbortController()
  const response = await send(
    '/v1/chat/completions',
    { model: 'chatty', messages: [{ role: 'user', content: 'Hi' }], stream: true },
    leaving.signal,
  )
  await response.body?.getReader().read()
  leaving.abort()
  const row = await until(lastRow, ({ end_reason: reason }) => reason === 'client_gone')
  expect(row).toMatchObject({ completion_tokens: 3, usage_suspect: true })
})

test('administrators are alerted to a channel whose counts are suspect, once an hour', async () => {
  await until(
    async () => pusher.received.length,
    (count) => count > 0,
  )
  const alerts = pusher.received
    .map(({ body }): { readonly title: string } => JSON.parse(body))
    .filter(({ title }) => title.includes('usage'))
  expect(alerts.length).toBe(1)
  expect(alerts[0]?.title).toContain('上报的用量不合理')
})

describe('a refusal of Claude without a word is free, as it is at its vendor', () => {
  const usage = { input_tokens: 200_000, output_tokens: 1 }
  const whole = (content: readonly object[]): Script =>
    json({ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content, stop_reason: 'refusal', usage })
  const streamed = (text: string): Script =>
    events([
      { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage } },
      ...(text === ''
        ? []
        : [
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
            { type: 'content_block_stop', index: 0 },
          ]),
      { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ])
  const model = 'claude-haiku-4-5'
  const body = { model, messages: [{ role: 'user', content: 'word '.repeat(200_000) }] }
  const contents = [{ role: 'user', parts: [{ text: 'word '.repeat(200_000) }] }]

  test.each([
    ['/v1/chat/completions', { ...body, max_tokens: 9 }],
    ['/v1/messages', { ...body, max_tokens: 9 }],
    ['/v1/responses', { model, input: body.messages }],
    [`/v1beta/models/${model}:generateContent`, { contents }],
    ['/v1/chat/completions', { ...body, stream: true }],
    ['/v1/messages', { ...body, max_tokens: 9, stream: true }],
    ['/v1/responses', { model, input: body.messages, stream: true }],
  ])('by %s', async (path, body) => {
    const isStream = 'stream' in body
    app.upstream.script(isStream ? streamed('') : whole([]))
    const free = await rowOf(send(path, body))
    expect(free).toMatchObject({
      quota: 0,
      end_reason: 'complete',
      usage_suspect: false,
      content: expect.stringContaining('not billed'),
    })
    app.upstream.script(isStream ? streamed('I began') : whole([{ type: 'text', text: 'I began' }]))
    expect((await rowOf(send(path, body))).quota).toBeGreaterThan(100_000)
  })
})

describe('a client that leaves before the usage pays for', () => {
  async function left(model: string, body: object, deltas: readonly Readonly<Record<string, unknown>>[]): Promise<LogRow> {
    app.upstream.script([...events(deltas.map((delta) => chatChunk(delta))), { do: 'hang' }])
    const leaving = new AbortController()
    const before = (await lastRow()).id
    const response = await send('/v1/chat/completions', { model, stream: true, ...body }, leaving.signal)
    const reader = response.body?.getReader()
    for (const _ of deltas) await reader?.read()
    leaving.abort()
    const row = await until(lastRow, ({ id }) => id !== before)
    expect(row.end_reason).toBe('client_gone')
    return row
  }

  test('the audio that it sent, at the price of audio', async () => {
    const data = Buffer.from(await wavFile(60).arrayBuffer()).toString('base64')
    const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }]
    const row = await left('gpt-4o-audio-preview', { messages }, [{ content: 'Hello' }])
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'audioInput', count: 600 }))
  })

  test('the images that it got', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(2_000)}` } }
    const messages = [{ role: 'user', content: 'Draw' }]
    const row = await left('gemini-2.5-flash-image', { messages }, [{ images: [image] }])
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'imageOutput', count: 1_290 }))
    expect(row).toMatchObject({ usage_suspect: false, estimated: true })
  })

  test.each([
    ['Google’s protocol', '/v1beta/models/gemini-3-pro-image:streamGenerateContent?alt=sse', { contents: [{ parts: [{ text: 'Draw' }] }] }],
    ['a chat', '/v1/chat/completions', { model: 'gemini-3-pro-image', stream: true, messages: [{ role: 'user', content: 'Draw' }] }],
  ])('the images that it got of Google, in %s', async (_, path, body) => {
    const inlineData = { mimeType: 'image/png', data: 'A'.repeat(2_000) }
    const image = { candidates: [{ content: { role: 'model', parts: [{ inlineData }] } }] }
    app.upstream.script([...events([image]), { do: 'hang' }])
    const leaving = new AbortController()
    const before = (await lastRow()).id
    const response = await send(path, body, leaving.signal)
    await response.body?.getReader().read()
    leaving.abort()
    const row = await until(lastRow, ({ id }) => id !== before)
    expect(row.end_reason).toBe('client_gone')
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'imageOutput', count: 1_290 }))
  })

  test('the audio that it got', async () => {
    const messages = [{ role: 'user', content: 'Speak' }]
    const audio = { audio: { data: Buffer.alloc(48_000).toString('base64') } }
    const row = await left('gpt-4o-audio-preview', { messages, modalities: ['text', 'audio'] }, [audio])
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'audioOutput', count: 20 }))
  })
})

describe('calls of a model that a vendor makes for one response', () => {
  const model = 'claude-haiku-4-5'
  const search = (more: object = {}) => ({ type: 'web_search_20250305', name: 'web_search', ...more })
  const body = (...tools: readonly object[]) => ({ model, max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }], tools })
  const iteration = (input: number, output: number, cached = 0) => ({
    ...{ type: 'message', input_tokens: input, output_tokens: output, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 },
  })
  const whole = (usage: object): Script =>
    json({
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn', content: [{ type: 'text', text: 'ok' }] },
      usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...usage },
    })
  const streamed = (usage: object): Script =>
    events([
      {
        ...{ type: 'message_start' },
        message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ])
  const usageWith = (...iterations: readonly ReturnType<typeof iteration>[]) => ({
    input_tokens: iterations.reduce((sum, one) => sum + one.input_tokens, 0),
    output_tokens: iterations.reduce((sum, one) => sum + one.output_tokens, 0),
    iterations,
  })

  const impossible: ReadonlyArray<readonly [string, object, object]> = [
    ['one that is longer than the context of the model', body(search({ max_uses: 1 })), usageWith(iteration(5_000_000, 50))],
    [
      'one that is too long with what was cached',
      body(search({ max_uses: 1 })),
      usageWith(iteration(9, 50), iteration(150_000, 50, 60_000)),
    ],
    ['one among many', body(search()), usageWith(iteration(9, 50), iteration(200_001, 50), iteration(9, 50))],
    ['more than the calls of tools that the request allows', body(search({ max_uses: 1 })), { input_tokens: 400_001, output_tokens: 50 }],
    [
      'more than the calls of several tools',
      body(search({ max_uses: 1 }), { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 }),
      { input_tokens: 800_001, output_tokens: 50 },
    ],
    ['more than any answer needs', body(search()), { input_tokens: 6_400_001, output_tokens: 50 }],
    ['one with no tool of the vendor', body({ name: 'f', input_schema: { type: 'object' } }), { input_tokens: 200_001, output_tokens: 50 }],
  ]
  test.each(impossible)('are judged by themselves: %s is not charged', async (_, request, usage) => {
    for (const stream of [false, true]) {
      app.upstream.script(stream ? streamed(usage) : whole(usage))
      const row = await rowOf(send('/v1/messages', { ...request, stream }))
      expect(row).toMatchObject({ usage_suspect: true, estimated: true })
      expect(row.prompt_tokens).toBeLessThan(2_000)
    }
  })

  const possible: ReadonlyArray<readonly [string, object, object, number]> = [
    ['that are each within the context', body(search({ max_uses: 2 })), usageWith(iteration(150_000, 50), iteration(199_000, 50)), 349_000],
    ['that the request allows', body(search({ max_uses: 2 })), { input_tokens: 599_000, output_tokens: 50 }, 599_000],
    ['that nothing limits', body(search()), { input_tokens: 6_000_000, output_tokens: 50 }, 6_000_000],
    [
      'of which one tool has no limit',
      body(search({ max_uses: 1 }), { type: 'web_fetch_20250910', name: 'web_fetch' }),
      { input_tokens: 900_000, output_tokens: 50 },
      900_000,
    ],
    [
      'after compaction',
      { ...body(search({ max_uses: 1 })), context_management: { edits: [{ type: 'compact_20260112' }] } },
      { input_tokens: 900_000, output_tokens: 50 },
      900_000,
    ],
  ]
  test.each(possible)('are charged, if they are possible: those %s', async (_, request, usage, count) => {
    app.upstream.script(whole(usage))
    const row = await rowOf(send('/v1/messages', request))
    expect(row).toMatchObject({ usage_suspect: false, prompt_tokens: count })
  })

  test('by OpenAI are limited by `max_tool_calls`', async () => {
    const responding = (input: number): Script =>
      json({
        ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4', usage: { input_tokens: input, output_tokens: 5 } },
        output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] }],
      })
    const request = { model: 'gpt-4', input: 'Hi', tools: [{ type: 'web_search' }] }
    for (const [more, input, isSuspect] of [
      [{ max_tool_calls: 1 }, 20_000, true],
      [{ max_tool_calls: 2 }, 20_000, false],
      [{}, 200_000, false],
    ] as const) {
      app.upstream.script(responding(input))
      expect(await rowOf(send('/v1/responses', { ...request, ...more }))).toMatchObject({ usage_suspect: isSuspect })
    }
  })

  describe('of an advisor', () => {
    const advisor = (more: object = {}) => ({ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8', ...more })
    const advice = (input: number, output = 9) => ({ ...iteration(input, output), type: 'advisor_message', model: 'claude-opus-4-8' })
    const rowWith = async (tool: object, main: number, ...advices: readonly object[]): Promise<LogRow> => {
      const usage = { input_tokens: main, output_tokens: 50, iterations: [iteration(main, 50), ...advices] }
      app.upstream.script(whole(usage))
      return await rowOf(send('/v1/messages', body(tool)))
    }

    test.each([
      ['a conversation', advisor(), 100_000, [advice(150_000)]],
      ['advice for a short one', advisor(), 90, [advice(1_700, 2_000)]],
      ['a short one, with the instructions that it has of its own', advisor(), 20, [advice(2_000, 8_000)]],
      ['two questions', advisor({ max_uses: 2 }), 90, [advice(100), advice(200)]],
    ])('are charged for %s', async (_, tool, main, advices) => {
      const row = await rowWith(tool, main, ...advices)
      expect(row).toMatchObject({ usage_suspect: false, prompt_tokens: main })
      expect(row.charges.some(({ unit }) => unit.startsWith('tool.'))).toBe(true)
    })

    test.each([
      ['longer than the context of its model', advisor(), 150_000, [advice(5_000_000)]],
      ['far longer than the conversation', advisor(), 90, [advice(150_000)]],
      ['longer than an answer of its model', advisor(), 90, [advice(90, 600_000)]],
    ])('are not charged if they are %s', async (_, tool, main, advices) => {
      const row = await rowWith(tool, main, ...advices)
      expect(row).toMatchObject({ usage_suspect: true, prompt_tokens: main })
      expect(row.charges.some(({ unit }) => unit.startsWith('tool.'))).toBe(false)
    })

    test('are not more than the request allows', async () => {
      const row = await rowWith(advisor({ max_uses: 1 }), 90, advice(100), advice(100), advice(100))
      expect(row.usage_suspect).toBe(true)
      expect(row.charges.find(({ unit }) => unit === 'tool.prompt')?.count).toBe(100)
    })

    test('are not more than the request allows it, beside tools that nothing limits', async () => {
      const usage = {
        input_tokens: 90,
        output_tokens: 50,
        iterations: [iteration(90, 50), ...Array.from({ length: 30 }, () => advice(100))],
      }
      app.upstream.script(whole(usage))
      const row = await rowOf(send('/v1/messages', body(advisor({ max_uses: 1 }), search(), advisor({ max_uses: 2, name: 'other' }))))
      expect(row.usage_suspect).toBe(true)
      expect(row.charges.find(({ unit }) => unit === 'tool.prompt')?.count).toBe(300)
    })
  })

  test('of a model that declined are compared with the conversation', async () => {
    const declining = (input: number, output: number) => {
      const served = { ...iteration(90, 50), type: 'fallback_message', model: 'claude-opus-4-8' }
      return { input_tokens: 90, output_tokens: 50, iterations: [{ ...iteration(input, output), model }, served] }
    }
    const fallbacks = [{ model: 'claude-opus-4-8' }]
    for (const [input, isSuspect] of [
      [1_400, false],
      [900_000_000, true],
      [150_000, true],
    ] as const) {
      app.upstream.script(whole(declining(input, 3)))
      expect(await rowOf(send('/v1/messages', { ...body(), fallbacks }))).toMatchObject({ usage_suspect: isSuspect })
    }
  })
})
