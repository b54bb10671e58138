import { describe, expect, test } from 'bun:test'
import { cryptoFunctions as crypto } from '../../../test/crypto.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { kindOf, type ModelKind } from '../../core/kind-of.ts'
import type { UploadedFile } from '../../core/request.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { modelQuery } from '../../registry/vendor-queries.ts'
import { cloudflare } from './vendor.ts'

const addressedChannel = addressed(cloudflare, { baseUrl: '', key: 'token', config: '{"user_id":"acct"}', other: '' })
if (addressedChannel === null) throw new Error('there is no address')
const { facts } = addressedChannel
const run = 'https://api.cloudflare.com/client/v4/accounts/acct/ai/run/'

const audio: UploadedFile = { name: 'file', fileName: 'a.mp3', contentType: 'audio/mpeg', bytes: new TextEncoder().encode('sound') }
const requestOf = (kind: Kind, model: string, body: JsonObject, baseUrl = facts.baseUrl) =>
  buildRequest(cloudflare, body, { kind, model, stream: false, channel: { ...facts, baseUrl }, files: [audio] })
const read = (kind: Kind, model: string, json: Json, echo: JsonObject = {}) =>
  dialectOf(cloudflare, kind, model)?.response?.(json, { id: 'id', created: 1, model, echo })

describe('an image', () => {
  const flux = '@cf/black-forest-labs/flux-1-schnell'

  test('is drawn by the model in the path, with the steps that are paid', () => {
    expect(requestOf('images', flux, { prompt: 'a dot', seed: 7, size: '1024x1024' })).toMatchObject({
      path: `${run}${flux}`,
      body: { prompt: 'a dot', seed: 7, steps: 4 },
    })
    expect(requestOf('images', '@cf/leonardo/phoenix-1.0', { prompt: 'a dot', size: '1024x1536', negative_prompt: 'red' }).body).toEqual({
      prompt: 'a dot',
      negative_prompt: 'red',
      num_steps: 25,
      width: 1024,
      height: 1536,
    })
    expect(requestOf('images', '@cf/bytedance/stable-diffusion-xl-lightning', { prompt: 'a dot', num_steps: 8 }).body).toMatchObject({
      num_steps: 8,
    })
  })

  test('is asked for with a form where the model takes no JSON', () => {
    const { headers, bytes } = requestOf('images', '@cf/black-forest-labs/flux-2-dev', { prompt: 'a "dot"', size: '512x512' })
    const [, boundary = ''] = /boundary=(.*)$/.exec(headers['content-type'] ?? '') ?? []
    const parts = new TextDecoder().decode(bytes).split(`--${boundary}`)
    expect(parts.slice(1, -1).map((part) => part.split('\r\n').filter((line) => line !== ''))).toEqual([
      ['content-disposition: form-data; name="prompt"', 'a "dot"'],
      ['content-disposition: form-data; name="steps"', '25'],
      ['content-disposition: form-data; name="width"', '512'],
      ['content-disposition: form-data; name="height"', '512'],
    ])
    expect(parts.at(-1)).toBe('--\r\n')
  })

  test('at the AI Gateway has the model behind the base URL', () => {
    const gateway = 'https://gateway.ai.cloudflare.com/v1/a/g/workers-ai'
    expect(requestOf('images', flux, { prompt: 'a dot' }, gateway).path).toBe(`${gateway}/${flux}`)
  })

  test.each([
    [{ n: 2 }, 'n'],
    [{ size: '300x300' }, 'size'],
    [{ size: '512x512' }, 'size'],
    [{ response_format: 'url' }, 'response_format'],
    [{ quality: 'high' }, 'quality'],
    [{ background: 'transparent' }, 'background'],
    [{ output_format: 'webp' }, 'output_format'],
    [{ steps: 8 }, 'steps'],
    [{ stream: true }, 'stream'],
  ] as const)('with %p is refused by name', (body, refused) => {
    expect(requestOf('images', flux, { prompt: 'a dot', ...body }).refused).toBe(refused)
  })

  test('comes as base64 in JSON, or as bytes', () => {
    expect(read('images', flux, { result: { image: '/9j/4A==' }, success: true, errors: [] })).toMatchObject({
      response: { created: 1, data: [{ b64_json: '/9j/4A==' }], output_format: 'jpeg' },
      usage: { images: 1 },
    })
    const response = dialectOf(cloudflare, 'images')?.fromBytes?.(new Uint8Array([0x89, 0x50]), 'image/png', {
      id: 'i',
      created: 1,
      model: 'm',
    })
    expect(response).toMatchObject({ response: { data: [{ b64_json: 'iVA=' }], output_format: 'png' }, usage: { images: 1 } })
  })
})

