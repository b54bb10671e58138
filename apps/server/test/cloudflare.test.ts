import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { json, type Script } from './fake-upstream.ts'
import { pieces } from './vendors/vendor-double.ts'

// Cloudflare's models that draw, speak, hear and rank, through HTTP.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

/** A new account with one channel for a model, which responds with the script. */
async function at(model: string, script: Script) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key } = await app.make.token(user)
  await app.make.channel({ groups: group, type: 37, models: model, key: 'vendor-key' })
  app.upstream.script(script)
  const post = async (path: string, body: object | FormData): Promise<Response> =>
    await app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }) },
      body: body instanceof FormData ? body : JSON.stringify(body),
    })
  return { user, post }
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

const result = (value: object): Script => json({ result: value, success: true, errors: [], messages: [] })
const lastRequest = () => app.upstream.received.at(-1)

describe('images', () => {
  test('come as base64, and are charged by their size', async () => {
    const model = '@cf/leonardo/lucid-origin'
    const { user, post } = await at(model, result({ image: '/9j/4A==' }))
    const response = await post('/v1/images/generations', { model, prompt: 'a dot', size: '1536x1024' })
    expect(await response.json()).toMatchObject({ data: [{ b64_json: '/9j/4A==' }], output_format: 'jpeg' })
    expect(lastRequest()).toMatchObject({ path: `/run/${model}`, headers: { authorization: 'Bearer vendor-key' } })
    // 0.0453 dollars.
    expect((await lastLog(user))?.quota).toBe(22_650)
  })

  test('that come as bytes become JSON', async () => {
    const model = '@cf/leonardo/phoenix-1.0'
    const { user, post } = await at(model, pieces('image/jpeg', [new Uint8Array([0xff, 0xd8, 0xff, 0xe0])]))
    const response = await post('/v1/images/generations', { model, prompt: 'a dot' })
    expect(await response.json()).toMatchObject({ data: [{ b64_json: '/9j/4A==' }], output_format: 'jpeg' })
    expect((await lastLog(user))?.quota).toBe(12_975)
  })

  test('are requested with a form where the model needs one', async () => {
    const model = '@cf/black-forest-labs/flux-2-klein-4b'
    const { post } = await at(model, result({ image: '/9j/4A==' }))
    expect((await post('/v1/images/generations', { model, prompt: 'a dot' })).status).toBe(200)
    expect(lastRequest()?.headers['content-type']).toStartWith('multipart/form-data; boundary=')
    expect(lastRequest()?.body).toContain('name="prompt"\r\n\r\na dot\r\n')
  })

  test('in another type than an image are no response, and are not charged', async () => {
    const model = '@cf/leonardo/phoenix-1.0'
    const { user, post } = await at(model, pieces('text/html', [Buffer.from('<html></html>')]))
    expect((await post('/v1/images/generations', { model, prompt: 'a dot' })).status).toBe(502)
    expect((await lastLog(user))?.quota ?? 0).toBe(0)
  })

  test('are refused by the vendor with its own words', async () => {
    const model = '@cf/black-forest-labs/flux-1-schnell'
    const errors = [{ code: 5004, message: 'Invalid data sent' }]
    const { post } = await at(model, json({ success: false, errors, result: null, messages: [] }, 400))
    const response = await post('/v1/images/generations', { model, prompt: 'a dot' })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('Invalid data sent') } },
    ])
  })
})

test('speech comes as the vendor’s bytes, and is charged by the character', async () => {
  const model = '@cf/deepgram/aura-2-en'
  const { user, post } = await at(model, pieces('audio/mpeg', [new Uint8Array([1, 2, 3])]))
  const response = await post('/v1/audio/speech', { model, input: 'Hello', voice: 'nova' })
  expect([response.headers.get('content-type'), ...new Uint8Array(await response.arrayBuffer())]).toEqual(['audio/mpeg', 1, 2, 3])
  expect(JSON.parse(lastRequest()?.body ?? '')).toEqual({ text: 'Hello', speaker: 'luna', encoding: 'mp3' })
  expect((await lastLog(user))?.quota).toBe(75)
})

test('a transcription is charged by the duration that the vendor reports', async () => {
  const model = '@cf/openai/whisper-large-v3-turbo'
  const { user, post } = await at(model, result({ text: 'Good day', transcription_info: { duration: 48 } }))
  const form = new FormData()
  form.set('model', model)
  form.set('file', new File(['sound'], 'a.mp3', { type: 'audio/mpeg' }))
  expect(await (await post('/v1/audio/transcriptions', form)).json()).toMatchObject({ text: 'Good day' })
  expect(JSON.parse(lastRequest()?.body ?? '')).toEqual({ audio: 'c291bmQ=', task: 'transcribe' })
  expect((await lastLog(user))?.quota).toBe(204)
})

test('a file that the model takes as it is keeps its type', async () => {
  const model = '@cf/openai/whisper'
  const { post } = await at(model, result({ text: 'Good day' }))
  const form = new FormData()
  form.set('model', model)
  form.set('response_format', 'text')
  form.set('file', new File(['sound'], 'a.mp3', { type: 'audio/mpeg' }))
  const response = await post('/v1/audio/transcriptions', form)
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/plain; charset=utf-8', 'Good day'])
  expect(lastRequest()).toMatchObject({ body: 'sound', headers: { 'content-type': 'audio/mpeg' } })
})

test('documents are ranked', async () => {
  const model = '@cf/baai/bge-reranker-base'
  const { post } = await at(model, result({ response: [{ id: 1, score: 0.9 }] }))
  const response = await post('/v1/rerank', { model, query: 'q', documents: ['a', 'b'] })
  expect(await response.json()).toMatchObject({ results: [{ index: 1, relevance_score: 0.9 }] })
})
