import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError, createFalClient, type FalClient } from '@fal-ai/client'
import { type GenerateVideosOperation, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream.ts'
import { mp4File } from '../task-scene.ts'
import { falDouble } from './task-doubles/fal.ts'
import { openaiDouble } from './task-doubles/openai.ts'
import { content, type DoubleWork, type TaskDouble } from './task-doubles/task-double.ts'
import { cloudVeoDouble, omniDouble } from './task-doubles/veo.ts'

// The doubles of vendors of videos, read by the vendors' own clients: where one rejects or misreads a response, the double is wrong.

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.close())

/** The double responds from now on. */
function play<Double extends TaskDouble>(double: Double): Double {
  upstream.fallback((request) =>
    request.path.startsWith('/results/') ? content(request, double.contentType) : double.response(request, upstream.url),
  )
  return double
}

function lastOf({ works }: TaskDouble): DoubleWork {
  const work = works.at(-1)
  if (work === undefined) throw new Error('nothing was ordered')
  return work
}

describe('@fal-ai/client', () => {
  const app = 'fal-ai/pika/v2.2/text-to-video'
  let double: TaskDouble
  let client: FalClient
  beforeEach(() => {
    double = play(falDouble())
    // It knows one address of the queue, which is the double's here.
    const toDouble = (url: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> =>
      fetch(String(url).replace('https://queue.fal.run', upstream.url), init)
    // Holds: the client calls it, and uses no other member.
    client = createFalClient({ credentials: double.key, fetch: toDouble as typeof fetch, suppressLocalCredentialsWarning: true })
  })

  test('orders a video with what our own order sends, follows it and reads its result', async () => {
    const { body, path } = double.upstreamRequest
    const { request_id: requestId } = await client.queue.submit(app, { input: { prompt: '', ...body } })
    expect(requestId).toBe(lastOf(double).id)
    const lastRequest = upstream.received.at(-1)
    expect([lastRequest?.path, JSON.parse(lastRequest?.body ?? '{}'), lastRequest?.headers['authorization']]).toEqual([
      path,
      body,
      `Key ${double.key}`,
    ])
    const state = async (): Promise<string> => (await client.queue.status(app, { requestId })).status
    expect(await state()).toBe('IN_QUEUE')
    lastOf(double).stage = 'running'
    expect(await state()).toBe('IN_PROGRESS')
    lastOf(double).stage = 'done'
    expect(await state()).toBe('COMPLETED')
    const { data } = await client.queue.result(app, { requestId })
    expect(data).toMatchObject({ video: { url: `${upstream.url}/results/${requestId}`, content_type: 'video/mp4' } })
  })

  test.each([
    ['failed', 500],
    ['moderated', 422],
  ] as const)('reads the response about a video that was %s', async (stage, status) => {
    const { request_id: requestId } = await client.queue.submit(app, { input: { prompt: 'A cat' } })
    lastOf(double).stage = stage
    expect((await client.queue.status(app, { requestId })).status).toBe('COMPLETED')
    const error = await client.queue.result(app, { requestId }).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status })
  })

  test('stops what waits', async () => {
    const { request_id: requestId } = await client.queue.submit(app, { input: { prompt: 'A cat' } })
    await client.queue.cancel(app, { requestId })
    expect(lastOf(double).stage).toBe('stopped')
  })
})

