import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow, type OptionKey } from '@sluice/contract'
import fc from 'fast-check'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'
import { wavFile } from '../../../test/wav.ts'

let app: TestApp
let user: TestUser
let key: string
const funds = 1_000_000_000
beforeAll(async () => {
  app = await testApp({ env: { ABANDONED_MS: '200' } })
  user = await app.make.user({ quota: funds })
  key = (await app.make.token(user, { isUnlimited: true })).key
  const models =
    'gpt-4o,gpt-4,gpt-5,gpt-realtime,gpt-4o-search-preview,dall-e-3,gpt-image-1,gpt-image-1-mini,tts-1,whisper-1,gpt-4o-transcribe'
  await app.make.channel({ models })
  await app.make.channel({ models: 'gpt-4o-mini', mapping: { 'gpt-4o-mini': 'upstream-mini' } })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

function send(path: string, body: object): Promise<Response> {
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  return app.request(path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
}

const chat = (model: string, more: object = {}): Promise<Response> =>
  send('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more })

/** The newest log row. Also checks that the log rows explain the balance. */
async function lastRow(): Promise<LogRow> {
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username })
  if (row === undefined) throw new Error('nothing was logged')
  expect(Math.ceil(Number(row.charges.reduce((sum, { count, price }) => sum + count * price, 0).toFixed(6)))).toBe(row.quota)
  return row
}

async function rowOf(response: Promise<Response>): Promise<LogRow> {
  await (await response).text()
  return await lastRow()
}

const setOption = (key: OptionKey, value: string) => app.data(contract.option.update, { key, value })

describe('the log says what was charged', () => {
  test('per unit, with the requested and the upstream model', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 40, audio_tokens: 30 },
      completion_tokens_details: { audio_tokens: 20, reasoning_tokens: 10 },
    }
    app.upstream.script(json(chatResponse('Hello', usage)))
    const row = await rowOf(chat('gpt-realtime'))
    expect(row.charges).toEqual([
      { unit: 'prompt', count: 30, price: 2 },
      { unit: 'completion', count: 30, price: 8 },
      { unit: 'cached', count: 40, price: 0.2 },
      { unit: 'audioInput', count: 30, price: 16 },
      { unit: 'audioOutput', count: 20, price: 32 },
    ])
    const words = '40 cached input tokens × 0.2 + 30 audio input tokens × 16 + 20 audio output tokens × 32'
    expect(row.content).toBe(`gpt-realtime 2 × group 1 × completion 4; ${words}`)
    app.upstream.script(json(chatResponse('Hello', { prompt_tokens: 1, completion_tokens: 1 })))
    expect(await rowOf(chat('gpt-4o-mini'))).toMatchObject({ model_name: 'gpt-4o-mini', upstream_model: 'upstream-mini' })
  })

  test('including the reasoning of vendors that count it apart from the output', async () => {
    const usage = { prompt_tokens: 291, completion_tokens: 26, total_tokens: 506, completion_tokens_details: { reasoning_tokens: 189 } }
    app.upstream.script(json(chatResponse('Hello', usage)))
    const row = await rowOf(chat('gpt-4o-mini'))
    expect([row.prompt_tokens, row.completion_tokens]).toEqual([291, 215])
    expect(row.charges).toMatchObject([
      { unit: 'prompt', count: 291 },
      { unit: 'completion', count: 215 },
    ])
  })

  test('by the actual service tier, whatever was requested', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100 }
    app.upstream.script(json({ ...chatResponse('Hello', usage), service_tier: 'default' }))
    const plain = await rowOf(chat('gpt-5', { service_tier: 'priority' }))
    app.upstream.script(json({ ...chatResponse('Hello', usage), service_tier: 'priority' }))
    expect((await rowOf(chat('gpt-5', { service_tier: 'priority' }))).quota).toBe(plain.quota * 2)
    app.upstream.script(json({ ...chatResponse('Hello', usage), service_tier: 'fast' }))
    expect((await rowOf(chat('gpt-5', { service_tier: 'fast' }))).quota).toBe(plain.quota * 2)
    app.upstream.script(json({ ...chatResponse('Hello', usage), service_tier: 'ultrafast' }))
    expect((await rowOf(chat('gpt-5', { service_tier: 'ultrafast' }))).quota).toBe(plain.quota * 6)
  })

  test('with the price per call, if there is one', async () => {
    app.upstream.script(json(chatResponse('', { prompt_tokens: 100, completion_tokens: 0 })))
    const { charges, quota } = await rowOf(chat('gpt-4o-search-preview'))
    expect([quota, charges.at(-1)]).toEqual([12_625, { unit: 'calls', count: 1, price: 12_500 }])
    await setOption('ModelPrice', '{"gpt-4o":0.01}')
    app.upstream.script(json(chatResponse('', { prompt_tokens: 100, completion_tokens: 0 })))
    const fixed = await rowOf(chat('gpt-4o'))
    await setOption('ModelPrice', '{}')
    expect(fixed).toMatchObject({ quota: 5000, content: 'gpt-4o; 1 calls × 5000' })
  })
})

