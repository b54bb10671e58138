import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { json, type Script } from '../fake-upstream.ts'
import { holdsOf } from '../task-scene.ts'
import { type Client, lastCreateRequest, type Stage, taskStage } from './task-stage.ts'

// Songs that come with the response to their task request, through the running server.

const key = 'AIza-lyria-secret-0001'
const model = 'lyria-3-clip-preview'

let stage: Stage
let client: Client
let script: Script

beforeAll(async () => {
  stage = await taskStage()
  client = await stage.play({
    type: 24,
    key,
    models: `${model},gemini-3.5-flash`,
    secrets: ['lyria-secret-0001'],
    works: [],
    contentType: 'audio/mpeg',
    isAuthorized: ({ headers }) => headers['x-goog-api-key'] === key,
    response: () => script,
  })
})
afterEach(async () => {
  expect(await holdsOf(stage.scene.app)).toBe(0)
})
afterAll(() => stage.close())

const audio = Buffer.from('ID3 a song')
const response = json({
  responseId: 'response-0001',
  candidates: [
    {
      finishReason: 'STOP',
      content: { parts: [{ text: '[Verse] It rains.' }, { inlineData: { mimeType: 'audio/mpeg', data: audio.toString('base64') } }] },
    },
  ],
})

const create = (body: object) => client.ask('/suno/submit/music', { method: 'POST', body: { model, ...body } })

test('a song is complete, and paid by the call, when its task request returns', async () => {
  script = response
  await client.spent()
  const { status, body } = await create({ prompt: 'Rain' })
  expect([status, body['code']]).toEqual([200, 'success'])
  expect(lastCreateRequest(stage)?.path).toBe(`/v1beta/models/${model}:generateContent`)
  expect(JSON.parse(lastCreateRequest(stage)?.body ?? '')).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Rain' }] }] })
  const id = String(body['data'])
  expect((await client.ask(`/suno/fetch/${id}`)).body['data']).toMatchObject({ status: 'SUCCESS', data: [{ text: '[Verse] It rains.' }] })
  // A clip costs $0.04.
  expect(await client.spent()).toBe(20_000)
  const song = await client.fetch(`/v1/tasks/${id}/content?index=0`)
  expect([song.status, song.type, song.bytes.equals(audio)]).toEqual([200, 'audio/mpeg', true])
  await stage.scene.poll()
  expect(await client.spent()).toBe(0)
})

test('a song that is refused for its words, or has no audio, has failed for free', async () => {
  script = json({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
  expect((await create({ prompt: 'Rain' })).status).toBe(400)
  script = json({ candidates: [{ finishReason: 'STOP', content: { parts: [{ text: 'No sound' }] } }] })
  expect((await create({ prompt: 'Rain' })).status).toBeGreaterThanOrEqual(500)
  expect(await client.spent()).toBe(0)
})

test('what Lyria does not have is refused by name, and nothing is sent', async () => {
  const before = lastCreateRequest(stage)
  for (const [name, change] of Object.entries({ tags: { tags: 'pop' }, prompt: { prompt: '' } }))
    expect([name, (await create({ prompt: 'Rain', ...change })).status]).toEqual([name, 400])
  expect((await client.ask('/suno/submit/lyrics', { method: 'POST', body: { model, prompt: 'Rain' } })).status).toBe(400)
  expect(lastCreateRequest(stage)).toBe(before)
})