describe('speech', () => {
  test('has the vendor’s names of voices and encodings', () => {
    expect(requestOf('speech', '@cf/deepgram/aura-2-en', { input: 'Hi', voice: 'nova', response_format: 'wav' })).toMatchObject({
      path: `${run}@cf/deepgram/aura-2-en`,
      body: { text: 'Hi', speaker: 'luna', encoding: 'linear16', container: 'wav' },
    })
    expect(requestOf('speech', '@cf/deepgram/aura-2-es', { input: 'Hola', voice: 'alloy' }).body).toMatchObject({
      speaker: 'celeste',
      encoding: 'mp3',
    })
    expect(requestOf('speech', '@cf/myshell-ai/melotts', { input: 'Salut', voice: 'fr' }).body).toEqual({ prompt: 'Salut', lang: 'fr' })
  })

  test.each([
    ['@cf/deepgram/aura-1', { speed: 2 }, 'speed'],
    ['@cf/deepgram/aura-1', { instructions: 'whisper' }, 'instructions'],
    ['@cf/deepgram/aura-1', { response_format: 'ogg' }, 'response_format'],
    ['@cf/myshell-ai/melotts', { response_format: 'wav' }, 'response_format'],
  ] as const)('of %s with %p is refused by name', (model, body, refused) => {
    expect(requestOf('speech', model, { input: 'Hi', voice: 'nova', ...body }).refused).toBe(refused)
  })

  test('comes as base64 from one model', () => {
    expect(read('speech', '@cf/myshell-ai/melotts', { result: { audio: 'AQI=' }, success: true })).toEqual({
      bytes: new Uint8Array([1, 2]),
      contentType: 'audio/mpeg',
      usage: null,
    })
  })
})

describe('a transcript', () => {
  const [turbo, whisper, nova] = ['@cf/openai/whisper-large-v3-turbo', '@cf/openai/whisper', '@cf/deepgram/nova-3'] as const

  test('is asked for with base64, or with the bytes, by model', () => {
    expect(requestOf('transcriptions', turbo, { language: 'en', prompt: 'names' }).body).toEqual({
      audio: 'c291bmQ=',
      task: 'transcribe',
      language: 'en',
      initial_prompt: 'names',
    })
    expect(requestOf('translations', turbo, {}).body).toMatchObject({ task: 'translate' })
    expect(requestOf('transcriptions', whisper, {})).toMatchObject({ headers: { 'content-type': 'audio/mpeg' }, bytes: audio.bytes })
    expect(requestOf('transcriptions', nova, {}).path).toBe(`${run}${nova}?punctuate=true&detect_language=true`)
    expect(requestOf('transcriptions', nova, { language: 'pt' }).path).toBe(`${run}${nova}?punctuate=true&language=pt`)
  })

  test.each([
    [whisper, { prompt: 'names' }, 'prompt'],
    [whisper, { language: 'en' }, 'language'],
    [turbo, { response_format: 'srt' }, 'response_format'],
    [turbo, { temperature: '0.5' }, 'temperature'],
    [nova, { response_format: 'vtt' }, 'response_format'],
  ] as const)('of %s with %p is refused by name', (model, body, refused) => {
    expect(requestOf('transcriptions', model, body).refused).toBe(refused)
  })

  const info = { language: 'en', duration: 1.5 }
  const words = [{ word: 'Hi', start: 0, end: 0.5 }]
  const result = { text: 'Hi', transcription_info: info, segments: [{ start: 0, end: 1, text: 'Hi', words }], vtt: 'WEBVTT' }

  test('is read with the length that is paid', () => {
    expect(read('transcriptions', turbo, { result, success: true })).toMatchObject({ response: { text: 'Hi' }, usage: { audioMs: 1500 } })
    expect(read('transcriptions', turbo, { result, success: true }, { response_format: 'verbose_json' })).toMatchObject({
      response: { text: 'Hi', language: 'en', duration: 1.5, segments: [{ id: 0, start: 0, end: 1, text: 'Hi' }], words },
    })
    const plain = read('transcriptions', turbo, { result, success: true }, { response_format: 'vtt' })
    expect(plain).toMatchObject({ bytes: new TextEncoder().encode('WEBVTT'), contentType: 'text/vtt; charset=utf-8' })
    const results = { channels: [{ alternatives: [{ transcript: 'Hello', words }] }] }
    expect(read('transcriptions', nova, { result: { results } }, { response_format: 'verbose_json' })).toMatchObject({
      response: { text: 'Hello', words },
    })
    expect(read('transcriptions', whisper, { result: {} })).toBeNull()
  })

  test('in English is made by the model that can translate only', () => {
    expect(dialectOf(cloudflare, 'translations', turbo)).not.toBeNull()
    expect(dialectOf(cloudflare, 'translations', whisper)).toBeNull()
  })
})

