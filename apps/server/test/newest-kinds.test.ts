import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { frameOf, opcode } from '@sluice/http1/web-socket-frames'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { json, messagesType, type Script } from './fake-upstream.ts'
import { pieces } from './vendors/vendor-double.ts'
import { wavFile } from './wav.ts'

// Images and audio of vendors that have them at addresses of their own, through HTTP.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, {
    PriceRules: JSON.stringify({
      'spark-tts': { character: 0.0001 },
      'glm-asr': { second: 0.001 },
      'asr-1.0': { second: 0.001 },
      'x/z-image-turbo': { picture: 0 },
    }),
  })
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

interface Place {
  readonly type: number
  readonly model: string
  readonly vendorKey: string
  readonly path?: string
}

/** A new account with one channel for a model, which responds with the script, or is not called. */
async function at({ type, model, vendorKey, path = '' }: Place, script: Script | null) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key } = await app.make.token(user)
  await app.make.channel({ groups, type, models: model, key: vendorKey, baseUrl: app.upstream.url + path })
  if (script !== null) app.upstream.script(script)
  const headers = { authorization: `Bearer ${key}` }
  const post = async (call: string, body: object): Promise<Response> =>
    await app.request(call, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model, ...body }),
    })
  const send = async (call: string, files: Readonly<Record<string, File>>, fields: Readonly<Record<string, string>>): Promise<Response> => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ model, ...fields })) form.append(name, value)
    for (const [name, file] of Object.entries(files)) form.append(name, file)
    return await app.request(call, { method: 'POST', headers, body: form })
  }
  return { user, post, send }
}

async function quotaOf(user: TestUser): Promise<number | undefined> {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]?.quota
}

const lastRequest = () => app.upstream.received.at(-1)
const lastBody = (): unknown => JSON.parse(lastRequest()?.body ?? '')

/** The parameter for which a request is refused. */
async function refusedParam(response: Response): Promise<unknown> {
  expect(response.status).toBe(400)
  return ((await response.json()) as { readonly error: { readonly param: unknown } }).error.param
}

const yuan = (price: number): number => Math.ceil((price / 7) * 500_000)
const png = new File([Uint8Array.of(1, 2, 3)], 'a.png', { type: 'image/png' })
const pngAddress = 'data:image/png;base64,AQID'

describe('images of Tencent', () => {
  const newer = { type: 23, model: 'hy-image-v3.5-preview', vendorKey: 'sk-tencent', path: '/v1' }
  const older = { ...newer, model: 'hy-image-v3' }
  const url = 'https://pictures.example/1.png'
  const generated = json({
    request_id: 'r-1',
    choices: [{ index: 0, finish_reason: 'stop', delta: { type: 'image', image: { url, width: 1024, height: 1024 } } }],
  })

  test('are requested as a chat', async () => {
    const { user, post } = await at(newer, generated)
    const response = await post('/v1/images/generations', { prompt: 'a cat', size: '1024x1024', seed: 42 })
    expect([response.status, await response.json()]).toMatchObject([200, { data: [{ url }] }])
    expect(lastRequest()).toMatchObject({ path: '/v1/wand/hunyuan-image/v35-generation', headers: { authorization: 'Bearer sk-tencent' } })
    expect(lastBody()).toEqual({
      model: 'hy-image-v3.5-preview',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a cat' }] }],
      size: '1024x1024',
      seed: 42,
    })
    expect(await quotaOf(user)).toBe(yuan(0.15))
  })

  test('of the client are shown to the model: files of a form, or addresses in JSON', async () => {
    const { send, post } = await at(newer, generated)
    expect((await send('/v1/images/edits', { image: png }, { prompt: 'a hat' })).status).toBe(200)
    const parts = [
      { type: 'image_url', image_url: { url: pngAddress } },
      { type: 'text', text: 'a hat' },
    ]
    expect(lastBody()).toEqual({ model: 'hy-image-v3.5-preview', messages: [{ role: 'user', content: parts }] })
    app.upstream.script(generated)
    expect((await post('/v1/images/edits', { prompt: 'a hat', images: [{ image_url: pngAddress }] })).status).toBe(200)
    expect(lastBody()).toMatchObject({ messages: [{ content: parts }] })
    expect(await refusedParam(await send('/v1/images/edits', { image: png, mask: png }, { prompt: 'a hat' }))).toBe('mask')
  })

  test('of the model before have a form of their own', async () => {
    await setOptions(app, { UnpricedModelRatio: '1' })
    const { send } = await at(older, json({ id: 'i-1', created: 7, data: [{ url, revised_prompt: 'a hat on a cat' }] }))
    const response = await send('/v1/images/edits', { image: png }, { prompt: 'a hat', size: '768x1024' })
    expect([response.status, await response.json()]).toMatchObject([200, { data: [{ url, revised_prompt: 'a hat on a cat' }] }])
    expect(lastRequest()?.path).toBe('/v1/wand/hunyuan-image/v3-generation')
    expect(lastBody()).toEqual({ model: 'hy-image-v3', prompt: 'a hat', size: '768x1024', images: [pngAddress] })
  })

  test.each([
    [newer, { size: '100x100' }, 'size'],
    [newer, { size: '4096x4096' }, 'size'],
    [newer, { n: 2 }, 'n'],
    [newer, { background: 'transparent' }, 'background'],
    [older, { size: '1536x1536' }, 'size'],
  ] as const)('are refused by name before anything is sent: %j %j', async (place, more, name) => {
    const { user, post } = await at(place, null)
    const before = app.upstream.received.length
    expect(await refusedParam(await post('/v1/images/generations', { prompt: 'a cat', ...more }))).toBe(name)
    expect(app.upstream.received.length).toBe(before)
    expect(await quotaOf(user)).toBe(0)
  })

  test('that are refused, or are none, cost nothing', async () => {
    for (const response of [
      { error: { code: '400004', message: 'no such model' } },
      { choices: [{ delta: {} }] },
      { choices: [{ delta: null }] },
    ]) {
      const { user, post } = await at(newer, json(response))
      expect((await post('/v1/images/generations', { prompt: 'a cat' })).status).toBeGreaterThanOrEqual(400)
      expect(await quotaOf(user)).toBe(0)
    }
  })
})

