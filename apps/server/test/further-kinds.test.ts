import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { json, type Script } from './fake-upstream.ts'

// Calls that some vendors have beside their chats, each in a form of its own, through HTTP.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  const rules = { 'minimax-speech-2.8-turbo': { character: 0.0001 }, 'spark-embedding': { ratio: 2 }, 'spark-tti': { picture: 0.01 } }
  await setOptions(app, { PriceRules: JSON.stringify(rules) })
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

/** A new account with one channel for a model, which responds with the script. */
async function at({ type, model, vendorKey, path = '' }: Place, script: Script) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key } = await app.make.token(user)
  await app.make.channel({ groups, type, models: model, key: vendorKey, baseUrl: app.upstream.url + path })
  app.upstream.script(script)
  const post = async (call: string, body: object): Promise<Response> =>
    await app.request(call, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, ...body }),
    })
  return { user, post }
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

describe('speech of Novita', () => {
  const place = { type: 41, model: 'minimax-speech-2.8-turbo', vendorKey: 'sk_novita', path: '/openai' }

  test('comes as hexadecimal digits, and is charged by the characters of the text', async () => {
    const { user, post } = await at(place, json({ audio: '494433' }))
    const response = await post('/v1/audio/speech', { input: 'Hello', voice: 'Wise_Woman', response_format: 'flac' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/flac'])
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe('ID3')
    expect(lastRequest()).toMatchObject({ path: '/v3/minimax-speech-2.8-turbo', headers: { authorization: 'Bearer sk_novita' } })
    expect(lastBody()).toEqual({
      text: 'Hello',
      stream: false,
      output_format: 'hex',
      voice_setting: { voice_id: 'Wise_Woman', speed: 1 },
      audio_setting: { format: 'flac' },
    })
    // Five characters at a hundredth of a cent.
    expect(await quotaOf(user)).toBe(250)
  })

  test('has only formats of the vendor, and no response without audio is charged', async () => {
    const { user, post } = await at(place, json({ audio: '' }))
    expect(await refusedParam(await post('/v1/audio/speech', { input: 'Hello', voice: 'alloy', response_format: 'opus' }))).toBe(
      'response_format',
    )
    expect((await post('/v1/audio/speech', { input: 'Hello', voice: 'alloy' })).status).toBeGreaterThanOrEqual(500)
    expect(await quotaOf(user)).toBe(0)
  })
})

describe('iFlytek with a key of three parts', () => {
  const vendorKey = 'app0001|spark-secret-0001|spark-key-0001'
  const generated = json({
    header: { code: 0, status: 2 },
    payload: { choices: { status: 2, seq: 0, text: [{ content: 'iVBORw==', index: 0 }] } },
  })
  const refused = json({ header: { code: 10013, message: 'the input is not allowed' } })

  /** What the vendor checks: the signature of the line of the request, made with the secret (xfyun.cn, "General URL authentication"). */
  function expectSigned(path: string): void {
    const { pathname, searchParams } = new URL(lastRequest()?.path ?? '', 'http://vendor')
    expect([lastRequest()?.method, pathname]).toEqual(['POST', path])
    const words = Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString()
    const line = `host: ${searchParams.get('host')}\ndate: ${searchParams.get('date')}\nPOST ${path} HTTP/1.1`
    const signature = createHmac('sha256', 'spark-secret-0001').update(line).digest('base64')
    expect(words).toBe(`api_key="spark-key-0001", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`)
    expect(searchParams.get('host')).toBe(new URL(app.upstream.url).host)
  }

  test('generates an image by a signed call', async () => {
    const { user, post } = await at({ type: 18, model: 'spark-tti', vendorKey }, generated)
    const response = await post('/v1/images/generations', { prompt: 'a cat', size: '1280x720' })
    expect(await response.json()).toMatchObject({ data: [{ b64_json: 'iVBORw==' }] })
    expectSigned('/v2.1/tti')
    expect(lastBody()).toEqual({
      header: { app_id: 'app0001' },
      parameter: { chat: { domain: 'general', width: 1280, height: 720 } },
      payload: { message: { text: [{ role: 'user', content: 'a cat' }] } },
    })
    expect(await quotaOf(user)).toBe(5_000)
  })

  test('makes an embedding by a signed call', async () => {
    const numbers = new Float32Array([0.5, -2, 1])
    const text = Buffer.from(numbers.buffer).toString('base64')
    const { user, post } = await at(
      { type: 18, model: 'spark-embedding', vendorKey },
      json({ header: { code: 0 }, payload: { feature: { text } } }),
    )
    const response = await post('/v1/embeddings', { input: ['a cat'], domain: 'query' })
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5, -2, 1] }] })
    expectSigned('/')
    expect(lastBody()).toMatchObject({ header: { app_id: 'app0001', status: 3 }, parameter: { emb: { domain: 'query' } } })
    const { payload } = lastBody() as { readonly payload: { readonly messages: { readonly text: string } } }
    expect(JSON.parse(Buffer.from(payload.messages.text, 'base64').toString())).toEqual({ messages: [{ content: 'a cat', role: 'user' }] })
    expect(await quotaOf(user)).toBeGreaterThan(0)
  })

  test('refuses by name what it does not have, and reports its errors', async () => {
    const images = await at({ type: 18, model: 'spark-tti', vendorKey }, refused)
    expect(await refusedParam(await images.post('/v1/images/generations', { prompt: 'a cat', n: 2 }))).toBe('n')
    expect(await refusedParam(await images.post('/v1/images/generations', { prompt: 'a cat', size: '100x100' }))).toBe('size')
    const response = await images.post('/v1/images/generations', { prompt: 'a cat' })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'content_filter' } }])
    const vectors = await at({ type: 18, model: 'spark-embedding', vendorKey }, generated)
    expect(await refusedParam(await vectors.post('/v1/embeddings', { input: ['a', { text: 'b' }] }))).toBe('input')
    expect(await refusedParam(await vectors.post('/v1/embeddings', { input: 'a', dimensions: 256 }))).toBe('dimensions')
    expect((await vectors.post('/v1/embeddings', { input: 'a' })).status).toBeGreaterThanOrEqual(500)
    expect([await quotaOf(images.user), await quotaOf(vectors.user)]).toEqual([0, 0])
  })
})

