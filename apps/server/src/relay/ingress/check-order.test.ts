import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { json } from '../../../test/fake-upstream.ts'
import { id3WithFrames } from '../../../test/hostile-audio.ts'
import { mp4Of } from '../../../test/mp4.ts'
import { metricsToken, scrape, total } from '../../../test/scrape.ts'

// What takes long is done only for callers who may use the model and can pay: audio and images are measured, files are read, text is counted
// and addresses are fetched after token, model, route, price and balance.

let app: TestApp
/** Tokens of accounts: one can pay, one cannot, and one may use other models only. */
let keys: Readonly<Record<'paying' | 'poor' | 'restricted', string>>

beforeAll(async () => {
  app = await testApp({ env: { METRICS_TOKEN: metricsToken }, isLocal: () => false })
  const [rich, poor] = [await app.make.user({ quota: 1_000_000_000 }), await app.make.user({ quota: 0 })]
  keys = {
    paying: (await app.make.token(rich, { isUnlimited: true })).key,
    poor: (await app.make.token(poor, { isUnlimited: true })).key,
    restricted: (await app.make.token(rich, { isUnlimited: true, models: 'another' })).key,
  }
  const open = [
    'gpt-4o',
    'whisper-1',
    'sora-2',
    'dall-e-2',
    'tts-1',
    'text-embedding-3-small',
    'omni-moderation-latest',
    'gpt-3.5-turbo-instruct',
  ]
  const unpriced = (type: number, model: string) =>
    app.make.channel({ type, models: `unpriced-${type}`, mapping: { [`unpriced-${type}`]: model } })
  await app.make.channel({ type: 1, models: open.join() })
  await app.make.channel({ type: 14, models: 'claude-sonnet-4-5' })
  await app.make.channel({ type: 24, models: 'gemini-2.5-flash' })
  await app.make.channel({ type: 25, models: 'kimi-k3' })
  await app.make.channel({ type: 35, models: 'rerank-v3.5' })
  await app.make.channel({ type: 47, models: 'flux-kontext-pro' })
  for (const [type, model] of [
    [1, 'sora-2'],
    [14, 'claude-sonnet-4-5'],
    [24, 'gemini-2.5-flash'],
    [25, 'kimi-k3'],
    [35, 'rerank-v3.5'],
    [47, 'flux-kontext-pro'],
  ] as const)
    await unpriced(type, model)
  app.upstream.fallback(() => json({ error: { message: 'broken' } }, 400))
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const audio = id3WithFrames(20_000)
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\0\0\0\x02\0', 'latin1')
const mp4File = new File([mp4Of({ seconds: 3, width: 1280, height: 720 })], 'a.mp4', { type: 'video/mp4' })
const image = new File([png], 'a.png', { type: 'image/png' })
const audioFile = new File([Uint8Array.from(audio)], 'a.mp3', { type: 'audio/mpeg' })
const long = 'a'.repeat(300_000)

const formOf = (fields: Readonly<Record<string, string | File>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const user = (...content: readonly object[]) => [{ role: 'user', content }]
const inlineAudio = { type: 'input_audio', input_audio: { data: audio.toString('base64'), format: 'mp3' } }
const inlineImage = { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } }
/** Of an image at the double, which stands for a host of the internet. */
const address = () => `${app.upstream.url}/a.png`
const longMessages = [{ role: 'user', content: long }]
const remote = () => [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: address() } }] }]
const contents = [{ role: 'user', parts: [{ text: long }] }]

interface Row {
  readonly what: string
  readonly path: string | ((model: string) => string)
  readonly body: (model: string) => object
  readonly model: string
  /** The type of a channel that has a model without a price. */
  readonly type: number
  /** What is counted if the work is done; missing: the kind has none before its reservation. */
  readonly measured?: string
}

const generatePath = (action: string) => (model: string) => `/v1beta/models/${model}:${action}`
const [gpt, claude, gemini] = ['gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-flash'] as const