test('an edit at Alibaba that names its images in JSON sends them', async () => {
  const image = 'https://pictures.example/a.png'
  const imageResponse = json({ output: { choices: [{ message: { content: [{ image: 'https://pictures.example/b.png' }] } }] } })
  const { post } = await at({ type: 17, model: 'qwen-image-2.0', vendorKey: 'sk-ali', path: '/compatible-mode/v1' }, imageResponse)
  expect((await post('/v1/images/edits', { prompt: 'a hat', images: [{ image_url: image }] })).status).toBe(200)
  expect(lastBody()).toMatchObject({ input: { messages: [{ content: [{ image }, { text: 'a hat' }] }] } })
})

describe('images of Ollama', () => {
  test.each(['', '/v1'])('are at its interface in the form of OpenAI, whatever the address ends in: %j', async (path) => {
    const { post } = await at(
      { type: 30, model: 'x/z-image-turbo', vendorKey: '', path },
      json({ created: 1, data: [{ b64_json: 'iVBORw0KGgo=' }] }),
    )
    const response = await post('/v1/images/generations', { prompt: 'a robot', size: '1024x1024' })
    expect([response.status, await response.json()]).toMatchObject([200, { data: [{ b64_json: 'iVBORw0KGgo=' }] }])
    expect(lastRequest()?.path).toBe('/v1/images/generations')
    for (const [name, more] of [
      ['n', { n: 2 }],
      ['response_format', { response_format: 'url' }],
      ['background', { background: 'transparent' }],
    ] as const)
      expect(await refusedParam(await post('/v1/images/generations', { prompt: 'a robot', ...more }))).toBe(name)
  })
})

describe('audio of Novita', () => {
  const place = { type: 41, model: 'glm-asr', vendorKey: 'sk_novita', path: '/openai' }

  test('is written down, for its length', async () => {
    const { user, send } = await at(place, json({ text: '你好' }))
    const response = await send('/v1/audio/transcriptions', { file: wavFile(3) }, { prompt: 'a greeting' })
    expect([response.status, await response.json()]).toEqual([200, { text: '你好' }])
    expect(lastRequest()).toMatchObject({ path: '/v3/glm-asr', headers: { authorization: 'Bearer sk_novita' } })
    expect(lastBody()).toEqual({ file: Buffer.from(await wavFile(3).arrayBuffer()).toString('base64'), prompt: 'a greeting' })
    expect(await quotaOf(user)).toBe(1_500)
    app.upstream.script(json({ text: '你好' }))
    const plain = await send('/v1/audio/transcriptions', { file: wavFile(3) }, { response_format: 'text' })
    expect([plain.headers.get('content-type'), await plain.text()]).toEqual(['text/plain; charset=utf-8', '你好'])
  })

  test('is refused by name in forms that the vendor does not have', async () => {
    const { user, send } = await at(place, null)
    const flac = new File([Uint8Array.of(1)], 'a.flac', { type: 'audio/flac' })
    expect(await refusedParam(await send('/v1/audio/transcriptions', { file: flac }, {}))).toBe('file')
    for (const [name, value] of [
      ['response_format', 'srt'],
      ['language', 'zh'],
      ['stream', 'true'],
    ] as const)
      expect(await refusedParam(await send('/v1/audio/transcriptions', { file: wavFile(1) }, { [name]: value }))).toBe(name)
    expect(await quotaOf(user)).toBe(0)
  })
})