test('what a request costs does not depend on how many units are shown as a dollar', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 50 }
  const costs = async (): Promise<readonly number[]> => {
    app.upstream.script(json(chatResponse('Hello', usage)), json(chatResponse('Hello', usage)))
    return [(await rowOf(chat('gpt-4o'))).quota, (await rowOf(chat('gpt-4o-search-preview'))).quota]
  }
  const before = await costs()
  await setOption('QuotaPerUnit', '1000')
  expect(await costs()).toEqual(before)
  await setOption('QuotaPerUnit', '500000')
})

describe('the same response', () => {
  const asStream = (text: string, usage: object | null): Script =>
    events([chatChunk({ content: text }), chatChunk({}, 'stop'), ...(usage === null ? [] : [{ ...chatChunk({}), choices: [], usage }])])
  const asWhole = (text: string, usage: object | null): Script => json({ ...chatResponse(text), usage })

  test('costs the same whole and streamed, for any usage', async () => {
    const count = fc.nat(100_000)
    const details = fc.record({ cached_tokens: count, audio_tokens: count }, { requiredKeys: [] })
    const used = fc.record({ prompt_tokens: count, completion_tokens: count, prompt_tokens_details: details })
    await fc.assert(
      fc.asyncProperty(fc.option(used), fc.string(), async (usage, text) => {
        app.upstream.script(asWhole(text, usage), asStream(text, usage))
        const whole = await rowOf(chat('gpt-realtime'))
        const streamed = await rowOf(chat('gpt-realtime', { stream: true }))
        expect([streamed.quota, streamed.charges, streamed.estimated]).toEqual([whole.quota, whole.charges, whole.estimated])
      }),
      { numRuns: 15 },
    )
  })

  test('is counted here if the vendor’s count is empty (F19)', async () => {
    const odd = [
      { prompt_tokens: -5, completion_tokens: 10 },
      { prompt_tokens: 10, completion_tokens: 2 ** 53 + 2 },
      { prompt_tokens: '10', completion_tokens: 3 },
      { prompt_tokens: 0, completion_tokens: 0 },
      { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { audio_tokens: -1e9 } },
      { prompt_tokens: 10.5, completion_tokens: 3 },
      { prompt_tokens: 10, total_tokens: 5 },
    ]
    app.upstream.script(asWhole('one two three', null))
    const counted = await rowOf(chat('gpt-4'))
    expect(counted).toMatchObject({ estimated: true, usage_suspect: false, completion_tokens: 3 })
    const ours = { estimated: true, usage_suspect: true, quota: counted.quota, content: expect.stringContaining('implausible') }
    for (const usage of odd) {
      app.upstream.script(asWhole('one two three', usage), asStream('one two three', usage))
      expect(await rowOf(chat('gpt-4'))).toMatchObject(ours)
      expect(await rowOf(chat('gpt-4', { stream: true }))).toMatchObject(ours)
    }
  })

  test('keeps the plausible parts of an implausible count (F19)', async () => {
    const text = 'one two three'
    const odd = [
      // "Hi" is one token, its message has four, and the response begins with three.
      [
        { prompt_tokens: 0, completion_tokens: 7 },
        { prompt_tokens: 8, completion_tokens: 7 },
      ],
      [
        { prompt_tokens: 50, completion_tokens: 0 },
        { prompt_tokens: 50, completion_tokens: 3 },
      ],
    ] as const
    for (const [usage, kept] of odd) {
      app.upstream.script(asWhole(text, usage), asStream(text, usage))
      const row = await rowOf(chat('gpt-4'))
      expect(row).toMatchObject({ ...kept, estimated: true, usage_suspect: true })
      expect(await rowOf(chat('gpt-4', { stream: true }))).toMatchObject({ usage_suspect: true, quota: row.quota })
    }
  })

  test('is counted here if the counts of a stream decrease (F19)', async () => {
    const streamOf = (...usages: object[]): Script =>
      events([
        ...usages.map((usage) => ({ ...chatChunk({ content: 'word ' }), usage })),
        { ...chatChunk({}, 'stop'), usage: { prompt_tokens: 10, completion_tokens: 6 } },
      ])
    app.upstream.script(streamOf({ prompt_tokens: 0, completion_tokens: 0 }, { prompt_tokens: 10, completion_tokens: 2 }))
    expect(await rowOf(chat('gpt-4', { stream: true }))).toMatchObject({ estimated: false, usage_suspect: false, completion_tokens: 6 })
    for (const shrinking of [
      { prompt_tokens: 10, completion_tokens: 9_000 },
      { prompt_tokens: 9_000, completion_tokens: 1 },
    ]) {
      app.upstream.script(streamOf(shrinking, { prompt_tokens: 10, completion_tokens: 2 }))
      const row = await rowOf(chat('gpt-4', { stream: true }))
      expect(row).toMatchObject({ estimated: true, usage_suspect: true, completion_tokens: 3 })
      expect(row.prompt_tokens).toBeLessThan(20)
    }
  })
})

