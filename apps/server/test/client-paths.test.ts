import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { LogRow } from '@sluice/contract'
import { type AccountScene, accountScene } from './account-scene.ts'
import { type TestApp, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { json, type Script } from './fake-upstream.ts'

// The addresses that clients call: with two versions or none, with the name of a protocol, with a name of a model as Google's lists have it.

let app: TestApp
let account: AccountScene
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { UnpricedModelRatio: 1, RetryTimes: 0 })
  await app.make.channel({ models: 'gpt-4o,text-embedding-3-small,gpt-5.6-terra,gpt-realtime' })
  await app.make.channel({ type: 3, models: 'at-azure', other: '2025-04-01-preview' })
  await app.make.channel({ type: 8, models: 'bge-reranker,own-gateway,models/listed' })
  await app.make.channel({ type: 24, models: 'gemini-2.5-flash' })
  await app.make.channel({ type: 36, models: 'deepseek-chat' })
  await app.make.channel({ type: 33, models: 'openai.gpt-oss-120b', key: 'ak|sk|us-east-1' })
  account = await accountScene(app, { quota: 1_000_000_000 })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

interface ApiResponse {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

async function post(path: string, body: object, script?: Script): Promise<ApiResponse> {
  if (script !== undefined) app.upstream.script(script)
  const response = await account.send(path, body)
  return { status: response.status, json: (await response.json()) as ApiResponse['json'] }
}

const errorOf = ({ json: { error } }: ApiResponse) => error as { readonly message: string; readonly param: unknown; readonly code: unknown }

const lastRow = (): Promise<LogRow | undefined> => account.row()

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }
const message = { model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const generate = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
const gemini = json({
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
})
const vector = json({ object: 'list', data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1, total_tokens: 1 } })
const ranked = json({ results: [{ index: 0, relevance_score: 0.9 }] })
const rerank = { model: 'bge-reranker', query: 'q', documents: ['a'] }

describe('a base address', () => {
  test.each<[string, object, Script | undefined, string]>([
    ['/chat/completions', chat, undefined, 'choices'],
    ['/chat/completions/', chat, undefined, 'choices'],
    ['/v1/v1/chat/completions', chat, undefined, 'choices'],
    ['//v1/v1/chat/completions', chat, undefined, 'choices'],
    ['/openai/v1/chat/completions', chat, undefined, 'choices'],
    ['/anthropic/v1/messages', message, undefined, 'content'],
    ['/anthropic/v1/v1/messages', message, undefined, 'content'],
    ['/messages', message, undefined, 'content'],
    ['/v1/v1/messages', message, undefined, 'content'],
    ['/embeddings', { model: 'text-embedding-3-small', input: 'a' }, vector, 'data'],
    ['/rerank', rerank, ranked, 'results'],
    ['/v2/rerank', rerank, ranked, 'results'],
    ['/v1/rerank', rerank, ranked, 'results'],
    ['/models/gemini-2.5-flash:generateContent', generate, gemini, 'candidates'],
    ['/models/gemini-2.5-flash:countTokens', generate, json({ totalTokens: 1 }), 'totalTokens'],
    ['/v1/v1beta/models/gemini-2.5-flash:generateContent', generate, gemini, 'candidates'],
    ['/v1beta/v1beta/models/gemini-2.5-flash:generateContent', generate, gemini, 'candidates'],
    ['/gemini/v1beta/models/gemini-2.5-flash:generateContent', generate, gemini, 'candidates'],
  ])('of another form works: %s', async (path, body, script, member) => {
    const { status, json: response } = await post(path, body, script)
    expect([status, Object.keys(response)]).toEqual([200, expect.arrayContaining([member])])
  })

  test.each([
    ['POST', '/chat/completions/chat/completions', 'POST /v1/chat/completions'],
    ['POST', '/v1/chat/completions/chat/completions', 'POST /v1/chat/completions'],
    ['POST', '/openai/deployments/gpt-4o/chat/completions', 'POST /v1/chat/completions'],
    ['POST', '/api/v1/chat/completions', 'POST /v1/chat/completions'],
    ['GET', '/v1/chat/completions', 'POST /v1/chat/completions'],
    ['POST', '/v3/messages', 'POST /v1/messages'],
    ['POST', '/v2/models/gemini-2.5-flash:generateContent', 'POST /v1beta/models/gemini-2.5-flash:generateContent'],
    ['POST', '/v2/models', 'GET /v1/models'],
  ])('that leads nowhere gets a hint: %s %s', async (method, path, call) => {
    const response = await app.request(path, { method, headers: { authorization: `Bearer ${account.key}` } })
    const { error } = (await response.json()) as { readonly error: { readonly message: string; readonly code: string } }
    expect([response.status, error.code, error.message]).toEqual([
      404,
      'unknown_url',
      `Invalid URL (${method} ${path}). Did you mean ${call}?`,
    ])
  })

  test('is a page of the console where a browser opens it', async () => {
    for (const path of ['/messages', '/rerank', '/models/a:generateContent', '/chat/completions'])
      expect((await app.request(path)).headers.get('content-type') ?? '').not.toContain('application/json')
  })

  test('without a version may be called by pages of other origins', async () => {
    const preflight = await app.request('/chat/completions', { method: 'OPTIONS', headers: { origin: 'https://a.example' } })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  })
})

