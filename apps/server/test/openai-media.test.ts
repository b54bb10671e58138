import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI, { APIError, BadRequestError, toFile } from 'openai'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { events, json, type Script } from './fake-upstream.ts'

// The official client requests images and audio from the running server.

let app: TestApp
let user: TestUser
let client: OpenAI
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const models = 'dall-e-2,dall-e-3,gpt-image-1,tts-1,gpt-4o-mini-tts,whisper-1,gpt-4o-transcribe'
  await app.make.channel({ models, mapping: { 'whisper-1': 'whisper-large', 'dall-e-2': 'dall-e-2-upstream' } })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

/** The form that upstream received, parsed by Bun: names with texts or bytes of files. */
async function lastForm() {
  const { path = '', headers = {}, bytes = new Uint8Array() } = app.upstream.received.at(-1) ?? {}
  const form = await new Response(bytes, { headers: { 'content-type': String(headers['content-type']) } }).formData()
  const parts: unknown[] = []
  for (const [name, value] of form)
    parts.push([name, typeof value === 'string' ? value : [value.name, value.type, Buffer.from(await value.arrayBuffer())]])
  return { path, parts: parts.sort(byName) }
}

/** Sorts fields by name, because the client sends files in the order in which it has read them. */
const byName = (first: unknown, second: unknown): number => (JSON.stringify(first) < JSON.stringify(second) ? -1 : 1)

const bytesOf = (length: number, seed: number) => Buffer.from(Array.from({ length }, (_, at) => (at * seed + (at >> 8)) % 256))
const png = bytesOf(700_000, 31)
const mask = bytesOf(900, 7)
const audio = bytesOf(300_000, 13)
const pngFile = () => toFile(png, 'näïve.png', { type: 'image/png' })
const audioFile = () => toFile(audio, 'speech.mp3', { type: 'audio/mpeg' })

async function lastRow() {
  const [row] = await app.data(contract.log.list, { type: 2 })
  return row
}

describe('images', () => {
  const imageList = { created: 1, data: [{ b64_json: 'AAAA' }, { b64_json: 'AAAB' }] }
  const usage = { input_tokens: 12, output_tokens: 1056, total_tokens: 1068, input_tokens_details: { text_tokens: 12, image_tokens: 0 } }

  test('are generated', async () => {
    app.upstream.script(json(imageList))
    const { data } = await client.images.generate({ model: 'dall-e-3', prompt: 'A cat', n: 2, size: '1792x1024', quality: 'hd' })
    expect(data?.map(({ b64_json }) => b64_json)).toEqual(['AAAA', 'AAAB'])
    const { path, body } = app.upstream.received.at(-1) ?? { path: '', body: '{}' }
    expect([path, JSON.parse(body)]).toEqual([
      '/v1/images/generations',
      { model: 'dall-e-3', prompt: 'A cat', n: 2, size: '1792x1024', quality: 'hd' },
    ])
  })

  test('are charged by tokens if the response has usage', async () => {
    app.upstream.script(json({ ...imageList, usage }))
    await client.images.generate({ model: 'gpt-image-1', prompt: 'A cat' })
    expect(await lastRow()).toMatchObject({ model_name: 'gpt-image-1', prompt_tokens: 12, completion_tokens: 1056, estimated: false })
  })

  test('are streamed, partial images first, with lines of any length, and charged by the usage of the last event', async () => {
    const draft = { type: 'image_generation.partial_image', b64_json: 'A'.repeat(5 * 1024 * 1024), partial_image_index: 0 }
    app.upstream.script(events([draft, { type: 'image_generation.completed', b64_json: 'BBBB', usage }]))
    const stream = await client.images.generate({ model: 'gpt-image-1', prompt: 'A cat', stream: true, partial_images: 1 })
    const seen: unknown[] = []
    for await (const event of stream) seen.push([event.type, event.b64_json.length])
    expect(seen).toEqual([
      ['image_generation.partial_image', 5 * 1024 * 1024],
      ['image_generation.completed', 4],
    ])
    expect(await lastRow()).toMatchObject({ prompt_tokens: 12, completion_tokens: 1056, is_stream: true, estimated: false })
  })

  test('are edited: files and fields are forwarded unchanged', async () => {
    app.upstream.script(json({ ...imageList, usage }))
    const image = [await pngFile(), await toFile(mask, 'b.png', { type: 'image/png' })]
    await client.images.edit({ model: 'gpt-image-1', prompt: 'Add a hat', image, mask: await toFile(mask, 'm.png'), n: 1 })
    expect(await lastForm()).toEqual({
      path: '/v1/images/edits',
      parts: [
        ['image[]', ['b.png', 'image/png', mask]],
        ['image[]', ['näïve.png', 'image/png', png]],
        ['mask', ['m.png', 'image/png', mask]],
        ['model', 'gpt-image-1'],
        ['n', '1'],
        ['prompt', 'Add a hat'],
      ],
    })
  })

  test('are edited in a stream', async () => {
    app.upstream.script(events([{ type: 'image_edit.completed', b64_json: 'BBBB', usage }]))
    const stream = await client.images.edit({ model: 'gpt-image-1', prompt: 'Add a hat', image: await pngFile(), stream: true })
    const seen: unknown[] = []
    for await (const { type } of stream) seen.push(type)
    expect(seen).toEqual(['image_edit.completed'])
  })

  test('are varied, with the default model of variations under its mapped name', async () => {
    app.upstream.script(json(imageList))
    await client.images.createVariation({ image: await pngFile(), n: 2 })
    expect(await lastForm()).toEqual({
      path: '/v1/images/variations',
      parts: [
        ['image', ['näïve.png', 'image/png', png]],
        ['model', 'dall-e-2-upstream'],
        ['n', '2'],
      ],
    })
    expect(await lastRow()).toMatchObject({ model_name: 'dall-e-2' })
  })
})

