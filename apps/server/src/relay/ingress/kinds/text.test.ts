import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../../test/app.ts'
import { events, json } from '../../../../test/fake-upstream.ts'

let app: TestApp
let user: TestUser
let key: string
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 1_000_000 })
  key = (await app.make.token(user)).key
  await app.make.channel({
    type: 1,
    models: 'gpt-3.5-turbo-instruct,text-embedding-3-small,omni-moderation-latest,rerank-english-v3.0,gpt-4o',
  })
  await app.make.channel({ type: 14, models: 'claude-sonnet-4-5' })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())

async function ask(path: string, body: unknown): Promise<{ readonly status: number; readonly text: string }> {
  const response = await app.request(path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

const lastUpstreamRequest = () => {
  const { path, body } = app.upstream.received.at(-1) ?? { path: '', body: '{}' }
  return { path, body: JSON.parse(body) as unknown }
}

async function lastRow() {
  const [row] = await app.data(contract.log.list, { type: 2 })
  return row
}

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }

describe('completions', () => {
  const response = { id: 'cmpl-1', object: 'text_completion', choices: [{ text: ' there', index: 0, finish_reason: 'stop' }], usage }

  test('are forwarded without a stream and charged by their usage', async () => {
    app.upstream.script(json(response))
    const body = { model: 'gpt-3.5-turbo-instruct', prompt: 'Hello', max_tokens: 16, suffix: '!' }
    expect(await ask('/v1/completions', body)).toEqual({ status: 200, text: JSON.stringify(response) })
    expect(lastUpstreamRequest()).toEqual({ path: '/v1/completions', body })
    expect(await lastRow()).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 7,
      model_name: 'gpt-3.5-turbo-instruct',
      estimated: false,
    })
  })

  test('are streamed, with usage that is requested from the vendor and hidden from a client that did not ask for it', async () => {
    const chunks = [
      { id: 'c', object: 'text_completion', choices: [{ text: ' there', index: 0, finish_reason: 'stop' }] },
      { id: 'c', object: 'text_completion', choices: [], usage },
    ]
    app.upstream.script(events([...chunks, '[DONE]']))
    const { text } = await ask('/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: ['a', 'b'], stream: true })
    expect(text).toBe(`data: ${JSON.stringify(chunks[0])}\n\ndata: [DONE]\n\n`)
    expect(lastUpstreamRequest().body).toMatchObject({ stream_options: { include_usage: true } })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 5, completion_tokens: 7, is_stream: true, estimated: false })
  })
})

describe('embeddings', () => {
  const response = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: 'AACAPw==' }],
    usage: { prompt_tokens: 9, total_tokens: 9 },
  }

  test.each([
    ['/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'], encoding_format: 'base64' }],
    ['/v1/engines/text-embedding-3-small/embeddings', { input: [[1, 2], [3]], encoding_format: 'base64' }],
  ])('at %s are passed on and billed by their input', async (path, body) => {
    app.upstream.script(json(response))
    expect(await ask(path, body)).toEqual({ status: 200, text: JSON.stringify(response) })
    expect(lastUpstreamRequest()).toEqual({ path: '/v1/embeddings', body: { model: 'text-embedding-3-small', ...body } })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 9, completion_tokens: 0, estimated: false })
  })
})

test('a moderation needs no model, and without a vendor’s usage its input is counted', async () => {
  const response = { id: 'modr-1', model: 'omni-moderation-latest', results: [{ flagged: false }] }
  app.upstream.script(json(response))
  expect(await ask('/v1/moderations', { input: [{ type: 'text', text: 'Hello there' }] })).toEqual({
    status: 200,
    text: JSON.stringify(response),
  })
  expect(lastUpstreamRequest().body).toMatchObject({ model: 'omni-moderation-latest' })
  expect(await lastRow()).toMatchObject({ model_name: 'omni-moderation-latest', completion_tokens: 0, estimated: true })
})

test('documents are ranked, and charged by the tokens that the vendor reports', async () => {
  const response = { results: [{ index: 1, relevance_score: 0.9 }], meta: { tokens: { input_tokens: 40 } } }
  app.upstream.script(json(response))
  const body = { model: 'rerank-english-v3.0', query: 'q', documents: ['a', { text: 'b' }], top_n: 1 }
  expect(await ask('/v1/rerank', body)).toEqual({ status: 200, text: JSON.stringify(response) })
  expect(lastUpstreamRequest()).toEqual({ path: '/v1/rerank', body })
  expect(await lastRow()).toMatchObject({ prompt_tokens: 40 })
})

test('an edit is forwarded unchanged', async () => {
  const response = { object: 'edit', choices: [{ text: 'Hello', index: 0 }], usage }
  app.upstream.script(json(response))
  expect(await ask('/v1/edits', { model: 'gpt-4o', input: '', instruction: 'greet' })).toEqual({
    status: 200,
    text: JSON.stringify(response),
  })
  expect(lastUpstreamRequest().path).toBe('/v1/edits')
})

test.each([
  ['/v1/completions', { model: 'gpt-4o', prompt: 5 }],
  ['/v1/completions', { model: 'gpt-4o', prompt: 'a', n: -1 }],
  ['/v1/completions', { model: 'gpt-4o', prompt: 'a', best_of: 1e9 }],
  ['/v1/embeddings', { model: 'gpt-4o' }],
  ['/v1/embeddings', { model: 'gpt-4o', input: '' }],
  ['/v1/embeddings', { model: 'gpt-4o', input: [] }],
  ['/v1/embeddings', { model: 'gpt-4o', input: [[['a']]] }],
  ['/v1/embeddings', { input: 'a' }],
  ['/v1/moderations', {}],
  ['/v1/rerank', { model: 'gpt-4o', query: 'q' }],
  ['/v1/edits', { model: 'gpt-4o', input: 'a' }],
])('at %s a body of %j is refused before a vendor is called', async (path, body) => {
  const before = app.upstream.received.length
  const { status, text } = await ask(path, body)
  expect([status, text]).toEqual([400, expect.stringContaining('"type":"invalid_request_error"')])
  expect(app.upstream.received.length).toBe(before)
})

test('a kind that no channel of the model supports is refused with no_channel', async () => {
  const before = app.upstream.received.length
  expect(await ask('/v1/embeddings', { model: 'claude-sonnet-4-5', input: 'a' })).toMatchObject({ status: 503 })
  expect(app.upstream.received.length).toBe(before)
})

test('after all tests the ledger is consistent', async () => {
  expect(await app.inconsistencies()).toEqual([])
})