describe('transcripts of MiniMax', () => {
  const place = { type: 27, model: 'asr-1.0', vendorKey: 'sk-api-minimax', path: '/v1' }
  const segments = [
    { id: 0, start: 0, end: 1.5, text: '你好。', speaker: 'S1' },
    { id: 1, start: 3_661.25, end: 3_662, text: ' Hello.', speaker: 'S2' },
  ]
  const transcript = json({
    text: '你好。 Hello.',
    duration: 2.5,
    segments,
    n_speakers: 2,
    base_resp: { status_code: 0, status_msg: 'success' },
  })

  test('are requested by a form, with the language in a header, and charged by the duration that the vendor reports', async () => {
    const { user, send } = await at(place, transcript)
    const response = await send('/v1/audio/transcriptions', { file: wavFile(1) }, { language: 'zh' })
    expect([response.status, await response.json()]).toEqual([200, { text: '你好。 Hello.' }])
    const { path, headers, bytes } = lastRequest() ?? {}
    expect([path, headers?.['language'], headers?.['authorization']]).toEqual(['/v1/speech_to_text', 'zh', 'Bearer sk-api-minimax'])
    const form = await new Response(bytes, { headers: { 'content-type': String(headers?.['content-type']) } }).formData()
    expect(Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))).toEqual({
      ...{ model: 'asr-1.0', response_format: 'json', stream: 'false' },
    })
    expect(form.get('file')).toMatchObject({ size: wavFile(1).size, name: 'a.wav' })
    expect(await quotaOf(user)).toBe(1_250)
  })

  test.each([
    ['text', 'text/plain', '你好。 Hello.'],
    ['srt', 'text/plain', '1\n00:00:00,000 --> 00:00:01,500\n你好。\n\n2\n01:01:01,250 --> 01:01:02,000\nHello.\n\n'],
    ['vtt', 'text/vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n你好。\n\n01:01:01.250 --> 01:01:02.000\nHello.\n\n'],
  ])('come as %s', async (format, type, text) => {
    const { send } = await at(place, transcript)
    const response = await send('/v1/audio/transcriptions', { file: wavFile(1) }, { response_format: format })
    expect([response.headers.get('content-type'), await response.text()]).toEqual([`${type}; charset=utf-8`, text])
  })

  test('have their parts in a verbose response, and refuse by name what the vendor does not have', async () => {
    const { send } = await at(place, transcript)
    const response = await send('/v1/audio/transcriptions', { file: wavFile(1) }, { response_format: 'verbose_json' })
    expect(await response.json()).toEqual({ task: 'transcribe', duration: 2.5, text: '你好。 Hello.', segments, n_speakers: 2 })
    for (const [name, value] of [
      ['language', 'zh\r\nx-injected: 1'],
      ['prompt', 'names'],
      ['response_format', 'diarized_json'],
      ['stream', 'true'],
    ] as const)
      expect(await refusedParam(await send('/v1/audio/transcriptions', { file: wavFile(1) }, { [name]: value }))).toBe(name)
    expect(await refusedParam(await send('/v1/audio/transcriptions', { file: wavFile(1) }, { 'timestamp_granularities[]': 'word' }))).toBe(
      'timestamp_granularities',
    )
  })

  test('that are an error with status 200 fail over, and cost nothing', async () => {
    const { user, send } = await at(place, json({ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }))
    expect((await send('/v1/audio/transcriptions', { file: wavFile(1) }, {})).status).toBe(502)
    expect(await quotaOf(user)).toBe(0)
  })
})

describe.each([
  ['Zhipu', { type: 16, model: 'glm-tts', vendorKey: '0123456789.secret', path: '/api/paas/v4' }, '/api/paas/v4/audio/speech'],
  ['Novita', { type: 41, model: 'glm-tts', vendorKey: 'sk_novita', path: '/openai' }, '/v3/glm-tts'],
] as const)('GLM-TTS at %s', (_name, place, path) => {
  const spoken: Script = [
    { do: 'head', status: 200, headers: { 'content-type': 'audio/wav' } },
    { do: 'send', bytes: 'a sound' },
  ]

  test('speaks with a voice and in a format that it has, for the characters of the text', async () => {
    const { user, post } = await at(place, spoken)
    const response = await post('/v1/audio/speech', { input: '你好呀', voice: 'alloy' })
    expect([response.status, await response.text()]).toEqual([200, 'a sound'])
    expect(lastRequest()?.path).toBe(path)
    expect(lastBody()).toEqual({ model: 'glm-tts', input: '你好呀', voice: 'tongtong', response_format: 'wav' })
    expect(await quotaOf(user)).toBe(yuan(0.0002 * 3))
    app.upstream.script(spoken)
    expect((await post('/v1/audio/speech', { input: 'Hi', voice: 'luodo', response_format: 'pcm' })).status).toBe(200)
    expect(lastBody()).toMatchObject({ voice: 'luodo', response_format: 'pcm' })
    expect(await refusedParam(await post('/v1/audio/speech', { input: 'Hi', voice: 'alloy', response_format: 'mp3' }))).toBe(
      'response_format',
    )
  })
})