describe('OpenRouter, at the prices of its pages', () => {
  const place = { type: 20, vendorKey: 'sk-or-v1-secret-0001', path: '/api' }
  const imageResponse = (usage: object): Script => json({ created: 1, data: [{ b64_json: 'iVBORw==' }], usage })

  test('a rerank costs a search for each hundred documents', async () => {
    const { user, post } = await at({ ...place, model: 'cohere/rerank-4-pro' }, json({ results: [{ index: 0, relevance_score: 0.9 }] }))
    expect((await post('/v1/rerank', { query: 'q', documents: Array.from({ length: 101 }, () => 'd') })).status).toBe(200)
    expect(lastRequest()?.path).toBe('/api/v1/rerank')
    expect(await quotaOf(user)).toBe(2_500)
  })

  test.each([
    ['as many as the vendor reports', 9, 300, 9],
    ['no more than its documents can be', 90_000, 300, 15],
    ['no more than one for a short document', 5, 1, 1],
    ['one if the vendor reports none', 0, 300, 1],
  ])('a rerank of long documents costs %s', async (_, units, words, searches) => {
    const meta = { billed_units: { search_units: units } }
    const response = json({ results: [{ index: 0, relevance_score: 0.9 }], meta })
    const { user, post } = await at({ ...place, model: 'cohere/rerank-4-pro' }, response)
    const documents = Array.from({ length: words === 1 ? 1 : 100 }, () => 'word '.repeat(words * 9))
    expect((await post('/v1/rerank', { query: 'q', documents })).status).toBe(200)
    expect(await quotaOf(user)).toBe(1_250 * searches)
  })

  test('a search with more results than its price has is refused', async () => {
    const message = { role: 'assistant', content: 'Hello' }
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }
    const response = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    }
    const { post } = await at({ ...place, model: 'openai/gpt-4o-mini' }, json(response))
    const chat = (max_results: unknown) => {
      const tools = [{ type: 'openrouter:web_search', parameters: { engine: 'exa', max_results } }]
      return post('/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9, tools })
    }
    for (const results of [6, 25, '25', 5.5]) expect(await refusedParam(await chat(results))).toBe('tools')
    expect((await chat(5)).status).toBe(200)
  })

  test('an image costs its own price, whatever tokens are reported beside it', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 4_175, total_tokens: 4_175, cost: 0.04 }
    const { user, post } = await at({ ...place, model: 'bytedance-seed/seedream-4.5' }, imageResponse(usage))
    expect((await post('/v1/images/generations', { prompt: 'a cat', size: 'auto' })).status).toBe(200)
    expect([lastRequest()?.path, lastBody()]).toEqual(['/api/v1/images', { model: 'bytedance-seed/seedream-4.5', prompt: 'a cat' }])
    expect(await quotaOf(user)).toBe(20_000)
  })

  test('an image of a model that counts tokens costs those of images', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1_290, total_tokens: 1_300, cost: 0.0387 }
    const { user, post } = await at({ ...place, model: 'google/gemini-2.5-flash-image' }, imageResponse(usage))
    expect((await post('/v1/images/generations', { prompt: 'a cat' })).status).toBe(200)
    // 10 tokens at $0.30 and 1,290 at $30 a million.
    expect(await quotaOf(user)).toBe(19_352)
  })

  test('an image by megapixels costs those of its size, and no size that the price cannot read', async () => {
    const { user, post } = await at({ ...place, model: 'black-forest-labs/flux.2-pro' }, imageResponse({ cost: 0.045 }))
    expect((await post('/v1/images/generations', { prompt: 'a cat', size: '1536x1024' })).status).toBe(200)
    expect(await quotaOf(user)).toBe(22_500)
    expect(await refusedParam(await post('/v1/images/generations', { prompt: 'a cat', resolution: '4K' }))).toBe('resolution')
  })

  test('speech costs its characters', async () => {
    const { user, post } = await at({ ...place, model: 'mistralai/voxtral-mini-tts-2603' }, [
      { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } },
      { do: 'send', bytes: 'ID3' },
    ])
    expect((await post('/v1/audio/speech', { input: 'Hello', voice: 'nova' })).status).toBe(200)
    expect(await quotaOf(user)).toBe(40)
  })
})