describe('nothing is charged', () => {
  const nothing = { quota: 0, charges: [], prompt_tokens: 0 }

  test('if no channel responded', async () => {
    app.upstream.script(json({ error: { message: 'no' } }, 400))
    expect(await rowOf(chat('gpt-4o'))).toMatchObject({ ...nothing, end_reason: 'failed' })
  })

  test('if a response broke off before its first word', async () => {
    const cut: Script = [{ do: 'wait', name: 'the answer had begun' }, { do: 'cut' }]
    app.upstream.script(events([chatChunk({ role: 'assistant', content: '' })], cut))
    const response = await chat('gpt-4o', { stream: true })
    app.upstream.release('the answer had begun')
    await response.text()
    expect(await lastRow()).toMatchObject({ ...nothing, end_reason: 'upstream_cut' })
  })

  test('if the vendor broke off speech, because a part of it is useless', async () => {
    const head = { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } } as const
    app.upstream.script([head, { do: 'send', bytes: 'half' }, { do: 'wait', name: 'half was heard' }, { do: 'cut' }])
    const response = await send('/v1/audio/speech', { model: 'tts-1', input: 'Hello', voice: 'ash' })
    app.upstream.release('half was heard')
    await response.arrayBuffer().catch(() => {})
    expect(await lastRow()).toMatchObject({ ...nothing, end_reason: 'upstream_cut' })
  })
})

describe('what a vendor may write', () => {
  const thinking = { model: 'claude-sonnet-4-5', max_tokens: 100, reasoning_effort: 'high', messages: [{ role: 'user', content: 'Hi' }] }
  const response = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Hi' }] },
    ...{ stop_reason: 'end_turn', usage: { input_tokens: 10, output_tokens: 5 } },
  }
  async function ask(quota: number): Promise<{ readonly status: number; readonly upstreamRequests: number }> {
    const poor = await app.make.user({ quota })
    const { key } = await app.make.token(poor, { isUnlimited: true })
    const before = app.upstream.received.length
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const { status } = await app.request('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(thinking) })
    return { status, upstreamRequests: app.upstream.received.length - before }
  }

  test('is reserved in full, reasoning included, before the request is sent', async () => {
    await app.make.channel({ type: 14, models: 'claude-sonnet-4-5' })
    app.upstream.script(json(response))
    // 16,384 reasoning tokens on top of the 100, at 7.5 each.
    expect(await ask(100_000)).toEqual({ status: 403, upstreamRequests: 0 })
    expect(await ask(130_000)).toEqual({ status: 200, upstreamRequests: 1 })
  })
})

