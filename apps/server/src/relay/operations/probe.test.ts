import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const audio: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } },
  { do: 'send', bytes: 'a sound' },
  { do: 'hang' },
]
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }

const tests: readonly [string, string, object, Script][] = [
  ['gpt-4o', '/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 }, json(chatResponse())],
  ['gpt-3.5-turbo-instruct', '/v1/completions', { prompt: 'hi', max_tokens: 16 }, json({ choices: [{ text: 'Hi' }], usage })],
  ['text-embedding-3-small', '/v1/embeddings', { input: 'hi' }, json({ data: [{ embedding: [1] }] })],
  ['omni-moderation-latest', '/v1/moderations', { input: 'hi' }, json({ results: [{ flagged: false }] })],
  ['bge-reranker-v2-m3', '/v1/rerank', { query: 'hi', documents: ['hi'] }, json({ results: [{ index: 0 }] })],
  ['dall-e-2', '/v1/images/generations', { prompt: 'a dot', n: 1, size: '256x256' }, json({ data: [{ url: 'http://a' }] })],
  ['tts-1', '/v1/audio/speech', { input: 'hi', voice: 'alloy' }, audio],
]

test.each(tests)('a channel is tested with a minimal request of %s', async (model, path, body, script) => {
  const id = await app.make.channel({ models: model })
  app.upstream.script(script)
  await app.data(contract.channel.test, { id, model: '' })
  const { path: upstreamPath, body: upstreamBody, aborted } = app.upstream.received.at(-1) ?? { path: '', body: '{}' }
  expect([upstreamPath, JSON.parse(upstreamBody)]).toEqual([path, { model, ...body }])
  expect(await app.data(contract.channel.tests, { ids: String(id) })).toMatchObject([{ passed: true, model }])
  if (script === audio) await aborted
})

test('a channel for transcriptions is tested with half a second of silent audio', async () => {
  const id = await app.make.channel({ models: 'whisper-1', mapping: { 'whisper-1': 'whisper-large' } })
  app.upstream.script(json({ text: '' }))
  await app.data(contract.channel.test, { id, model: 'whisper-1' })
  const { path, headers, bytes } = app.upstream.received.at(-1) ?? {}
  expect(path).toBe('/v1/audio/transcriptions')
  const form = await new Response(bytes, { headers: { 'content-type': String(headers?.['content-type']) } }).formData()
  const file = form.get('file')
  if (!(file instanceof File)) throw new Error('there is no file')
  expect([form.get('model'), form.get('response_format'), file.name, file.size]).toEqual(['whisper-large', 'json', 'silence.wav', 8_044])
  expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF')
})

test('a test that fails has the reason, and charges no account', async () => {
  const id = await app.make.channel({ models: 'gpt-image-1' })
  app.upstream.script(json({ error: { message: 'this account may not draw' } }, 403))
  const tested = await app.call(contract.channel.test, { id, model: '' })
  expect(tested).toMatchObject({ success: false, message: expect.stringContaining('this account may not draw') })
  expect(await app.inconsistencies()).toEqual([])
})

test('a test uses the channel’s test model, whatever other models it has', async () => {
  const id = await app.make.channel({ models: 'gpt-3.5-turbo,gpt-4o' })
  await app.data(contract.channel.update, { id, test_model: 'gpt-4o' })
  app.upstream.script(json(chatResponse()))
  expect(await app.data(contract.channel.test, { id, model: '' })).toMatchObject({ model: 'gpt-4o' })
})