test('documents are ranked as contexts, and come back with their texts if they are asked for', () => {
  const model = '@cf/baai/bge-reranker-base'
  const { body, echo } = requestOf('rerank', model, { query: 'q', documents: ['a', { text: 'b' }], top_n: 1, return_documents: true })
  expect(body).toEqual({ query: 'q', contexts: [{ text: 'a' }, { text: 'b' }], top_k: 1 })
  expect(read('rerank', model, { result: { response: [{ id: 1, score: 0.9 }] }, success: true }, echo)).toMatchObject({
    response: { results: [{ index: 1, relevance_score: 0.9, document: { text: 'b' } }] },
  })
})

test('only open models of OpenAI have responses of their own', () => {
  expect(dialectOf(cloudflare, 'responses', '@cf/openai/gpt-oss-120b')?.fallbackKind).toBeUndefined()
  expect(dialectOf(cloudflare, 'responses', '@cf/meta/llama-4-scout-17b-16e-instruct')?.fallbackKind).toBe('chat')
})

test('an error in the envelope of the account’s interface is read, also with status 200', () => {
  const body = { success: false, result: null, errors: [{ code: 5007, message: 'No such model' }], messages: [] }
  const failure = read('images', 'm', body)
  expect(failure).toMatchObject({ kind: 'unavailable', code: '5007', message: 'No such model' })
  expect(dialectOf(cloudflare, 'images')?.failure(400, JSON.stringify(body))).toMatchObject({ code: '5007', message: 'No such model' })
})

test('the models are listed page by page, without those that no call reaches', () => {
  const query = modelQuery(cloudflare)
  const asker = { ...facts, headers: { authorization: 'Bearer token' }, modelsPath: undefined, nowMs: 0, crypto }
  const row = (name: string, task: string) => ({ name, task: { name: task } })
  const full = { result: Array.from({ length: 100 }, (_, index) => row(`@cf/m/${index}`, 'Text Generation')) }
  const rest = { result: [row('@cf/a/see', 'Image-to-Text'), row('@cf/baai/bge-reranker-base', 'Text Classification')] }
  const search = 'https://api.cloudflare.com/client/v4/accounts/acct/ai/models/search?per_page=100&page='
  expect(query?.(asker, [])).toEqual({ request: { method: 'GET', url: `${search}1`, headers: { authorization: 'Bearer token' } } })
  expect(query?.(asker, [full])).toMatchObject({ request: { url: `${search}2` } })
  const step = query?.(asker, [full, rest])
  expect(step !== undefined && 'result' in step ? step.result.slice(-2) : step).toEqual(['@cf/m/99', '@cf/baai/bge-reranker-base'])
  expect(query?.(asker, [{ success: false, errors: [{ code: 10000, message: 'Authentication error' }] }])).toEqual({
    failed: 'Authentication error',
  })
})

test('every model is tested as what it is', () => {
  const kinds = cloudflare.models.names.slice(-12).map(kindOf)
  expect(kinds).toEqual(['rerank', ...many(5, 'images'), ...many(3, 'speech'), ...many(3, 'transcriptions')])
})

const many = (count: number, kind: ModelKind): readonly ModelKind[] => Array.from({ length: count }, () => kind)
