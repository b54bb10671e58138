import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

// What a vendor keeps for the account of the key is everybody's who uses the channel: no kind of call reads it where the channel forbids it.

let app: TestApp
const keys = new Map<number, string>()
const models: Readonly<Record<number, string>> = {
  1: 'gpt-4o-mini,gpt-image-1,tts-1,text-embedding-3-small,omni-moderation-latest,sora-2,gpt-3.5-turbo-instruct,bge-reranker',
  20: 'openai/gpt-4o-mini',
  24: 'gemini-2.5-flash',
}
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PriceRules', value: '{"bge-reranker":{"ratio":1}}' })
  for (const [type, names] of Object.entries(models)) {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    const user = await app.make.user({ groups, quota: 1_000_000_000 })
    keys.set(Number(type), (await app.make.token(user, { isUnlimited: true })).key)
    const id = await app.make.channel({ groups, type: Number(type), models: names })
    await app.data(contract.channel.update, { id, content_of_key: false })
  }
})
afterAll(() => app.close())

async function post(type: number, path: string, body: object | FormData) {
  app.upstream.fallback(() => json(chatResponse('Hi')))
  const before = app.upstream.received.length
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${keys.get(type)}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  const response = await app.request(path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
  return {
    status: response.status,
    text: await response.text(),
    upstreamCount: app.upstream.received.length - before,
    headers: response.headers,
  }
}

const file_id = 'file-of-another'
const image = { model: 'gpt-image-1', prompt: 'x' }
const messages = [{ role: 'user', content: 'Hi' }]

test.each([
  ['/v1/images/edits', { ...image, images: [{ file_id }] }, 'images[0].file_id'],
  ['/v1/images/edits', { ...image, images: [[{ file_id }]] }, 'images[0][0].file_id'],
  ['/v1/images/edits', { ...image, image: 'https://a.example/1.png', mask: { file_id } }, 'mask.file_id'],
  ['/v1/images/generations', { ...image, images: [{ file_id }] }, 'images[0].file_id'],
  ['/v1/images/generations', { ...image, input_image_mask: { file_id } }, 'input_image_mask'],
  ['/v1/audio/speech', { model: 'tts-1', input: 'x', voice: { id: 'voice_of_another' } }, 'voice'],
  [
    '/v1/chat/completions',
    { model: 'gpt-4o-mini', messages, modalities: ['audio'], audio: { voice: { id: 'v' }, format: 'wav' } },
    'audio.voice',
  ],
  ['/v1/embeddings', { model: 'text-embedding-3-small', input: [{ file_id }] }, 'input'],
  [
    '/v1/moderations',
    { model: 'omni-moderation-latest', input: [{ type: 'image_url', image_url: { file_id } }] },
    'input[0].image_url.file_id',
  ],
  ['/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: [{ file_id }] }, 'prompt'],
  ['/v1/rerank', { model: 'bge-reranker', query: 'x', documents: [{ text: 'a', file_id }] }, 'documents'],
  ['/v1/videos', { model: 'sora-2', prompt: 'x', seconds: '4', input_reference: { file_id } }, 'input_reference'],
] as const)('%s does not read files of the account: %j', async (path, body, place) => {
  const { status, text, upstreamCount } = await post(1, path, body)
  expect([status, text, upstreamCount]).toEqual([400, expect.stringContaining(place), 0])
})

test.each(['images[][file_id]', 'images[0][file_id]', 'mask[file_id]', 'file_id', 'input_reference[file_id]'])(
  'forms do not either: %s',
  async (name) => {
    const form = new FormData()
    for (const [key, value] of Object.entries({ ...image, [name]: file_id })) form.append(key, value)
    form.append('image', new File([Uint8Array.of(1, 2, 3)], 'a.png', { type: 'image/png' }))
    expect(await post(1, '/v1/images/edits', form)).toMatchObject({ status: 400, upstreamCount: 0 })
  },
)

describe('the count of tokens at Google', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  const file = { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } }

  test.each([
    { contents, cachedContent: 'cachedContents/x' },
    { contents, cached_content: 'cachedContents/x' },
    { contents: [{ parts: [file] }] },
    { contents, tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } }] },
  ])('does not reveal what the account has: %j', async (request) => {
    for (const body of [request, { generateContentRequest: request }, { generate_content_request: request }]) {
      const { headers, upstreamCount } = await post(24, '/v1beta/models/gemini-2.5-flash:countTokens', body)
      expect([headers.get('x-token-count'), upstreamCount]).toEqual(['gateway', 0])
    }
  })
})

test.each([
  [20, '/v1/chat/completions', { messages, provider: [{ order: ['azure'], only: ['x'] }] }, 'provider'],
  [20, '/v1/chat/completions', { messages, plugins: { 0: { id: 'web' } } }, 'plugins'],
  [1, '/v1/responses', { input: 'Hi', tools: { 0: { type: 'code_interpreter', container: { type: 'auto' } } } }, 'tools'],
  [1, '/v1/responses', { input: 'Hi', tools: { type: 'function', name: 'f', 0: { type: 'code_interpreter' } } }, 'tools'],
] as const)(
  'type %d, %s: a list in place of an object, or an object in place of a list, is refused: %j',
  async (type, path, more, place) => {
    const { status, text, upstreamCount } = await post(type, path, { model: models[type]?.split(',')[0], ...more })
    expect([status, text, upstreamCount]).toEqual([400, expect.stringContaining(place), 0])
  },
)