describe('a model named as in Google’s lists', () => {
  test.each<[string, object]>([
    ['/v1/chat/completions', { messages: chat.messages }],
    ['/v1/messages', { messages: chat.messages, max_tokens: 10 }],
    ['/v1/responses', { input: 'Hi' }],
  ])('is found at %s by its plain name', async (path, body) => {
    expect((await post(path, { ...body, model: 'models/gemini-2.5-flash' }, gemini)).status).toBe(200)
    expect((await lastRow())?.model_name).toBe('gemini-2.5-flash')
  })

  test('keeps its name where a channel has it so', async () => {
    expect((await post('/v1/chat/completions', { ...chat, model: 'models/listed' })).status).toBe(200)
    expect((await lastRow())?.model_name).toBe('models/listed')
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '{}')).toMatchObject({ model: 'models/listed' })
  })

  test('is looked up in the token’s list of models by its plain name', async () => {
    const { key: limited } = await app.make.token(account.user, { models: 'gpt-4o', isUnlimited: true })
    const body = JSON.stringify({ ...chat, model: 'models/gemini-2.5-flash' })
    const response = await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${limited}` }, body })
    expect(response.status).toBe(403)
  })
})

describe('POST /v1/responses/compact', () => {
  const usage = { input_tokens: 1_000, output_tokens: 50, total_tokens: 1_050 }
  const output = [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'AAAA' }]
  const compacted = json({ id: 'resp_c', object: 'response.compaction', created_at: 1, output, usage })
  const body = { input: [{ role: 'user', content: 'x' }], instructions: 'TOP' }

  test.each([
    ['gpt-5.6-terra', '/v1/responses/compact'],
    ['at-azure', '/openai/responses/compact?api-version=2025-04-01-preview'],
    ['own-gateway', '/v1/responses/compact'],
  ])('is passed on for %s, and charged', async (model, path) => {
    const { status, json: response } = await post('/v1/responses/compact', { model, ...body }, compacted)
    expect([status, response['object'], response['output']]).toEqual([200, 'response.compaction', output])
    expect(app.upstream.received.at(-1)?.path).toBe(path)
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '{}')).toEqual({ model, ...body })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 50, end_reason: 'complete' })
  })

  test.each(['gemini-2.5-flash', 'deepseek-chat', 'openai.gpt-oss-120b'])('is refused by name for %s', async (model) => {
    const before = app.upstream.received.length
    const response = await post('/v1/responses/compact', { model, ...body })
    expect([response.status, errorOf(response).param]).toEqual([400, 'POST /v1/responses/compact'])
    expect(app.upstream.received.length).toBe(before)
  })

  test('is refused by name where a server does not know it', async () => {
    const response = await post('/v1/responses/compact', { model: 'own-gateway', ...body }, json({ detail: 'Not Found' }, 404))
    expect([response.status, errorOf(response).param, (await lastRow())?.quota]).toEqual([400, 'POST /v1/responses/compact', 0])
    expect(
      (await post('/v1/responses', { model: 'own-gateway', input: 'Hi' }, json({ id: 'r', object: 'response', output: [] }))).status,
    ).toBe(200)
  })
})

test.each(['client_secrets', 'sessions', 'transcription_sessions', 'calls'])(
  'POST /v1/realtime/%s says why it is not offered',
  async (call) => {
    const response = await post(`/v1/realtime/${call}`, { session: { type: 'realtime', model: 'gpt-realtime' } })
    expect([response.status, errorOf(response).code, errorOf(response).message]).toEqual([
      501,
      'api_not_implemented',
      expect.stringContaining('Connect to /v1/realtime from your own server'),
    ])
  },
)
