import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { json, type Script } from '../../../test/fake-upstream.ts'

// What Google's own client calls beside generateContent.

const [gemini, gpt, vectors] = ['gemini-3.8-flash', 'gpt-4o-mini', 'text-embedding-3-small']

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

async function scene(channel: { readonly type?: number; readonly models: string; readonly key?: string }, ...scripts: Script[]) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key: token } = await app.make.token(user)
  await app.make.channel({ groups, type: 1, key: 'sk-vendor', ...channel })
  app.upstream.script(...scripts)
  const client = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: app.url, retryOptions: { attempts: 1 } } })
  const log = async () => {
    await app.app.ledger.drain()
    return (await app.data(contract.log.list, { username: user.username }))[0]
  }
  return { client, token, log }
}

const upstreamBody = () => JSON.parse(app.upstream.received.at(-1)?.body ?? 'null') as unknown

describe('the count of tokens', () => {
  test('is the vendor’s where it has an endpoint for it, and costs nothing', async () => {
    const { client, token, log } = await scene(
      { type: 24, models: gemini, key: 'AIza-vendor' },
      json({ totalTokens: 42 }),
      json({ totalTokens: 7 }),
    )
    expect(await client.models.countTokens({ model: gemini, contents: 'Hi' })).toMatchObject({ totalTokens: 42 })
    expect(app.upstream.received.at(-1)?.path).toBe(`/v1beta/models/${gemini}:countTokens`)
    expect(upstreamBody()).toEqual({
      generateContentRequest: { model: `models/${gemini}`, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    })
    const request = { contents: [{ parts: [{ text: 'Hi' }] }], systemInstruction: { parts: [{ text: 'Be brief.' }] } }
    const response = await app.request(`/v1beta/models/${gemini}:countTokens?key=${token}`, {
      method: 'POST',
      body: JSON.stringify({ generateContentRequest: { model: `models/${gemini}`, ...request } }),
    })
    expect({ by: response.headers.get('x-token-count'), body: await response.json() }).toEqual({ by: 'vendor', body: { totalTokens: 7 } })
    expect(upstreamBody()).toMatchObject({ generateContentRequest: { systemInstruction: request.systemInstruction } })
    expect(await log()).toBeUndefined()
  })

  test('is our own for other vendors', async () => {
    const { token } = await scene({ models: gpt })
    const count = async (text: string) => {
      const response = await app.request(`/v1beta/models/${gpt}:countTokens`, {
        method: 'POST',
        headers: { 'x-goog-api-key': token },
        body: JSON.stringify({ contents: [{ parts: [{ text }] }] }),
      })
      expect(response.headers.get('x-token-count')).toBe('gateway')
      // Holds: the route's only response.
      return ((await response.json()) as { readonly totalTokens: number }).totalTokens
    }
    const short = await count('Hi')
    expect(short).toBeWithin(3, 10)
    expect(await count('How many tokens are there in this text, which is longer?')).toBeGreaterThan(short + 8)
  })
})

describe('embeddings', () => {
  test('of another vendor come in the protocol’s form, and are charged as embeddings', async () => {
    const response = { data: [{ embedding: [0.5, -1] }, { embedding: [1, 2] }], usage: { prompt_tokens: 9, total_tokens: 9 } }
    const { client, log } = await scene({ models: vectors }, json(response))
    const { embeddings } = await client.models.embedContent({
      model: vectors,
      contents: ['One', 'Two'],
      config: { outputDimensionality: 2 },
    })
    expect(embeddings).toMatchObject([{ values: [0.5, -1] }, { values: [1, 2] }])
    expect(upstreamBody()).toEqual({ model: vectors, input: ['One', 'Two'], dimensions: 2 })
    expect(await log()).toMatchObject({ prompt_tokens: 9, completion_tokens: 0, model_name: vectors })
  })

  test('of one text have one list', async () => {
    const { token } = await scene({ models: vectors }, json({ data: [{ embedding: [1] }], usage: { prompt_tokens: 1 } }))
    const ask = (body: object) =>
      app.request(`/v1beta/models/${vectors}:embedContent?key=${token}`, { method: 'POST', body: JSON.stringify(body) })
    const response = await ask({ content: { parts: [{ text: 'One' }] } })
    expect(await response.json()).toEqual({ embedding: { values: [1] } })
    const refused = await ask({})
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT' } },
    })
  })
})

test('models are listed in the protocol’s form, page by page', async () => {
  const { client } = await scene({ models: `${gpt},${vectors},gpt-4o` })
  const names: string[] = []
  for await (const { name = '' } of await client.models.list({ config: { pageSize: 2, queryBase: true } })) names.push(name)
  expect(names.sort()).toEqual([`models/${gpt}`, 'models/gpt-4o', `models/${vectors}`].sort())
  expect(await client.models.get({ model: vectors })).toMatchObject({
    name: `models/${vectors}`,
    displayName: vectors,
    supportedActions: ['embedContent', 'batchEmbedContents'],
  })
  await expect(client.models.get({ model: 'nothing' })).rejects.toThrow('NOT_FOUND')
})
