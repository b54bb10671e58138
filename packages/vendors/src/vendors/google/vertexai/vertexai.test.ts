import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../../test/channel.ts'
import { cryptoFunctions } from '../../../../test/crypto.ts'
import { addressAt } from '../../../core/join-url.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Kind } from '../../../core/kind.ts'
import { addressed } from '../../../registry/channel-facts.ts'
import { dialectOf } from '../../../registry/dialect-of.ts'
import { buildRequest } from '../../../registry/request/build-request.ts'
import { vertexAiGemini } from './chat.ts'
import { vertexAiClaude } from './claude.ts'
import { vertexAiEmbeddings } from './embeddings.ts'
import { isKey } from './host.ts'
import { vertexAiVendor } from './vendor.ts'

const account = '{"client_email":"robot@p.example","private_key":"-----BEGIN PRIVATE KEY-----","project_id":"own-project"}'
const chat = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 }

function channelOf(key: string, config = '') {
  const channel = addressed(vertexAiVendor, { baseUrl: '', key, config, other: '' })
  if (channel === null) throw new Error('no address')
  return channel
}

function urlOf(
  key: string,
  model: string,
  { stream = false, kind = 'chat', body = chat }: { readonly stream?: boolean; readonly kind?: Kind; readonly body?: JsonObject } = {},
) {
  const { vendor, facts } = channelOf(key)
  return addressAt(facts.baseUrl, buildRequest(vendor, body, { kind, model, stream, channel: facts }).path)
}

describe('the address', () => {
  test.each([
    ['global', 'aiplatform.googleapis.com'],
    ['us', 'aiplatform.us.rep.googleapis.com'],
    ['eu', 'aiplatform.eu.rep.googleapis.com'],
    ['europe-west1', 'europe-west1-aiplatform.googleapis.com'],
  ])('of the region %s is %s', (region, host) => {
    expect(urlOf(`${region}|project-1|${account}`, 'gemini-3.8-flash')).toBe(
      `https://${host}/v1/projects/project-1/locations/${region}/publishers/google/models/gemini-3.8-flash:generateContent`,
    )
  })

  test('is global without a region, and the project is the account’s own without another', () => {
    expect(urlOf(account, 'gemini-3.8-flash')).toStartWith('https://aiplatform.googleapis.com/v1/projects/own-project/locations/global/')
  })

  test('has the region that an imported channel keeps in its further setting', () => {
    const hostOf = (other: string) => addressed(vertexAiVendor, { baseUrl: '', key: account, config: '', other })?.facts.baseUrl
    expect(hostOf('us-central1')).toBe('https://us-central1-aiplatform.googleapis.com')
    expect(hostOf('{"default":"europe-west4","claude-opus-5":"us-east5"}')).toBe('https://europe-west4-aiplatform.googleapis.com')
    for (const other of ['', 'evil.example/', '{', '[]']) expect(hostOf(other)).toBe('https://aiplatform.googleapis.com')
  })

  test('of an API key without a project is the short one', () => {
    const key = 'AQ.Ab8RN6-a-key-of-the-cloud'
    expect(urlOf(key, 'gemini-3.8-flash')).toBe(
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-3.8-flash:generateContent',
    )
    expect(channelOf(key).vendor.auth).toEqual({ header: 'x-goog-api-key' })
    expect(channelOf(`us|p|${account}`).vendor.auth).toEqual({ header: 'authorization', prefix: 'Bearer ' })
  })

  test('is missing for an account without a project', () => {
    const placeless = '{"client_email":"a@b.example","private_key":"none"}'
    expect(addressed(vertexAiVendor, { baseUrl: '', key: placeless, config: '', other: '' })).toBeNull()
    const config = JSON.stringify({ vertex_ai_project_id: 'p' })
    expect(addressed(vertexAiVendor, { baseUrl: '', key: placeless, config, other: '' })?.facts.baseUrl).toBe(
      'https://aiplatform.googleapis.com',
    )
  })

  test('never has a host that stands in a region', () => {
    expect(addressed(vertexAiVendor, { baseUrl: '', key: `evil.example/|p|${account}`, config: '', other: '' })).toBeNull()
  })

  test.each([
    ['claude-sonnet-5', 'publishers/anthropic/models/claude-sonnet-5:rawPredict'],
    ['claude-sonnet-4-5-20250929', 'publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict'],
    ['claude-sonnet-4-5@20250929', 'publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict'],
    ['claude-3-5-sonnet-20241022', 'publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict'],
    ['qwen/qwen3-next-80b-a3b-instruct-maas', 'endpoints/openapi/chat/completions'],
    ['1234567890', 'endpoints/1234567890:generateContent'],
  ])('of %s ends with %s', (model, end) => {
    expect(urlOf(`us-east5|p|${account}`, model)).toBe(`https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/${end}`)
  })

  test('says that a stream is requested', () => {
    expect(urlOf(`us|p|${account}`, 'claude-sonnet-5', { stream: true })).toEndWith(':streamRawPredict')
    expect(urlOf(`us|p|${account}`, 'gemini-3.8-flash', { stream: true })).toEndWith(':streamGenerateContent?alt=sse')
  })

  test('of the other kinds names their call', () => {
    const key = `us|p|${account}`
    expect(urlOf(key, 'gemini-embedding-001', { kind: 'embeddings', body: { input: 'a' } })).toEndWith('gemini-embedding-001:predict')
    expect(urlOf(key, 'gemini-embedding-2', { kind: 'embeddings', body: { input: 'a' } })).toEndWith('gemini-embedding-2:embedContent')
    expect(urlOf(key, 'gemini-3-pro-image', { kind: 'images', body: { prompt: 'a' } })).toEndWith('gemini-3-pro-image:generateContent')
    expect(urlOf(key, 'gemini-3.8-flash-tts', { kind: 'speech', body: { input: 'a' } })).toEndWith('gemini-3.8-flash-tts:generateContent')
  })
})

