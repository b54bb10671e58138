import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createFalClient } from '@fal-ai/client'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import { setOptions } from '../channel-scene.ts'
import { json, type Received, type Script } from '../fake-upstream.ts'
import { balanceOf, mp4File } from '../task-scene.ts'
import { falDouble } from './task-doubles/fal.ts'
import { fluxImageDouble } from './task-doubles/flux.ts'
import { pixverseDouble } from './task-doubles/pixverse.ts'
import { sunoapiDouble } from './task-doubles/suno.ts'
import { content, type DoubleWork } from './task-doubles/task-double.ts'
import { geminiVeoDouble } from './task-doubles/veo.ts'

// Clients that speak a vendor's own form of work that takes minutes: a raw proxy passes every call on, and each has its flat price.

let app: TestApp
let user: TestUser
let token: string
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 1_000_000 })
  token = (await app.make.token(user)).key
  await setOptions(app, { ProxyPrice: 700 })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

interface Double {
  readonly works: readonly DoubleWork[]
  isAuthorized(request: Received): boolean
  response(request: Received, origin: string): Script
}

interface MirrorRequest {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** A raw proxy to a double, which has the channel's key and no other. */
async function mirror(double: Double, channel: { readonly key: string; readonly headers?: Readonly<Record<string, string>> }) {
  const id = await app.make.channel({ type: 43, models: '', key: channel.key })
  await app.data(contract.channel.update, { id, headers: JSON.stringify(channel.headers ?? {}) })
  app.upstream.fallback((request) =>
    request.path.startsWith('/results/') ? content(request, 'video/mp4') : double.response(request, app.upstream.url),
  )
  const [firstRequest, balance] = [app.upstream.received.length, await balanceOf(app, user)]
  const root = `/v1/oneapi/proxy/${id}`
  const upstreamRequests = () => app.upstream.received.slice(firstRequest)

  async function ask(path: string, { method = 'GET', body, headers = {} }: MirrorRequest = {}) {
    const type: Record<string, string> = body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }
    const response = await app.request(root + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...type, ...headers },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    // Holds: the doubles respond with JSON.
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  return {
    url: app.url + root,
    ask,
    /** The last upstream request. */
    lastCall: () => {
      const last = upstreamRequests().at(-1)
      return [
        last?.method,
        last?.path,
        last?.headers['content-type']?.toString().startsWith('application/json') ? JSON.parse(last.body) : null,
      ]
    },
    headers: () => upstreamRequests().at(-1)?.headers ?? {},
    finish: () => {
      for (const work of double.works) (work as { stage: DoubleWork['stage'] }).stage = 'done'
    },
    /** Every call had the vendor's key, none the client's, and each that was not refused cost the flat price. */
    async close(refused = 0) {
      const calls = upstreamRequests()
      expect(calls.filter((request) => !double.isAuthorized(request)).map(({ path }) => path)).toEqual([])
      expect(JSON.stringify(calls.map(({ headers }) => headers))).not.toContain(token)
      expect(balance - (await balanceOf(app, user))).toBe(700 * (calls.length - refused))
      const rows = await app.data(contract.log.listSelf, { size: 100 }, user)
      expect(rows.slice(0, calls.length).map(({ kind, quota }) => [kind, quota])).toContainEqual(['proxy', 700])
    },
  }
}

test('Black Forest Labs: an image is requested and fetched in its own format', async () => {
  const double = fluxImageDouble()
  const { ask, lastCall, finish, close } = await mirror(double, { key: double.key, headers: { 'x-key': '{api_key}' } })
  const body = {
    prompt: 'A cat',
    width: 1024,
    height: 1024,
    seed: 42,
    safety_tolerance: 2,
    output_format: 'jpeg',
    prompt_upsampling: false,
  }
  const response = await ask('/v1/flux-2-pro', { method: 'POST', body })
  expect(lastCall()).toEqual(['POST', '/v1/flux-2-pro', body])
  expect(response).toMatchObject({
    status: 200,
    body: { id: 'bfl-work-1', polling_url: expect.stringContaining('get_result?id=bfl-work-1') },
  })
  expect(await ask('/v1/get_result?id=bfl-work-1')).toMatchObject({ status: 200, body: { status: 'Pending', result: null } })
  finish()
  const { body: result } = await ask('/v1/get_result?id=bfl-work-1')
  expect(result).toMatchObject({ status: 'Ready', result: { sample: expect.stringContaining('/results/bfl-work-1') } })
  await close()
})

test('PixVerse: an image is sent and animated in its own form, with the trace id that it wants', async () => {
  const double = pixverseDouble()
  const { ask, lastCall, headers, finish, close } = await mirror(double, { key: double.key, headers: { 'API-KEY': '{api_key}' } })
  const trace = () => ({ 'ai-trace-id': crypto.randomUUID() })
  const form = new FormData()
  form.set('image', new File([mp4File], 'cat.png', { type: 'image/png' }))
  expect(await ask('/openapi/v2/image/upload', { method: 'POST', body: form, headers: trace() })).toMatchObject({
    body: { ErrCode: 0, Resp: { img_id: 77 } },
  })
  expect(String(headers()['content-type'])).toStartWith('multipart/form-data; boundary=')
  const body = {
    duration: 5,
    img_id: 77,
    model: 'v6',
    motion_mode: 'normal',
    prompt: 'It purrs',
    quality: '540p',
    seed: 0,
    water_mark: false,
  }
  const response = await ask('/openapi/v2/video/img/generate', { method: 'POST', body, headers: trace() })
  expect(lastCall()).toEqual(['POST', '/openapi/v2/video/img/generate', body])
  // The number is larger than JavaScript's own ones: it arrives as it was written.
  expect(response.body).toMatchObject({ ErrCode: 0, Resp: { video_id: 345_678_901_234_001 } })
  finish()
  const { body: result } = await ask('/openapi/v2/video/result/345678901234001', { headers: trace() })
  expect(result).toMatchObject({ Resp: { status: 1, url: expect.stringContaining('/results/345678901234001') } })
  await close()
})

test('fal: its own client orders, follows, reads and stops work', async () => {
  const double = falDouble()
  const { url, headers, finish, close } = await mirror(double, { key: `Key ${double.key}` })
  const client = createFalClient({
    requestMiddleware: async (request) => ({
      ...request,
      url: request.url.replace('https://queue.fal.run', url),
      headers: { ...request.headers, Authorization: `Bearer ${token}` },
    }),
    suppressLocalCredentialsWarning: true,
  })
  const pika = 'fal-ai/pika/v2.2/text-to-video'
  const input = { prompt: 'A cat', aspect_ratio: '16:9', resolution: '720p', duration: '5' } as const
  const { request_id: requestId } = await client.queue.submit(pika, { input, priority: 'low' })
  expect([requestId, headers()['x-fal-queue-priority']]).toEqual(['fal-request-1', 'low'])
  expect((await client.queue.status(pika, { requestId })).status).toBe('IN_QUEUE')
  finish()
  expect((await client.queue.status(pika, { requestId })).status).toBe('COMPLETED')
  const { data } = await client.queue.result(pika, { requestId })
  expect(data).toMatchObject({ video: { url: expect.stringContaining('/results/fal-request-1'), content_type: 'video/mp4' } })
  const { request_id: second } = await client.queue.submit(pika, { input })
  await client.queue.cancel(pika, { requestId: second })
  expect(double.works[1]?.stage).toBe('stopped')
  await close()
})

test('sunoapi.org: a song is requested and fetched in its own format', async () => {
  const double = sunoapiDouble()
  const works: readonly DoubleWork[] = double.works
  const { ask, lastCall, finish, close } = await mirror({ ...double, works }, { key: `Bearer ${double.key}` })
  const body = {
    ...{ prompt: 'Rain on a roof', customMode: true, instrumental: false, model: 'V5', style: 'calm', title: 'Rain' },
    callBackUrl: 'https://client.example.com/told',
  }
  expect(await ask('/api/v1/generate', { method: 'POST', body })).toMatchObject({ body: { code: 200, data: { taskId: 'sunoapi-work-1' } } })
  expect(lastCall()).toEqual(['POST', '/api/v1/generate', body])
  finish()
  const { body: result } = await ask('/api/v1/generate/record-info?taskId=sunoapi-work-1')
  expect(result).toMatchObject({ data: { status: 'SUCCESS', response: { sunoData: [{ title: 'Rain' }] } } })
  await close()
})

test('Kling and relays like it: a video is requested and fetched in its own format', async () => {
  const works: DoubleWork[] = []
  const double: Double = {
    works,
    isAuthorized: ({ headers }) => headers['authorization'] === 'Bearer kling-key-0001',
    response({ method, path }) {
      if (method === 'POST') {
        works.push({ id: 'kling-1', stage: 'queued', took: null })
        return json({ code: 0, message: 'SUCCEED', request_id: 'r', data: { task_id: 'kling-1', task_status: 'submitted' } })
      }
      if (path !== '/v1/videos/text2video/kling-1') return json({ code: 1203, message: 'unknown' }, 404)
      const isDone = works[0]?.stage === 'done'
      const task_result = isDone ? { videos: [{ id: 'v', url: 'https://films.example/1.mp4', duration: '5' }] } : {}
      return json({
        code: 0,
        message: 'SUCCEED',
        data: { task_id: 'kling-1', task_status: isDone ? 'succeed' : 'processing', task_result },
      })
    },
  }
  const { ask, lastCall, finish, close } = await mirror(double, { key: 'Bearer kling-key-0001' })
  const body = {
    model_name: 'kling-v2-master',
    prompt: 'A cat',
    negative_prompt: '',
    cfg_scale: 0.5,
    mode: 'pro',
    aspect_ratio: '16:9',
    duration: '5',
  }
  expect(await ask('/v1/videos/text2video', { method: 'POST', body })).toMatchObject({ body: { data: { task_id: 'kling-1' } } })
  expect(lastCall()).toEqual(['POST', '/v1/videos/text2video', body])
  expect(await ask('/v1/videos/text2video/kling-1')).toMatchObject({ body: { data: { task_status: 'processing' } } })
  finish()
  expect(await ask('/v1/videos/text2video/kling-1')).toMatchObject({ body: { data: { task_status: 'succeed' } } })
  expect((await ask('/v1/videos/text2video/another')).status).toBe(404)
  await close(1)
})

test('Veo: a video is requested, polled and fetched in its own format', async () => {
  const double = geminiVeoDouble(49)
  const { ask, lastCall, finish, close } = await mirror(double, { key: double.key, headers: { 'x-goog-api-key': '{api_key}' } })
  const place = `/v1beta/models/${double.models}`
  const body = {
    instances: [{ prompt: 'A cat', image: { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' } }],
    parameters: { aspectRatio: '16:9', resolution: '1080p', durationSeconds: 8, personGeneration: 'allow_adult', negativePrompt: 'dogs' },
  }
  const name = `models/${double.models}/operations/veo-work-1`
  expect(await ask(`${place}:predictLongRunning`, { method: 'POST', body })).toEqual({ status: 200, body: { name } })
  expect(lastCall()).toEqual(['POST', `${place}:predictLongRunning`, body])
  expect((await ask(`/v1beta/${name}`)).body['done'] ?? false).toBe(false)
  finish()
  const { body: operation } = await ask(`/v1beta/${name}`)
  const video = { uri: expect.stringContaining('/v1beta/files/veo-work-1:download') }
  expect(operation).toMatchObject({ done: true, response: { generateVideoResponse: { generatedSamples: [{ video }] } } })
  await close()
})