const rows: readonly Row[] = [
  {
    what: 'a chat with audio',
    path: '/v1/chat/completions',
    body: (model) => ({ model, messages: user(inlineAudio) }),
    model: gpt,
    type: 1,
    measured: 'chat',
  },
  {
    what: 'a chat with an image',
    path: '/v1/chat/completions',
    body: (model) => ({ model, messages: user(inlineImage) }),
    model: gpt,
    type: 1,
    measured: 'chat',
  },
  {
    what: 'a transcription',
    path: '/v1/audio/transcriptions',
    body: (model) => formOf({ file: audioFile, model }),
    model: 'whisper-1',
    type: 1,
    measured: 'transcriptions',
  },
  {
    what: 'a translation',
    path: '/v1/audio/translations',
    body: (model) => formOf({ file: audioFile, model }),
    model: 'whisper-1',
    type: 1,
    measured: 'translations',
  },
  {
    what: 'a count of tokens',
    path: '/v1/messages/count_tokens',
    body: (model) => ({ model, messages: longMessages }),
    model: gpt,
    type: 1,
    measured: 'count-tokens',
  },
  {
    what: 'a count of Gemini’s tokens',
    path: generatePath('countTokens'),
    body: () => ({ contents }),
    model: gpt,
    type: 1,
    measured: 'count-tokens',
  },
  {
    what: 'a batch',
    path: '/v1/messages/batches',
    body: (model) => ({ requests: [{ custom_id: 'a', params: { model, max_tokens: 9, messages: longMessages } }] }),
    model: claude,
    type: 14,
    measured: 'batches',
  },
  {
    what: 'a video with an image',
    path: '/v1/videos',
    body: (model) => formOf({ model, prompt: 'x', input_reference: image }),
    model: 'sora-2',
    type: 1,
    measured: 'videos',
  },
  {
    what: 'a task with an image',
    path: '/v1/tasks',
    body: (model) => formOf({ model, prompt: 'x', input_reference: image }),
    model: 'sora-2',
    type: 1,
    measured: 'videos',
  },
  {
    what: 'an edited film',
    path: '/v1/videos/edits',
    body: (model) => formOf({ model, prompt: 'x', video: mp4File }),
    model: 'sora-2',
    type: 1,
    measured: 'videos',
  },
  {
    what: 'an edited picture that is a task',
    path: '/v1/images/edits',
    body: (model) => formOf({ model, prompt: 'x', image }),
    model: 'flux-kontext-pro',
    type: 47,
    measured: 'pictures',
  },
  {
    what: 'an edited picture',
    path: '/v1/images/edits',
    body: (model) => formOf({ model, prompt: 'x', image }),
    model: 'dall-e-2',
    type: 1,
  },
  { what: 'a varied picture', path: '/v1/images/variations', body: (model) => formOf({ model, image }), model: 'dall-e-2', type: 1 },
  { what: 'a picture', path: '/v1/images/generations', body: (model) => ({ model, prompt: long }), model: 'dall-e-2', type: 1 },
  { what: 'a long chat', path: '/v1/chat/completions', body: (model) => ({ model, messages: longMessages }), model: gpt, type: 1 },
  {
    what: 'a chat with an address to fetch',
    path: '/v1/chat/completions',
    body: (model) => ({ model, messages: user({ type: 'image_url', image_url: { url: address() } }) }),
    model: 'kimi-k3',
    type: 25,
  },
  {
    what: 'messages with an address to fetch',
    path: '/v1/messages',
    body: (model) => ({ model, max_tokens: 9, messages: remote() }),
    model: 'kimi-k3',
    type: 25,
  },
  { what: 'generated content', path: generatePath('generateContent'), body: () => ({ contents }), model: gemini, type: 24 },
  { what: 'a response', path: '/v1/responses', body: (model) => ({ model, input: long }), model: gpt, type: 1 },
  { what: 'a completion', path: '/v1/completions', body: (model) => ({ model, prompt: long }), model: 'gpt-3.5-turbo-instruct', type: 1 },
  { what: 'embeddings', path: '/v1/embeddings', body: (model) => ({ model, input: long }), model: 'text-embedding-3-small', type: 1 },
  { what: 'speech', path: '/v1/audio/speech', body: (model) => ({ model, input: 'Hello', voice: 'ash' }), model: 'tts-1', type: 1 },
  { what: 'a rerank', path: '/v1/rerank', body: (model) => ({ model, query: 'x', documents: [long] }), model: 'rerank-v3.5', type: 35 },
]

type Account = keyof typeof keys

async function send({ path, body }: Row, model: string, account: Account): Promise<Response> {
  const payload = body(model)
  const isForm = payload instanceof FormData
  const headers = { authorization: `Bearer ${keys[account]}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  return await app.request(typeof path === 'string' ? path : path(model), {
    method: 'POST',
    headers,
    body: isForm ? payload : JSON.stringify(payload),
  })
}

const measurements = async (kind?: string) =>
  total(await scrape(app), 'sluice_request_measurements_total', kind === undefined ? {} : { kind })
const refusals = async (code: string) => total(await scrape(app), 'sluice_request_errors_total', { code })

describe.each(rows)('$what', (row) => {
  test.each([
    ['whose account has no quota', 'poor', row.model, 403, 'insufficient_user_quota'],
    ['of a token with other models', 'restricted', row.model, 403, 'model_forbidden'],
    ['for a model that nobody serves', 'paying', 'no-such-model', 404, 'model_not_found'],
    ['for a model without a price', 'paying', `unpriced-${row.type}`, 503, 'model_price_not_set'],
  ] as const)('%s is refused before anything of it is measured', async (_, account, model, status, code) => {
    const before = { measured: await measurements(), refused: await refusals(code), upstreamCount: app.upstream.received.length }
    const response = await send(row, model, account)
    await response.text()
    const after = { measured: await measurements(), refused: await refusals(code), upstreamCount: app.upstream.received.length }
    expect([response.status, after]).toEqual([status, { ...before, refused: before.refused + 1 }])
  })

  const { measured } = row
  if (measured !== undefined)
    test('is measured for an account that can pay', async () => {
      const before = await measurements(measured)
      await (await send(row, row.model, 'paying')).text()
      expect(await measurements(measured)).toBe(before + 1)
    })
})

test('a realtime session is refused by the same checks before a channel is called', async () => {
  const before = app.upstream.received.length
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const statuses: number[] = []
  for (const [account, model] of [
    ['poor', gpt],
    ['restricted', gpt],
    ['paying', 'no-such-model'],
    ['paying', 'unpriced-1'],
  ] as const) {
    const response = await app.request(`/v1/realtime?model=${model}`, { headers: { ...headers, authorization: `Bearer ${keys[account]}` } })
    statuses.push(response.status)
  }
  expect([statuses, app.upstream.received.length]).toEqual([[403, 403, 404, 503], before])
})
