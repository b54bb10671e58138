import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { json, type Received, type Script } from './fake-upstream.ts'

// Embeddings as clients want them: more inputs than a vendor takes in one request, lists of token numbers, numbers or base64.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { UnpricedModelRatio: 1, RetryTimes: 1 })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

interface Place {
  readonly type: number
  readonly model: string
  readonly requested?: string
  readonly key?: string
  readonly off?: string
}

type Respond = (request: Received) => Script

/** A new account with a channel whose vendor responds so. */
async function at({ type, model, requested = model, key = 'sk-1', off = '' }: Place, respond: Respond) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups, quota: 1_000_000 })
  const { key: token } = await app.make.token(user, { isUnlimited: true })
  const mapping = requested === model ? {} : { mapping: { [requested]: model } }
  const id = await app.make.channel({ groups, type, models: requested, key, ...mapping })
  if (off !== '') await app.data(contract.channel.update, { id: Number(id), rewrites_off: off })
  const first = app.upstream.received.length
  app.upstream.always(respond)
  const post = async (path: string, body: object): Promise<{ readonly status: number; readonly json: EmbeddingResponse }> => {
    const response = await app.request(path, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) })
    return { status: response.status, json: (await response.json()) as EmbeddingResponse }
  }
  const ask = (input: unknown, more: object = {}) => post('/v1/embeddings', { model: requested, input, ...more })
  const row = async (): Promise<LogRow | undefined> => {
    await app.app.ledger.drain()
    return (await app.data(contract.log.list, { username: user.username }))[0]
  }
  return { ask, post, row, requests: () => app.upstream.received.slice(first).map(({ body }) => JSON.parse(body) as RequestBody) }
}

interface EmbeddingResponse {
  readonly data?: ReadonlyArray<{ readonly index: number; readonly embedding: unknown }>
  readonly embeddings?: ReadonlyArray<{ readonly values: readonly number[] }>
  readonly usage?: object
  readonly error?: { readonly message: string; readonly param: unknown }
}
type RequestBody = Readonly<Record<string, unknown>>

const texts = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `text ${index}`)
const numberOf = (text: unknown): number => Number(String(text).split(' ')[1])
const inputOf = ({ body }: Received): readonly unknown[] => [(JSON.parse(body) as { input: unknown }).input].flat()

/** A vendor in OpenAI's format that takes at most so many inputs, and returns the number of each, the last one first. */
const openAi =
  (most: number, tooMany: Script = json({ error: { message: 'too many', type: 'invalid_request_error' } }, 400)): Respond =>
  (request) => {
    const input = inputOf(request)
    if (input.length > most) return tooMany
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [numberOf(text), 0.5] })).reverse()
    return json({ object: 'list', model: 'm', data, usage: { prompt_tokens: 3 * input.length, total_tokens: 3 * input.length } })
  }

const numbersOf = ({ data = [] }: EmbeddingResponse): readonly unknown[] => data.map(({ embedding }) => (embedding as readonly number[])[0])
const data = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const inOrder = (count: number) => ({ indexes: data(count), numbers: data(count) })
const seen = (response: EmbeddingResponse) => ({ indexes: response.data?.map(({ index }) => index), numbers: numbersOf(response) })