describe('speech', () => {
  const spoken = (type: string): Script => [
    { do: 'head', status: 200, headers: { 'content-type': type } },
    { do: 'send', bytes: audio },
  ]

  test.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/ogg'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ] as const)('comes as %s, byte by byte', async (response_format, type) => {
    app.upstream.script(spoken(type))
    const response = await client.audio.speech.create({ model: 'tts-1', voice: 'ash', input: 'Hello', response_format })
    expect(response.headers.get('content-type')).toBe(type)
    expect(Buffer.from(await response.arrayBuffer()).equals(audio)).toBe(true)
  })

  test('is streamed as events on request, and charged by their usage', async () => {
    const done = { type: 'speech.audio.done', usage: { input_tokens: 4, output_tokens: 55, total_tokens: 59 } }
    app.upstream.script(events([{ type: 'speech.audio.delta', audio: 'AAAA' }, done]))
    const response = await client.audio.speech.create({ model: 'gpt-4o-mini-tts', voice: 'ash', input: 'Hello', stream_format: 'sse' })
    expect(await response.text()).toBe(`data: {"type":"speech.audio.delta","audio":"AAAA"}\n\ndata: ${JSON.stringify(done)}\n\n`)
    expect(await lastRow()).toMatchObject({ prompt_tokens: 4, completion_tokens: 55, is_stream: true, estimated: false })
  })
})