describe('speech of iFlytek', () => {
  const place = { type: 18, model: 'spark-tts', vendorKey: 'app0001|spark-secret-0001|spark-key-0001' }
  const message = (content: object): Uint8Array => frameOf(opcode.text, Buffer.from(JSON.stringify(content)))
  const goodbye = frameOf(opcode.close, Uint8Array.of(3, 232))
  const audioFrame = (status: number, audio: string): Uint8Array =>
    message({
      header: { code: 0, message: 'success', sid: 's', status },
      payload: { audio: { audio: Buffer.from(audio).toString('base64'), status } },
    })
  const spoken = pieces(messagesType, [audioFrame(0, 'ID3'), audioFrame(1, 'more'), audioFrame(2, ''), goodbye])

  test('comes in messages, is whole for the client, and is charged by its characters', async () => {
    const { user, post } = await at(place, spoken)
    const response = await post('/v1/audio/speech', { input: '你好，世界', voice: 'alloy', speed: 1.5 })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, 'audio/mpeg', 'ID3more'])
    const { pathname, searchParams } = new URL(lastRequest()?.path ?? '', 'http://vendor')
    expect(pathname).toBe('/v1/private/mcd9m97e6')
    expect(Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString()).toStartWith(
      'api_key="spark-key-0001", algorithm="hmac-sha256"',
    )
    expect(lastBody()).toEqual({
      header: { app_id: 'app0001', status: 2 },
      parameter: {
        tts: {
          ...{ vcn: 'x5_lingxiaoxuan_flow', speed: 75 },
          audio: { encoding: 'lame', sample_rate: 24_000, channels: 1, bit_depth: 16, frame_size: 0 },
        },
      },
      payload: { text: { encoding: 'utf8', compress: 'raw', format: 'plain', status: 2, seq: 0, text: '你好，世界' } },
    })
    expect(await quotaOf(user)).toBe(250)
  })

  test('is a file with samples, or the samples alone', async () => {
    const { post } = await at(place, spoken)
    const file = Buffer.from(
      await (await post('/v1/audio/speech', { input: 'Hi', voice: 'x6_lingxiaoli_pro', response_format: 'wav' })).arrayBuffer(),
    )
    expect([file.toString('latin1', 0, 4), file.readUInt32LE(24), file.toString('latin1', 44)]).toEqual(['RIFF', 24_000, 'ID3more'])
    expect(lastBody()).toMatchObject({ parameter: { tts: { vcn: 'x6_lingxiaoli_pro', speed: 50, audio: { encoding: 'raw' } } } })
    app.upstream.script(spoken)
    const pcm = await post('/v1/audio/speech', { input: 'Hi', voice: 'nova', response_format: 'pcm', speed: 0.75 })
    expect([pcm.headers.get('content-type'), await pcm.text()]).toEqual(['audio/pcm', 'ID3more'])
    expect(lastBody()).toMatchObject({ parameter: { tts: { speed: 25 } } })
  })

  test.each([
    ['response_format', { response_format: 'opus' }],
    ['speed', { speed: 3 }],
    ['instructions', { instructions: 'softly' }],
  ])('with %s that it does not have is refused by name', async (name, more) => {
    const { post } = await at(place, null)
    expect(await refusedParam(await post('/v1/audio/speech', { input: 'Hi', voice: 'alloy', ...more }))).toBe(name)
  })

  test.each([
    ['an error in the first message', [message({ header: { code: 10_163, message: 'param validate error', sid: 's' } }), goodbye]],
    ['an error after sound', [audioFrame(0, 'ID3'), message({ header: { code: 10_012, message: 'engine', sid: 's' } }), goodbye]],
    ['no end', [audioFrame(0, 'ID3'), goodbye]],
    ['no sound', [audioFrame(2, ''), goodbye]],
    ['garbage', [frameOf(opcode.text, Buffer.from('<html>')), goodbye]],
  ] as const)('that is %s is an error, and costs nothing', async (_what, frames) => {
    const { user, post } = await at(place, pieces(messagesType, frames))
    expect((await post('/v1/audio/speech', { input: 'Hi', voice: 'alloy' })).status).toBeGreaterThanOrEqual(400)
    expect(await quotaOf(user)).toBe(0)
  })
})
