import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { type FakeService, fakePusher } from '../../../test/fake-services.ts'
import { chatChunk, chatReply, events, json, type Script } from '../../../test/fake-upstream.ts'
import { wavFile } from '../../../test/wav.ts'

// What a vendor counts is compared with what the request allowed and with what passed through here.

let app: TestApp
let pusher: FakeService
let user: TestUser
let key: string
beforeAll(async () => {
  pusher = fakePusher('push-token')
  app = await testApp()
  const flat = { ratio: 1, completion: 1 }
  const priced = { PriceRules: JSON.stringify({ chatty: flat, 'my-sonar': flat, 'doubao-seed': flat }) }
  const options = { ...priced, MessagePusherAddress: `${pusher.url}/push/root`, MessagePusherToken: 'push-token', PreConsumedQuota: '0' }
  for (const [name, value] of Object.entries(options)) await app.data(contract.option.update, { key: name, value })
  await app.make.channel({ models: 'gpt-4o-mini,gpt-4,gpt-5,chatty,my-sonar,gpt-4o-audio-preview,gemini-2.5-flash-image' })
  await app.make.channel({ type: 14, models: 'claude-haiku-4-5' })
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
  expect(await app.unsound()).toEqual([])
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

type Counts = readonly [promptTokens: number, completionTokens: number, thoughts?: number]

/** An answer with these counts, whole or as a stream. */
function answering(text: string, [prompt, completion, thoughts = 0]: Counts, stream: boolean): Script {
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    completion_tokens_details: { reasoning_tokens: thoughts },
  }
  if (!stream) return json(chatReply(text, usage))
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
    app.upstream.script(answering('one two three', counts, stream))
    const row = await rowOf(chat(model, { ...more, stream }))
    expect(row).toMatchObject({
      usage_suspect: true,
      estimated: true,
      end_reason: 'complete',
      content: expect.stringContaining('makes no sense'),
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
    app.upstream.script(answering(text, counts, stream))
    const row = await rowOf(chat(model, { ...more, stream }))
    expect(row).toMatchObject({ usage_suspect: false, estimated: false, prompt_tokens: counts[0], completion_tokens: counts[1] })
  })
})

test('an inflated count of a running answer is not charged if its client leaves', async () => {
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

test('administrators are told of a channel whose counts are suspect, once an hour', async () => {
  await until(
    async () => pusher.received.length,
    (count) => count > 0,
  )
  const told = pusher.received
    .map(({ body }): { readonly title: string } => JSON.parse(body))
    .filter(({ title }) => title.includes('usage'))
  expect(told.length).toBe(1)
  expect(told[0]?.title).toContain('上报的用量不合理')
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
  const said = { model, messages: [{ role: 'user', content: 'word '.repeat(200_000) }] }
  const contents = [{ role: 'user', parts: [{ text: 'word '.repeat(200_000) }] }]

  test.each([
    ['/v1/chat/completions', { ...said, max_tokens: 9 }],
    ['/v1/messages', { ...said, max_tokens: 9 }],
    ['/v1/responses', { model, input: said.messages }],
    [`/v1beta/models/${model}:generateContent`, { contents }],
    ['/v1/chat/completions', { ...said, stream: true }],
    ['/v1/messages', { ...said, max_tokens: 9, stream: true }],
    ['/v1/responses', { model, input: said.messages, stream: true }],
  ])('by %s', async (path, body) => {
    const isStream = 'stream' in body
    app.upstream.script(isStream ? streamed('') : whole([]))
    const free = await rowOf(send(path, body))
    expect(free).toMatchObject({
      quota: 0,
      end_reason: 'complete',
      usage_suspect: false,
      content: expect.stringContaining('does not bill'),
    })
    app.upstream.script(isStream ? streamed('I began') : whole([{ type: 'text', text: 'I began' }]))
    expect((await rowOf(send(path, body))).quota).toBeGreaterThan(100_000)
  })
})

describe('a client that leaves before the usage pays for', () => {
  async function left(model: string, body: object, deltas: readonly Readonly<Record<string, unknown>>[]): Promise<LogRow> {
    app.upstream.script([...events(deltas.map((delta) => chatChunk(delta))), { do: 'hang' }])
    const leaving = new AbortController()
    const response = await send('/v1/chat/completions', { model, stream: true, ...body }, leaving.signal)
    const reader = response.body?.getReader()
    for (const _ of deltas) await reader?.read()
    leaving.abort()
    return await until(lastRow, ({ end_reason: reason, model_name: name }) => reason === 'client_gone' && name === model)
  }

  test('the sound that it sent, at the price of sound', async () => {
    const data = Buffer.from(await wavFile(60).arrayBuffer()).toString('base64')
    const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }]
    const row = await left('gpt-4o-audio-preview', { messages }, [{ content: 'Hello' }])
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'audioInput', count: 600 }))
  })

  test('the pictures that it got', async () => {
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(2_000)}` } }
    const messages = [{ role: 'user', content: 'Draw' }]
    const row = await left('gemini-2.5-flash-image', { messages }, [{ images: [picture] }])
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'imageOutput', count: 1_290 }))
    expect(row).toMatchObject({ usage_suspect: false, estimated: true })
  })

  test('the sound that it got', async () => {
    const messages = [{ role: 'user', content: 'Speak' }]
    const sound = { audio: { data: Buffer.alloc(48_000).toString('base64') } }
    const row = await left('gpt-4o-audio-preview', { messages, modalities: ['text', 'audio'] }, [sound])
    expect(row.charges).toContainEqual(expect.objectContaining({ unit: 'audioOutput', count: 20 }))
  })
})