describe('audio', () => {
  test('is transcribed', async () => {
    app.upstream.script(json({ text: 'Hello', usage: { type: 'duration', seconds: 9 } }))
    const file = await audioFile()
    const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file, language: 'en', temperature: 0.2 })
    expect(text).toBe('Hello')
    expect(await lastForm()).toEqual({
      path: '/v1/audio/transcriptions',
      parts: [
        ['file', ['speech.mp3', 'audio/mpeg', audio]],
        ['language', 'en'],
        ['model', 'whisper-large'],
        ['temperature', '0.2'],
      ],
    })
  })

  test('is transcribed with words and their times', async () => {
    const response = {
      task: 'transcribe',
      language: 'english',
      duration: 2.5,
      text: 'Hello',
      words: [{ word: 'Hello', start: 0, end: 0.5 }],
    }
    app.upstream.script(json(response))
    const file = await audioFile()
    const params = { model: 'whisper-1', file, response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] } as const
    expect(
      await client.audio.transcriptions.create({ ...params, timestamp_granularities: [...params.timestamp_granularities] }),
    ).toMatchObject(response)
    expect((await lastForm()).parts).toContainEqual(['timestamp_granularities[]', 'segment'])
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', 'Grüße\n'],
    ['srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:01,000\nGrüße\n'],
    ['vtt', 'text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nGrüße\n'],
  ] as const)('is written down as %s', async (response_format, type, text) => {
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': type } },
      { do: 'send', bytes: text },
    ])
    expect(await client.audio.transcriptions.create({ model: 'whisper-1', file: await audioFile(), response_format })).toBe(text)
  })

  test('is transcribed in a stream, and charged by the tokens of its last event', async () => {
    const usage = { type: 'tokens', input_tokens: 14, input_token_details: { audio_tokens: 14 }, output_tokens: 45, total_tokens: 59 }
    const parts = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.delta', delta: 'lo' },
      { type: 'transcript.text.done', text: 'Hello', usage },
    ]
    app.upstream.script(events(parts))
    const stream = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: await audioFile(), stream: true })
    const seen: unknown[] = []
    for await (const event of stream) seen.push(event)
    expect(seen).toEqual(parts)
    expect(await lastRow()).toMatchObject({ prompt_tokens: 14, completion_tokens: 45, is_stream: true, estimated: false })
  })

  test('is translated', async () => {
    app.upstream.script(json({ text: 'Greetings' }))
    expect(await client.audio.translations.create({ model: 'whisper-1', file: await audioFile() })).toEqual({ text: 'Greetings' })
    expect((await lastForm()).path).toBe('/v1/audio/translations')
  })
})

describe('an error', () => {
  const balance = async () => (await app.data(contract.user.get, { id: user.id })).quota
  const calls: readonly [string, () => Promise<unknown>][] = [
    ['drawing', () => client.images.generate({ model: 'dall-e-3', prompt: 'A cat' })],
    ['editing', async () => client.images.edit({ model: 'dall-e-2', prompt: 'A hat', image: await pngFile() })],
    ['varying', async () => client.images.createVariation({ image: await pngFile() })],
    ['speaking', () => client.audio.speech.create({ model: 'tts-1', voice: 'ash', input: 'Hello' })],
    ['writing', async () => client.audio.transcriptions.create({ model: 'whisper-1', file: await audioFile() })],
    ['translating', async () => client.audio.translations.create({ model: 'whisper-1', file: await audioFile() })],
  ]

  test.each(calls)('of %s has the message of the vendor, and costs nothing', async (_, call) => {
    const before = await balance()
    app.upstream.script(json({ error: { message: 'not like this', type: 'invalid_request_error', param: 'prompt', code: 'no' } }, 400))
    const rejection = await call().catch((error: unknown) => error)
    expect(rejection).toBeInstanceOf(BadRequestError)
    expect(rejection).toMatchObject({ status: 400, code: 'no', param: 'prompt' })
    expect(await balance()).toBe(before)
  })

  test('within a stream of images is thrown', async () => {
    const draft = { type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0 }
    const failure = `data: ${JSON.stringify({ type: 'error', error: { message: 'drawn badly', type: 'server_error' } })}\n\n`
    app.upstream.script(
      events(
        [draft],
        [
          { do: 'wait', name: 'the draft was seen' },
          { do: 'send', bytes: failure },
        ],
      ),
    )
    const stream = await client.images.generate({ model: 'gpt-image-1', prompt: 'A cat', stream: true })
    const rejection = await (async () => {
      for await (const _ of stream) app.upstream.release('the draft was seen')
    })().catch((error: unknown) => error)
    expect(rejection).toBeInstanceOf(APIError)
  })
})