describe('by the piece', () => {
  test('images are charged by size and quality, and by the number that was delivered', async () => {
    const generated = { created: 1, data: [{ url: 'https://pictures.test/1' }, { url: 'https://pictures.test/2' }] }
    app.upstream.script(json(generated))
    const body = { model: 'dall-e-3', prompt: 'A cat', n: 3, size: '1792x1024', quality: 'hd' }
    const row = await rowOf(send('/v1/images/generations', body))
    expect(row).toMatchObject({ charges: [{ unit: 'images', price: 60_000 }], estimated: false })
  })

  test('speech is charged by its characters', async () => {
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } },
      { do: 'send', bytes: 'sound' },
    ])
    const row = await rowOf(send('/v1/audio/speech', { model: 'tts-1', input: '你好，世界。Hello', voice: 'ash' }))
    expect(row).toMatchObject({ quota: 83, charges: [{ unit: 'characters', count: 11, price: 7.5 }], estimated: false })
  })

  test('transcripts are charged by the length of the audio, whatever format is requested', async () => {
    for (const format of ['json', 'text', 'srt']) {
      const form = new FormData()
      form.append('model', 'whisper-1')
      form.append('response_format', format)
      form.append('file', wavFile(10, { bytesPerSecond: 0x7fff_ffff }))
      const plain = { do: 'head', status: 200, headers: { 'content-type': 'text/plain' } } as const
      app.upstream.script(format === 'json' ? json({ text: 'Hello' }) : [plain, { do: 'send', bytes: 'Hello' }])
      // Ten seconds at 0.0001 dollars, whatever bit rate the file claims.
      expect(await rowOf(send('/v1/audio/transcriptions', form))).toMatchObject({
        quota: 500,
        charges: [{ unit: 'audioMs', count: 10_000 }],
      })
    }
  })
})

