import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../test/app.ts'
import { chatReply, json, type Script } from '../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const sound: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } },
  { do: 'send', bytes: 'ID3' },
]
const embedding = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
  model: 'm',
  usage: { prompt_tokens: 1, total_tokens: 1 },
}

test.each([
  ['gpt-4o-mini', '/v1/chat/completions', json(chatReply())],
  ['text-embedding-3-small', '/v1/embeddings', json(embedding)],
  ['dall-e-3', '/v1/images/generations', json({ created: 1, data: [{ url: 'https://pictures.example/1' }] })],
  ['tts-1', '/v1/audio/speech', sound],
  ['whisper-1', '/v1/audio/transcriptions', json({ text: '' })],
] as const)('a test asks %s by what it is for: %s', async (model, path, answer) => {
  const id = await app.make.channel({ models: model })
  app.upstream.script(answer)
  expect(await app.data(contract.channel.test, { id, model: '' })).toMatchObject({ model })
  expect(app.upstream.received.at(-1)?.path).toBe(path)
})

test('a test asks the model that the channel names for it, whatever else it has', async () => {
  const id = await app.make.channel({ models: 'gpt-3.5-turbo,gpt-4o' })
  await app.data(contract.channel.update, { id, test_model: 'gpt-4o' })
  expect(await app.data(contract.channel.test, { id, model: '' })).toMatchObject({ model: 'gpt-4o' })
})