describe('a key', () => {
  test.each([
    [`us|p|${account}`, true],
    [account, true],
    ['us|p|{"type":"authorized_user","refresh_token":"r"}', true],
    ['AQ.Ab8RN6-a-key-of-the-cloud', true],
    ['us|p|{"client_email":"a"}', false],
    ['us|p|', false],
    ['short', false],
  ])('%s has the shape: %p', (key, expected) => {
    expect(isKey(key)).toBe(expected)
  })
})

describe('Gemini', () => {
  test('gets no ids of calls, which the service refuses', () => {
    const call = { id: 'a', type: 'function', function: { name: 'go', arguments: '{}' } }
    const messages = [...chat.messages, { role: 'assistant', tool_calls: [call] }, { role: 'tool', tool_call_id: 'a', content: 'b' }]
    const { body } = vertexAiGemini.request({ messages }, targetOf({ model: 'gemini-3.8-flash' }))
    expect(JSON.stringify(body)).not.toContain('"id"')
    expect(body).toMatchObject({
      contents: [{ role: 'user' }, { role: 'model' }, { role: 'user', parts: [{ functionResponse: { name: 'go' } }] }],
    })
  })
})

describe('Claude', () => {
  test('is called with an envelope', () => {
    const { body, headers } = vertexAiClaude.request(chat, targetOf({ model: 'claude-sonnet-5', stream: true }))
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, max_tokens: 9 })
    expect(body).not.toHaveProperty('model')
    expect(headers).toEqual({})
  })

  test('has errors of the service and of the model', () => {
    const service = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded' } }
    expect(vertexAiClaude.failure(429, JSON.stringify(service))).toMatchObject({ kind: 'rate_limited', type: 'RESOURCE_EXHAUSTED' })
    expect(vertexAiClaude.failure(404, JSON.stringify([{ error: { code: 404, status: 'NOT_FOUND', message: 'no' } }]))).toMatchObject({
      kind: 'model_not_found',
    })
    const model = { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 3 tokens > 2 maximum' } }
    expect(vertexAiClaude.failure(400, JSON.stringify(model))).toMatchObject({ kind: 'bad_request', code: 'context_length_exceeded' })
    expect(vertexAiClaude.failure(502, '<html>')).toMatchObject({ kind: 'unavailable' })
  })
})

describe('partners', () => {
  test('are called in OpenAI’s form, with usage in a stream', () => {
    const { vendor, facts } = channelOf(`us|p|${account}`)
    const model = 'openai/gpt-oss-120b-maas'
    const { body } = buildRequest(vendor, { ...chat, stream: true }, { kind: 'chat', model, stream: true, channel: facts })
    expect(body).toMatchObject({ model, stream: true, stream_options: { include_usage: true } })
    expect(dialectOf(vendor, 'responses', model)?.fallbackKind).toBe('chat')
  })
})

describe('embeddings', () => {
  const context = { id: '', created: 1, model: 'm' }
  const at = (model: string) => targetOf({ model, kind: 'embeddings' })

  test('of models before Gemini take many texts, and are counted by the vendor', () => {
    const { body } = vertexAiEmbeddings.request({ input: ['a', 'b'], dimensions: 256 }, at('text-embedding-005'))
    expect(body).toEqual({ instances: [{ content: 'a' }, { content: 'b' }], parameters: { outputDimensionality: 256 } })
    const row = (token_count: number) => ({ embeddings: { values: [1, 2], statistics: { token_count, truncated: false } } })
    expect(vertexAiEmbeddings.response?.({ predictions: [row(3), row(4)] }, context)).toMatchObject({
      response: { data: [{ index: 0, embedding: [1, 2] }, { index: 1 }] },
      usage: { promptTokens: 7 },
    })
  })

  test('of Gemini’s models take one text', () => {
    expect(vertexAiEmbeddings.request({ input: ['a', 'b'] }, at('gemini-embedding-001')).refused).toBe('input')
    const { body } = vertexAiEmbeddings.request({ input: 'a', dimensions: 256 }, at('gemini-embedding-2'))
    expect(body).toEqual({ content: { parts: [{ text: 'a' }] }, embedContentConfig: { outputDimensionality: 256 } })
    const response = { embedding: { values: [1, 2] }, usageMetadata: { promptTokenCount: 5 } }
    expect(vertexAiEmbeddings.response?.(response, context)).toMatchObject({
      response: { data: [{ embedding: [1, 2] }] },
      usage: { promptTokens: 5 },
    })
    for (const json of [{}, { predictions: [{}] }, { embedding: {} }]) expect(vertexAiEmbeddings.response?.(json, context)).toBeNull()
  })
})

test('the list of models is read page by page', () => {
  const ask = vertexAiGemini.askModels
  const queryContext = { ...channelOf(`us|p|${account}`).facts, headers: {}, modelsPath: undefined, nowMs: 0, crypto: cryptoFunctions }
  expect(ask?.(queryContext, [])).toMatchObject({
    request: { url: 'https://aiplatform.us.rep.googleapis.com/v1beta1/publishers/google/models?pageSize=100' },
  })
  const first = { publisherModels: [{ name: 'publishers/google/models/a' }], nextPageToken: 'x' }
  expect(ask?.(queryContext, [first])).toMatchObject({ request: { url: expect.stringContaining('&pageToken=x') } })
  expect(ask?.(queryContext, [first, { publisherModels: [{ name: 'publishers/google/models/b' }] }])).toEqual({ result: ['a', 'b'] })
  expect(ask?.(queryContext, [{ error: { message: 'no' } }])).toEqual({ failed: 'no' })
})