describe('more inputs than a vendor takes', () => {
  test.each([
    ['Alibaba', { type: 17, model: 'text-embedding-v4' }, 25, [10, 10, 5]],
    ['Alibaba’s first models', { type: 17, model: 'text-embedding-v2' }, 51, [25, 25, 1]],
    ['Zhipu', { type: 16, model: 'embedding-3', key: 'id.secret' }, 130, [64, 64, 2]],
    ['Mistral', { type: 28, model: 'mistral-embed' }, 513, [512, 1]],
    ['Baidu', { type: 15, model: 'embedding-v1' }, 33, [16, 16, 1]],
    ['Baichuan', { type: 26, model: 'Baichuan-Text-Embedding' }, 17, [16, 1]],
    ['OpenAI', { type: 1, model: 'text-embedding-3-small' }, 2_049, [2_048, 1]],
  ] as const)('are sent to %s in parts and come back as one response', async (_, place, count, parts) => {
    const { ask, row, requests } = await at({ ...place, requested: 'own-embeddings' }, openAi(parts[0]))
    const { status, json: response } = await ask(texts(count))
    expect([status, seen(response), response.usage]).toEqual([200, inOrder(count), { prompt_tokens: 3 * count, total_tokens: 3 * count }])
    expect(requests().map(({ input }) => (input as readonly string[]).length)).toEqual([...parts])
    expect(await row()).toMatchObject({
      prompt_tokens: 3 * count,
      quota: 3 * count,
      attempts: 1,
      rewrites: [{ kind: 'parameters', what: `inputs: ${count} -> ${parts.length} requests` }],
    })
  })

  const gemini: Respond = (request) => {
    const { requests } = JSON.parse(request.body) as { requests: readonly { content: { parts: readonly { text: string }[] } }[] }
    if (requests.length > 100) return json({ error: { code: 400, message: 'too many', status: 'INVALID_ARGUMENT' } }, 400)
    return json({ embeddings: requests.map(({ content }) => ({ values: [numberOf(content.parts[0]?.text), 1] })) })
  }

  test('are sent to Gemini in parts by clients of both protocols', async () => {
    const place = { type: 24, model: 'gemini-embedding-001' }
    const { ask, post, requests, row } = await at(place, gemini)
    expect(seen((await ask(texts(130))).json)).toEqual(inOrder(130))
    const batch = texts(130).map((text) => ({ model: `models/${place.model}`, content: { parts: [{ text }] } }))
    const { json: response } = await post(`/v1beta/models/${place.model}:batchEmbedContents`, { requests: batch })
    expect(response.embeddings?.map(({ values }) => values[0])).toEqual([...data(130)])
    expect(requests().map((body) => (body['requests'] as readonly unknown[]).length)).toEqual([100, 30, 100, 30])
    // It reports no usage, so the gateway counts.
    expect((await row())?.prompt_tokens).toBeGreaterThan(130)
  })

  test('are sent to Cohere and to vendors that take one text', async () => {
    const cohere = await at({ type: 35, model: 'embed-v4.0' }, (request) => {
      const { texts: inputs } = JSON.parse(request.body) as { texts: readonly string[] }
      return json({
        embeddings: { float: inputs.map((text) => [numberOf(text)]) },
        meta: { billed_units: { input_tokens: inputs.length } },
      })
    })
    expect(numbersOf((await cohere.ask(texts(100))).json)).toEqual([...data(100)])
    expect([cohere.requests().length, (await cohere.row())?.prompt_tokens]).toEqual([2, 100])
    const titan = await at({ type: 33, model: 'amazon-titan-embed-text', key: 'ak|sk|us-east-1' }, (request) => {
      const { inputText } = JSON.parse(request.body) as { inputText: string }
      return json({ embedding: [numberOf(inputText), 1], inputTextTokenCount: 2 })
    })
    expect(seen((await titan.ask(texts(9))).json)).toEqual(inOrder(9))
    expect([titan.requests().length, (await titan.row())?.prompt_tokens]).toEqual([9, 18])
  })

  test('are divided by the number that a server’s error names, which is remembered', async () => {
    const message = 'batch size 40 > maximum allowed batch size 32'
    const { ask, requests } = await at({ type: 8, model: 'bge-m3' }, openAi(32, json({ message, code: 422, type: 'Validation' }, 422)))
    expect(seen((await ask(texts(40))).json)).toEqual(inOrder(40))
    expect(seen((await ask(texts(40))).json)).toEqual(inOrder(40))
    expect(requests().map(({ input }) => (input as readonly string[]).length)).toEqual([40, 32, 8, 32, 8])
  })

  test('go unchanged where the channel wants it so', async () => {
    const { ask, requests } = await at({ type: 17, model: 'text-embedding-v4', off: 'parameters' }, openAi(10))
    expect((await ask(texts(25))).status).toBe(400)
    expect(requests().length).toBe(1)
  })

  test('are one request where there are not more', async () => {
    const { ask, requests, row } = await at({ type: 17, model: 'text-embedding-v4' }, openAi(10))
    expect((await ask(texts(10))).json.data?.map(({ index }) => index).toReversed()).toEqual([...data(10)])
    expect([requests().length, (await row())?.rewrites]).toEqual([1, []])
  })

  test('fail together with one part, and cost what the vendor completed', async () => {
    const refused = json({ error: { message: 'no such text', type: 'invalid_request_error', param: null, code: null } }, 400)
    const respond = openAi(10)
    const place = { type: 17, model: 'text-embedding-v4', requested: 'own-embeddings' }
    const { ask, row } = await at(place, (request) => (inputOf(request).includes('text 45') ? refused : respond(request)))
    const { status, json: response } = await ask(texts(50))
    expect([status, response.error?.message]).toEqual([400, expect.stringContaining('no such text')])
    // Four parts were completed: those before the fifth.
    expect(await row()).toMatchObject({ prompt_tokens: 120, quota: 120, end_reason: 'failed' })
  })

  test('cost nothing if the vendor responds to none of them', async () => {
    const { ask, row } = await at({ type: 17, model: 'text-embedding-v4' }, () => json({ error: { message: 'down' } }, 500))
    expect((await ask(texts(25))).status).toBeGreaterThanOrEqual(500)
    expect((await row())?.quota).toBe(0)
  })

  test('are refused where a response has not one embedding for each', async () => {
    const short: Respond = () => json({ object: 'list', data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } })
    const { ask } = await at({ type: 17, model: 'text-embedding-v4' }, short)
    expect((await ask(texts(25))).status).toBe(502)
  })
})

