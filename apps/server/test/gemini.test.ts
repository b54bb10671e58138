import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI, { toFile } from 'openai'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { events, json, type Script } from './fake-upstream.ts'

// OpenAI's own client against a server whose channel speaks Gemini's protocol.

let app: TestApp
/** An hour before prices of the table change. */
let dayMs = Date.parse('2026-12-31T23:00:00Z')
const clock = { nowMs: () => dayMs + performance.now(), monotonicMs: () => performance.now() }
beforeAll(async () => {
  app = await testApp({ clock })
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

/** A new account with one channel that responds with the given scripts. */
async function at(type: number, models: string, ...scripts: Script[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  await app.make.channel({ groups: group, type, models, key: 'AIza-1' })
  app.upstream.script(...scripts)
  return { user, client: new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 }) }
}

function last() {
  const { path = '', headers = {}, body = 'null' } = app.upstream.received.at(-1) ?? {}
  const requestBody: unknown = JSON.parse(body)
  return { path, key: headers['x-goog-api-key'], sent: requestBody }
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

async function errorOf(call: PromiseLike<unknown>) {
  try {
    await call
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  return null
}

const geminiResponse = (parts: readonly object[], usageMetadata: object, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata,
})
const counted = { promptTokenCount: 100, candidatesTokenCount: 10, thoughtsTokenCount: 30 }
const stop = { finishReason: 'STOP' }
const question = [{ role: 'user' as const, content: 'Is it raining?' }]
const tools: OpenAI.Chat.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
]

describe('a conversation with Gemini', () => {
  const model = 'gemini-3.8-flash'

  test('streams reasoning and parallel calls, and continues with their signature', async () => {
    const call = (city: string, more: object = {}) => ({ functionCall: { name: 'weather', args: { city } }, ...more })
    const { client, user } = await at(
      24,
      model,
      events([
        geminiResponse([{ text: 'I need the weather.', thought: true }], counted),
        geminiResponse([call('Porto', { thoughtSignature: 'sig-1' }), call('Faro')], counted),
        geminiResponse([{ text: '' }], counted, stop),
      ]),
      json(geminiResponse([{ text: 'It is dry.' }], counted, stop)),
    )
    const stream = await client.chat.completions.create({
      model,
      tools,
      messages: question,
      stream: true,
      stream_options: { include_usage: true },
    })
    const deltas: object[] = []
    let usage: object | null | undefined
    for await (const chunk of stream) {
      deltas.push(...chunk.choices.map(({ delta, finish_reason: reason }) => (reason === null ? delta : { reason })))
      usage = chunk.usage ?? usage
    }
    const id = (index: number) => expect.stringMatching(new RegExp(`^call_.+_${index}$`))
    const first = {
      id: id(0),
      function: { name: 'weather', arguments: '{"city":"Porto"}' },
      extra_content: { google: { thought_signature: 'sig-1' } },
    }
    expect(deltas).toMatchObject([
      { role: 'assistant', content: '' },
      { reasoning_content: 'I need the weather.' },
      { tool_calls: [{ index: 0, ...first }] },
      { tool_calls: [{ index: 1, id: id(1), function: { name: 'weather', arguments: '{"city":"Faro"}' } }] },
      { reason: 'tool_calls' },
    ])
    expect(usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 40, completion_tokens_details: { reasoning_tokens: 30 } })
    expect(last()).toMatchObject({ path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, key: 'AIza-1' })
    // 0.375 quota a token, and five times that for output, reasoning included.
    expect((await lastLog(user))?.quota).toBe(Math.ceil(100 * 0.375 + 40 * 1.875))

    const calls = [
      { id: 'a', type: 'function' as const, function: first.function, extra_content: first.extra_content },
      { id: 'b', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Faro"}' } },
    ]
    const results = calls.map((call) => ({ role: 'tool' as const, tool_call_id: call.id, content: 'dry' }))
    const messages = [...question, { role: 'assistant' as const, tool_calls: calls }, ...results]
    const response = await client.chat.completions.create({ model, tools, messages })
    expect(response.choices[0]?.message.content).toBe('It is dry.')
    expect(last()).toMatchObject({
      path: `/v1beta/models/${model}:generateContent`,
      sent: { contents: [{}, { parts: [{ thoughtSignature: 'sig-1' }, { functionCall: { id: 'b' } }] }, { parts: [{}, {}] }] },
    })
  })

  test('with Argon is streamed by the vendor and arrives whole', async () => {
    const { client, user } = await at(
      24,
      'gemini-4-argon',
      events([geminiResponse([{ text: 'It ' }], counted), geminiResponse([{ text: 'is.' }], counted, stop)]),
    )
    const response = await client.chat.completions.create({ model: 'gemini-4-argon', messages: question })
    expect(response).toMatchObject({
      choices: [{ message: { content: 'It is.' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 40 },
    })
    expect(last().path).toContain(':streamGenerateContent?alt=sse')
    expect((await lastLog(user))?.quota).toBe(100 * 2 + 40 * 10)
  })

  test('costs what the requested model costs, whichever model the vendor responded with', async () => {
    const { client, user } = await at(
      24,
      'gemini-2.5-flash-lite',
      json({ ...geminiResponse([{ text: 'No' }], counted, stop), modelVersion: 'gemini-3.8-flash' }),
    )
    await client.chat.completions.create({ model: 'gemini-2.5-flash-lite', messages: question })
    expect(await lastLog(user)).toMatchObject({ model_name: 'gemini-2.5-flash-lite', quota: Math.ceil(100 * 0.05 + 40 * 0.2) })
  })

  test('charges a search, and shows its sources', async () => {
    const groundingMetadata = {
      webSearchQueries: ['rain'],
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [0] }],
    }
    const { client, user } = await at(24, model, json(geminiResponse([{ text: 'No' }], counted, { ...stop, groundingMetadata })))
    const { choices } = await client.chat.completions.create({ model, messages: question, web_search_options: {} })
    expect(choices[0]?.message.annotations).toMatchObject([{ url_citation: { url: 'https://a.example', end_index: 2 } }])
    expect(last().sent).toMatchObject({ tools: [{ googleSearch: {} }] })
    expect((await lastLog(user))?.quota).toBe(Math.ceil(100 * 0.375 + 40 * 1.875 + 7_000))
  })

  test('that the vendor ends for its content is reported as filtered', async () => {
    const { client } = await at(24, model, json({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } }))
    const response = await client.chat.completions.create({ model, messages: question })
    expect(response.choices[0]?.finish_reason).toBe('content_filter')
  })

  test('is refused with the name of a parameter that the vendor does not have', async () => {
    const { client } = await at(24, model)
    const before = app.upstream.received.length
    const failed = await errorOf(client.chat.completions.create({ model, messages: question, web_search_options: {}, tools }))
    expect(failed).toMatchObject({ status: 400, code: 'parameter_not_offered', param: 'web_search_options' })
    expect(await errorOf(client.chat.completions.create({ model, messages: question, n: 2 }))).toMatchObject({ status: 400, param: 'n' })
    expect(app.upstream.received.length).toBe(before)
  })

  test('is tried again after the time that the vendor names in its error', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17.2s' }]
    const { client } = await at(
      24,
      model,
      json({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded', details } }, 429),
    )
    expect(await errorOf(client.chat.completions.create({ model, messages: question }))).toMatchObject({ status: 429 })
    const again = await errorOf(client.chat.completions.create({ model, messages: question }))
    expect(Number(again?.headers?.get('retry-after'))).toBeGreaterThan(10)
  })
})

describe('Gemini’s other kinds', () => {
  test('embed texts', async () => {
    const { client, user } = await at(
      24,
      'gemini-embedding-001',
      json({ embeddings: [{ values: [0.5, 1] }], usageMetadata: { promptTokenCount: 400 } }),
    )
    const { data } = await client.embeddings.create({ model: 'gemini-embedding-001', input: 'Hello' })
    expect(data[0]?.embedding).toEqual([0.5, 1])
    expect((await lastLog(user))?.quota).toBe(400 * 0.075)
  })

  test('speak, and charge the audio as the vendor counts it', async () => {
    const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: Buffer.from([1, 0, 2, 0]).toString('base64') }
    const model = 'gemini-3.8-flash-tts'
    const { client, user } = await at(
      24,
      model,
      json(geminiResponse([{ inlineData }], { promptTokenCount: 8, candidatesTokenCount: 50 }, stop)),
    )
    const response = await client.audio.speech.create({ model, voice: 'alloy', input: 'Hello' })
    expect(response.headers.get('content-type')).toBe('audio/wav')
    expect(Buffer.from(await response.arrayBuffer()).subarray(44)).toEqual(Buffer.from([1, 0, 2, 0]))
    expect((await lastLog(user))?.quota).toBe(8 * 0.25 + 50 * 0.25 * 18)
  })

  const generated = geminiResponse(
    [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    { promptTokenCount: 10, candidatesTokenCount: 1_120, candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }] },
    stop,
  )
  const price = 10 * 0.75 + 1_120 * 0.75 * 20
  const nano = 'gemini-nano-banana-2.1'

  test('generate and change images', async () => {
    const { client, user } = await at(50, nano, json(generated), json(generated), json(generated))
    const images = await client.images.generate({ model: nano, prompt: 'A dot', size: '1536x1024' })
    expect(images.data?.[0]?.b64_json).toBe('AAAA')
    expect(last().sent).toMatchObject({ generationConfig: { imageConfig: { aspectRatio: '3:2' } } })
    expect((await lastLog(user))?.quota).toBe(Math.ceil(price))
    const image = await toFile(Buffer.from([1, 2, 3]), 'a.png', { type: 'image/png' })
    const changed = await client.images.edit({ model: nano, prompt: 'Brighter', image })
    expect(changed.data?.[0]?.b64_json).toBe('AAAA')
    expect(last().sent).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }, { text: 'Brighter' }] }],
    })
    const varied = await client.images.createVariation({ model: nano, image })
    expect(varied.data?.[0]?.b64_json).toBe('AAAA')
    expect(last().sent).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }, { text: 'Draw a variation of this image.' }] }],
    })
  })

  test('generate images in a chat', async () => {
    const { client, user } = await at(50, nano, json(generated))
    const { choices } = await client.chat.completions.create({ model: nano, messages: [{ role: 'user', content: 'A dot' }] })
    expect(choices[0]?.message).toMatchObject({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] })
    expect((await lastLog(user))?.quota).toBe(Math.ceil(price))
  })

  test('stream an image of 24 MiB, in a chat and in both forms of Google’s protocol', async () => {
    const data = 'A'.repeat(32 * 1024 * 1024)
    const image = geminiResponse([{ inlineData: { mimeType: 'image/png', data } }], generated.usageMetadata, stop)
    const { client, user } = await at(50, nano, events([image]), events([image]), events([image]))
    let streamed = 0
    const messages = [{ role: 'user' as const, content: 'A dot' }]
    for await (const { choices } of await client.chat.completions.create({ model: nano, messages, stream: true }))
      streamed += JSON.stringify(choices[0]?.delta ?? {}).length
    expect(streamed).toBeGreaterThan(data.length)
    expect((await lastLog(user))?.quota).toBe(Math.ceil(price))
    const asks = { method: 'POST', headers: { 'x-goog-api-key': client.apiKey ?? '' }, body: '{"contents":[{"parts":[{"text":"A dot"}]}]}' }
    const path = `/v1beta/models/${nano}:streamGenerateContent`
    const eventText = await (await app.request(`${path}?alt=sse`, asks)).text()
    expect(JSON.parse(eventText.trim().slice('data: '.length))).toEqual(image)
    expect(await (await app.request(path, asks)).json()).toEqual([image])
    expect((await lastLog(user))?.quota).toBe(Math.ceil(price))
  })
})

test('a price changes on its day, while the gateway runs', async () => {
  const model = 'gemini-3.8-flash'
  const { client, user } = await at(24, model, ...Array.from({ length: 2 }, () => json(geminiResponse([{ text: 'No' }], counted, stop))))
  const quotaNow = async (): Promise<number | undefined> => {
    await client.chat.completions.create({ model, messages: question })
    return (await lastLog(user))?.quota
  }
  expect(await quotaNow()).toBe(Math.ceil(100 * 0.375 + 40 * 1.875))
  dayMs = Date.parse('2027-01-01')
  expect(await quotaNow()).toBe(100 * 0.75 + 40 * 3.75)
})