describe('the tools of a vendor', () => {
  const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }
  const drawing = { type: 'image_generation_call', result: 'iVBORw0KGgo=', size: '1024x1024', quality: 'medium' }
  const tools = [{ type: 'image_generation', model: 'gpt-image-1' }]
  const response = (output: readonly object[], more: object = {}) => ({
    id: 'resp_1',
    object: 'response',
    output,
    usage,
    store: false,
    ...more,
  })
  const requested = [
    { type: 'web_search' },
    { type: 'file_search', vector_store_ids: ['vs_1'] },
    { type: 'code_interpreter', container: { type: 'auto' } },
  ]
  const ask = (painter = 'gpt-image-1') => {
    const painting = { type: 'image_generation', model: painter }
    return rowOf(send('/v1/responses', { model: 'gpt-5', input: 'Hi', store: false, tools: [...requested, painting] }))
  }

  test('are charged by their calls, in addition to the tokens of the response', async () => {
    const output = [{ type: 'web_search_call' }, { type: 'file_search_call' }, { type: 'code_interpreter_call', container_id: 'cntr_1' }]
    const more = { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }] }
    app.upstream.script(json(response(output, more)))
    // A cent, a quarter of a cent, and four gigabytes at three cents.
    expect(await ask()).toMatchObject({
      quota: Math.ceil(100 * 0.625 + 20 * 5 + 5_000 + 1_250 + 4 * 15_000),
      charges: [
        { unit: 'prompt', count: 100 },
        { unit: 'completion', count: 20 },
        { unit: 'searches', count: 1, price: 5_000 },
        { unit: 'fileSearches', count: 1, price: 1_250 },
        { unit: 'containers', count: 4, price: 15_000 },
      ],
    })
  })

  test('make images at the price of the model that makes them, by its tokens', async () => {
    const codedText = {
      input_tokens: 50,
      input_tokens_details: { text_tokens: 40, image_tokens: 10 },
      output_tokens: 1056,
      output_tokens_details: { image_tokens: 1056 },
    }
    app.upstream.script(json(response([drawing], { tools, tool_usage: { image_gen: codedText } })))
    const row = await ask()
    expect(row).toMatchObject({ quota: Math.ceil(162.5 + 40 * 2.5 + 10 * 5 + 1056 * 20), prompt_tokens: 100, completion_tokens: 20 })
    expect(row.charges).toContainEqual({ unit: 'tool.imageOutput', count: 1056, price: 20 })
    expect(row.content).toEndWith('; gpt-image-1: 40 input tokens × 2.5 + 10 image input tokens × 5 + 1056 image output tokens × 20')
  })

  test('make images at the price of their size, if no tokens are reported and whatever model the vendor names', async () => {
    for (const model of ['gpt-image-1', 'gpt-image-of-tomorrow']) {
      app.upstream.script(json(response([drawing, drawing], { tools: [{ type: 'image_generation', model }] })))
      // Two images of 4.2 cents, and the tokens.
      const row = await ask()
      expect(row.quota).toBe(Math.ceil(162.5 + 2 * 21_000))
      expect(row.charges).toContainEqual({ unit: 'tool.images', count: 2, price: expect.closeTo(21_000, 0) })
    }
    app.upstream.script(json(response([drawing], { tools: [{ type: 'image_generation', model: 'gpt-image-1-mini' }] })))
    expect((await ask('gpt-image-1-mini')).quota).toBe(Math.ceil(162.5 + 5_500))
  })

  test('that a response may use are reserved before it is sent', async () => {
    const headersOf = async (quota: number) => {
      const { key } = await app.make.token(await app.make.user({ quota }), { isUnlimited: true })
      return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    }
    const [poor, rich] = [await headersOf(15_000), await headersOf(30_000)]
    const requestsBefore = app.upstream.received.length
    const painter = { type: 'image_generation', size: '1024x1024', quality: 'medium' }
    const body = { model: 'gpt-5', input: 'Hi', store: false, max_output_tokens: 100, tools: [painter] }
    const send = (headers: Record<string, string>, more: object) =>
      app.request('/v1/responses', { method: 'POST', headers, body: JSON.stringify({ ...body, ...more }) })
    for (const choice of [{ type: 'image_generation' }, 'required', 'auto']) {
      const refused = await send(poor, { tool_choice: choice })
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'insufficient_user_quota' } }])
    }
    expect(app.upstream.received.length).toBe(requestsBefore)
    app.upstream.script(json(response([])))
    expect((await send(rich, { tool_choice: 'auto' })).status).toBe(200)
  })

  test('are charged if the client disconnects between their end and the end of the response', async () => {
    const event = (data: object) => ({ do: 'send', bytes: `data: ${JSON.stringify(data)}\n\n` }) as const
    const done = (item: object) => event({ type: 'response.output_item.done', item })
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
      done({ type: 'web_search_call' }),
      done(drawing),
      { do: 'hang' },
    ])
    const leaving = new AbortController()
    const body = JSON.stringify({ model: 'gpt-5', input: 'Hi', stream: true, store: false, tools: [{ type: 'web_search' }, ...tools] })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await app.request('/v1/responses', { method: 'POST', headers, body, signal: leaving.signal })
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
    let text = ''
    while (!text.includes('image_generation_call')) text += Buffer.from((await reader.read()).value ?? []).toString()
    const { aborted } = app.upstream.received.at(-1) ?? {}
    leaving.abort()
    await aborted
    const row = await until(lastRow, ({ end_reason: reason }) => reason === 'client_gone')
    expect(row.charges).toContainEqual({ unit: 'searches', count: 1, price: 5_000 })
    expect(row.charges).toContainEqual({ unit: 'tool.images', count: 1, price: expect.closeTo(21_000, 0) })
  })
})