describe('lists of token numbers', () => {
  // "hello world" and "hi" by cl100k.
  const lists = [[15339, 1917], [6151]]

  test('are passed on where the vendor takes them', async () => {
    const { ask, requests } = await at({ type: 1, model: 'text-embedding-3-small' }, openAi(9))
    expect((await ask(lists)).status).toBe(200)
    expect(requests()[0]?.['input']).toEqual(lists)
  })

  test.each([
    [17, 'text-embedding-v4', 'sk-1'],
    [16, 'embedding-3', 'id.secret'],
    [28, 'mistral-embed', 'sk-1'],
  ] as const)('become texts at type %d, where the model of the request has a known tokenizer', async (type, model, key) => {
    const { ask, requests, row } = await at({ type, model, key, requested: 'text-embedding-3-small' }, openAi(9))
    expect((await ask(lists)).json.data?.map(({ index }) => index)).toEqual([0, 1])
    expect((await ask([6151])).json.data?.length).toBe(1)
    expect(requests().map(({ input }) => input)).toEqual([['hello world', 'hi'], ['hi']])
    expect((await row())?.rewrites).toEqual([{ kind: 'parameters', what: 'input: tokens -> texts' }])
  })

  test.each([
    [17, 'text-embedding-v4', 'sk-1'],
    [16, 'embedding-3', 'id.secret'],
    [24, 'gemini-embedding-001', 'k'],
    [30, 'nomic-embed-text', 'k'],
    [35, 'embed-v4.0', 'k'],
  ] as const)('are refused by name at type %d, where nobody knows the tokens of %s', async (type, model, key) => {
    const { ask, requests, row } = await at({ type, model, key }, openAi(9))
    for (const input of [lists, [6151]]) {
      const { status, json: response } = await ask(input)
      expect([status, response.error?.param]).toEqual([400, 'input (token IDs)'])
    }
    expect([requests().length, (await row())?.quota]).toEqual([0, 0])
  })
})

describe('the form of embeddings', () => {
  const packed = 'zczMPc3MTL6amZk+zczMPg=='
  const numbers = [0.1, -0.2, 0.3, 0.4]
  const responding =
    (embedding: unknown): Respond =>
    () =>
      json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding }], usage: { prompt_tokens: 3, total_tokens: 3 } })

  const types = [
    [1, 'text-embedding-3-small', 'sk-1'],
    [3, 'text-embedding-3-small', 'sk-1'],
    [8, 'bge-m3', 'sk-1'],
    [17, 'text-embedding-v4', 'sk-1'],
    [20, 'openai/text-embedding-3-small', 'sk-1'],
    [28, 'mistral-embed', 'sk-1'],
    [39, 'BAAI/bge-base-en-v1.5', 'sk-1'],
  ] as const

  test.each(types)('is base64 at type %d for who wants it, also if the vendor knows numbers only', async (type, model, key) => {
    const { ask } = await at({ type, model, key }, responding(numbers))
    expect((await ask('a', { encoding_format: 'base64' })).json.data?.[0]?.embedding).toBe(packed)
    for (const form of [{}, { encoding_format: 'float' }]) expect((await ask('a', form)).json.data?.[0]?.embedding).toEqual(numbers)
  })

  test.each(types)('is numbers at type %d for who wants them, also if the vendor always packs them', async (type, model, key) => {
    const { ask } = await at({ type, model, key }, responding(packed))
    for (const form of [{}, { encoding_format: 'float' }]) {
      const { embedding } = (await ask('a', form)).json.data?.[0] ?? {}
      expect((embedding as readonly number[]).map((number) => Math.fround(number))).toEqual(numbers.map(Math.fround))
    }
    expect((await ask('a', { encoding_format: 'base64' })).json.data?.[0]?.embedding).toBe(packed)
  })

  test('is the vendor’s own where the request names another one', async () => {
    const { ask } = await at({ type: 8, model: 'bge-m3' }, responding(packed))
    expect((await ask('a', { encoding_format: 'int8' })).json.data?.[0]?.embedding).toBe(packed)
  })

  test('changes in responses with millions of numbers', async () => {
    const vector = Array.from({ length: 1_024 }, (_, index) => index / 1_024)
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ object: 'embedding', index, embedding: vector }))
    const { ask, row } = await at({ type: 8, model: 'bge-m3' }, () => json({ object: 'list', data: rows, usage: { prompt_tokens: 7 } }))
    const { data: got = [] } = (await ask(texts(1_000), { encoding_format: 'base64' })).json
    const bytes = Buffer.from(String(got[999]?.embedding), 'base64')
    expect([got.length, bytes.length, bytes.readFloatLE(4 * 512)]).toEqual([1_000, 4_096, 0.5])
    expect((await row())?.prompt_tokens).toBe(7)
  })

  test('is numbers for clients of Google', async () => {
    const { post } = await at({ type: 8, model: 'bge-m3' }, responding(packed))
    const { json: response } = await post('/v1beta/models/bge-m3:batchEmbedContents', {
      requests: [{ content: { parts: [{ text: 'a' }] } }],
    })
    expect(response.embeddings?.[0]?.values.map((number) => Math.fround(number))).toEqual(numbers.map(Math.fround))
  })
})