describe('@google/genai', () => {
  let double: TaskDouble
  let client: GoogleGenAI
  beforeEach(() => {
    double = play(cloudVeoDouble(49, upstream.url))
    const authClient = { getRequestHeaders: async () => new Headers({ authorization: 'Bearer ya29.veo' }) }
    client = new GoogleGenAI({
      vertexai: true,
      project: 'project-1',
      location: 'europe-west1',
      // Holds: of the login it calls this function alone.
      googleAuthOptions: { authClient: authClient as never },
      httpOptions: { baseUrl: upstream.url, apiVersion: 'v1' },
    })
  })

  async function created(): Promise<GenerateVideosOperation> {
    return await client.models.generateVideos({
      model: double.models,
      source: { prompt: 'A cat' },
      config: { aspectRatio: '9:16', resolution: '720p', durationSeconds: 4, numberOfVideos: 1, generateAudio: false },
    })
  }

  test('orders a video with what our own order sends, follows it and reads its result', async () => {
    const operation = await created()
    const lastRequest = upstream.received.at(-1)
    expect([lastRequest?.path, JSON.parse(lastRequest?.body ?? '{}')]).toEqual([double.upstreamRequest.path, double.upstreamRequest.body])
    expect(operation.name).toEndWith(lastOf(double).id)
    lastOf(double).stage = 'running'
    expect((await client.operations.getVideosOperation({ operation })).done ?? false).toBe(false)
    lastOf(double).stage = 'done'
    const done = await client.operations.getVideosOperation({ operation })
    const { videoBytes, mimeType } = done.response?.generatedVideos?.[0]?.video ?? {}
    expect([Buffer.from(videoBytes ?? '', 'base64').equals(mp4File), mimeType]).toEqual([true, 'video/mp4'])
  })

  test('reads why a video has failed, and that it was filtered', async () => {
    const operation = await created()
    lastOf(double).stage = 'failed'
    expect((await client.operations.getVideosOperation({ operation })).error).toMatchObject({ code: 13 })
    lastOf(double).stage = 'moderated'
    const { response } = await client.operations.getVideosOperation({ operation })
    expect([response?.raiMediaFilteredCount, response?.generatedVideos ?? []]).toEqual([1, []])
  })
})

describe('@google/genai, interactions', () => {
  test('orders a video with what our own order sends, follows it, reads its result, and stops what runs', async () => {
    const double = play(omniDouble())
    const { interactions } = new GoogleGenAI({ apiKey: double.key, httpOptions: { baseUrl: upstream.url, apiVersion: 'v1beta' } })
    // Holds: the double's order is one of this client.
    const { id } = await interactions.create(double.upstreamRequest.body as Parameters<typeof interactions.create>[0] & { stream?: false })
    const lastRequest = upstream.received.at(-1)
    expect([lastRequest?.path, JSON.parse(lastRequest?.body ?? '{}')]).toEqual([double.upstreamRequest.path, double.upstreamRequest.body])
    expect(double.isAuthorized(lastRequest ?? ({} as never))).toBe(true)
    lastOf(double).stage = 'running'
    expect((await interactions.get(id)).status).toBe('in_progress')
    lastOf(double).stage = 'done'
    const { status, output_video: video } = await interactions.get(id)
    expect([status, video?.mime_type, Buffer.from(video?.data ?? '', 'base64').equals(mp4File)]).toEqual(['completed', 'video/mp4', true])
    lastOf(double).stage = 'running'
    expect((await interactions.cancel(id)).status).toBe('cancelled')
    await interactions.delete(id)
    expect(double.works).toEqual([])
  })
})

describe('openai', () => {
  const double = openaiDouble()
  let client: OpenAI
  beforeAll(() => {
    play(double)
    client = new OpenAI({ apiKey: double.key, baseURL: `${upstream.url}/v1`, maxRetries: 0 })
  })

  test('orders a video with what our own order sends, follows it, fetches and deletes it', async () => {
    play(double)
    // Holds: the double's order is one of this client.
    const { id, status } = await client.videos.create(double.upstreamRequest.body as OpenAI.VideoCreateParams)
    expect([id, status]).toEqual([lastOf(double).id, 'queued'])
    const lastRequest = upstream.received.at(-1)
    expect(lastRequest?.path).toBe(double.upstreamRequest.path)
    lastOf(double).stage = 'running'
    expect((await client.videos.retrieve(id)).status).toBe('in_progress')
    lastOf(double).stage = 'done'
    expect((await client.videos.retrieve(id)).status).toBe('completed')
    expect(Buffer.from(await (await client.videos.downloadContent(id)).arrayBuffer()).equals(mp4File)).toBe(true)
  })

  test('reads why a video has failed', async () => {
    play(double)
    const { id } = await client.videos.create({ model: 'sora-2', prompt: 'A cat' })
    lastOf(double).stage = 'failed'
    const { status, error } = await client.videos.retrieve(id)
    expect([status, error?.code]).toEqual(['failed', double.failure])
  })
})
