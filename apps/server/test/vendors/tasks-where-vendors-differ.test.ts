import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { setOptions } from '../channel-scene.ts'
import { json, type Received } from '../fake-upstream.ts'
import { holdsOf } from '../task-scene.ts'
import { doubaoDouble } from './task-doubles/bytedance.ts'
import { falDouble } from './task-doubles/fal.ts'
import { fluxImageDouble } from './task-doubles/flux.ts'
import { azureDouble, openaiDouble } from './task-doubles/openai.ts'
import { pixverseDouble } from './task-doubles/pixverse.ts'
import type { DoubleWork, TaskDouble } from './task-doubles/task-double.ts'
import { cloudVeoDouble } from './task-doubles/veo.ts'
import { type Client, lastCreateRequest, lastWork, type Stage, taskStage } from './task-stage.ts'

// What only some vendors of videos and images have, through the running server.

let stage: Stage
beforeAll(async () => {
  stage = await taskStage()
})
afterEach(async () => {
  stage.refusal = null
  stage.response = () => null
  expect(await holdsOf(stage.scene.app)).toBe(0)
})
afterAll(() => stage.close())

const image = Buffer.from('a picture').toString('base64')
const imageAddress = `data:image/png;base64,${image}`

const lastRequest = (): Received | undefined => lastCreateRequest(stage)
const lastBody = (): unknown => JSON.parse(lastRequest()?.body ?? '{}')

/** Orders the usual work of a double, with changes. */
async function create(client: Client, double: TaskDouble, change: object = {}) {
  await client.spent()
  const { status, body } = await client.ask(double.path, { method: 'POST', body: { ...double.params, ...change } })
  expect([status, body['error'] ?? null]).toEqual([200, null])
  return { id: String(body['id']), work: lastWork(double) }
}

async function finish(work: DoubleWork): Promise<void> {
  work.stage = 'done'
  await stage.scene.poll()
}

describe('fal', () => {
  test('animates an image by the app for it', async () => {
    const double = falDouble()
    const client = await stage.play(double)
    const { work } = await create(client, double, { input_reference: imageAddress, size: undefined, resolution: '720p' })
    expect(lastRequest()?.path).toBe('/fal-ai/pika/v2.2/image-to-video')
    expect(lastBody()).toEqual({ prompt: 'A cat', image_url: imageAddress, resolution: '720p', duration: 10, seed: 7 })
    await finish(work)
    // Ten seconds at $0.04.
    expect(await client.spent()).toBe(200_000)
  })

  test('does not stop what is done, which is paid then', async () => {
    const double = falDouble()
    const client = await stage.play(double)
    const { id, work } = await create(client, double)
    work.stage = 'done'
    expect((await client.ask(`/v1/tasks/${id}/cancel`, { method: 'POST' })).body).toMatchObject({ status: 'queued' })
    await stage.scene.poll()
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed', charged_quota: double.price })
    expect(await client.spent()).toBe(double.price)
  })

  test('may be where clients fetch results by themselves, if an administrator wants that', async () => {
    const double = falDouble()
    const client = await stage.play(double)
    double.elsewhere.results = stage.otherAtPublicName
    const { id, work } = await create(client, double)
    await finish(work)
    const { app } = stage.scene
    const { key } = await app.make.token(client.user, { isUnlimited: true })
    const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      app.request(path, { headers, redirect: 'manual' })
    const headers = { authorization: `Bearer ${key}` }
    await setOptions(app, { TaskResultDelivery: 'redirect' })
    const response = await get(`/v1/videos/${id}/content`, headers)
    expect([response.status, response.headers.get('location')]).toEqual([302, `${stage.otherAtPublicName}/results/${work.id}`])
    // A player of the console may play nothing of other servers.
    const [row] = await app.data(contract.task.list, {})
    expect((await get(row?.results[0]?.url ?? '')).status).toBe(200)
    await setOptions(app, { TaskResultDelivery: 'proxy' })
    expect((await get(`/v1/videos/${id}/content`, headers)).status).toBe(200)
  })

  test('may finish what it was requested to cancel, which is paid then', async () => {
    const double = falDouble()
    const client = await stage.play(double)
    const { id, work } = await create(client, double)
    work.stage = 'running'
    await stage.scene.poll()
    expect((await client.ask(`/v1/tasks/${id}/cancel`, { method: 'POST' })).body).toMatchObject({ status: 'in_progress' })
    work.stage = 'done'
    await stage.scene.poll()
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed', charged_quota: double.price })
    expect(await client.spent()).toBe(double.price)
  })

  test.each([
    ['says so', json({ status: 'COMPLETED' }), json({ detail: 'cancelled', error_type: 'client_cancelled' }, 499)],
    ['forgets it', json({ detail: 'Request not found' }, 404), json({ detail: 'Request not found' }, 404)],
  ])('may stop what it was requested to cancel, and %s, which is free', async (_, status, response) => {
    const double = falDouble()
    const client = await stage.play(double)
    const { id, work } = await create(client, double)
    work.stage = 'running'
    await client.ask(`/v1/tasks/${id}/cancel`, { method: 'POST' })
    stage.response = ({ method, path }) => {
      if (method !== 'GET' || !path.includes(work.id)) return null
      return path.endsWith('/status') ? status : response
    }
    await stage.scene.poll()
    stage.response = () => null
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'cancelled', charged_quota: 0 })
    expect(await client.spent()).toBe(0)
  })

  test('may be out of order when a result is fetched, which is fetched again', async () => {
    const double = falDouble()
    const client = await stage.play(double)
    const { id, work } = await create(client, double)
    stage.response = ({ path }) => (path.endsWith(work.id) ? json({ detail: 'Bad gateway' }, 502) : null)
    await finish(work)
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'queued' })
    stage.response = () => null
    await stage.scene.poll()
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed' })
  })
})

describe('PixVerse', () => {
  test('gets an image before the task request that names it', async () => {
    const double = pixverseDouble()
    const client = await stage.play(double)
    const first = stage.scene.app.upstream.received.length
    const { work } = await create(client, double, { input_reference: imageAddress, size: undefined })
    const [upload, submission] = stage.scene.app.upstream.received.slice(first)
    expect([upload?.path, submission?.path]).toEqual(['/openapi/v2/image/upload', '/openapi/v2/video/img/generate'])
    expect(upload?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(upload?.body).toContain('a picture')
    expect(upload?.headers['ai-trace-id']).not.toBe(submission?.headers['ai-trace-id'])
    expect(lastBody()).toMatchObject({ img_id: 77, quality: '720p', duration: 8 })
    await finish(work)
    expect(await client.spent()).toBe(double.price)
  })

  test('continues a video that it has made', async () => {
    const double = pixverseDouble()
    const client = await stage.play(double)
    const first = await create(client, double, { generate_audio_switch: undefined })
    await finish(first.work)
    await client.spent()
    const body = { prompt: 'Then it sleeps', video: { id: first.id }, seconds: 5 }
    const { status, body: task } = await client.ask('/v1/videos/extensions', { method: 'POST', body })
    expect([status, task['remixed_from_video_id']]).toEqual([200, first.id])
    expect(lastRequest()?.path).toBe('/openapi/v2/video/extend/generate')
    expect(lastBody()).toMatchObject({ source_video_id: Number(first.work.id), prompt: 'Then it sleeps', duration: 5, quality: '720p' })
    await finish(lastWork(double))
    // Five seconds at 9 credits.
    expect(await client.spent()).toBe(225_000)
    client.expectSecrecy()
  })

  test('names its cost again when a task request is repeated after a crash, and that cost is charged', async () => {
    const double = pixverseDouble()
    const client = await stage.play(double)
    const { id } = await create(client, double)
    const key = lastRequest()?.headers['ai-trace-id']
    // As a server leaves it that ends before the response comes.
    const { db } = stage.scene.app.app.store
    await db.updateTable('tasks').set({ stage: 'sending', vendor_id: '', next_poll_ms: 0 }).where('public_id', '=', id).execute()
    double.took = 50
    await stage.scene.poll()
    expect([double.works.length, lastRequest()?.headers['ai-trace-id']]).toEqual([2, key])
    await finish(lastWork(double))
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed', charged_quota: 250_000 })
  })
})

describe('Flux', () => {
  test('changes an image, which is priced by what goes in and comes out', async () => {
    const double = fluxImageDouble()
    const client = await stage.play(double)
    const { work } = await create(client, double, { input_reference: imageAddress })
    expect(lastBody()).toEqual({ prompt: 'A cat', width: 1024, height: 2048, input_image: image, seed: 7 })
    await finish(work)
    // Two megapixels for 4.5 credits, and at most four of the input for 1.5 each.
    expect(await client.spent()).toBe(52_500)
  })

  test('has links that end after ten minutes, and the client gets an error that says so', async () => {
    const double = fluxImageDouble()
    const client = await stage.play(double)
    const { id, work } = await create(client, double)
    await finish(work)
    stage.scene.clock.advance(601_000)
    const { status, bytes } = await client.fetch(`/v1/tasks/${id}/content`)
    expect([status, JSON.parse(bytes.toString())]).toMatchObject([410, { error: { code: 'task_result_expired' } }])
  })
})

describe.each([
  ['OpenAI', openaiDouble],
  ['Azure', azureDouble],
] as const)('%s', (name, make) => {
  test('gets an image in the form that it takes', async () => {
    const double = make()
    const client = await stage.play(double)
    const { work } = await create(client, double, { input_reference: imageAddress })
    if (name === 'Azure') {
      expect(lastRequest()?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
      for (const part of ['name="input_reference"', 'a picture', 'name="seconds"', 'sora-2-pro'])
        expect(lastRequest()?.body).toContain(part)
    } else expect(lastBody()).toMatchObject({ input_reference: { image_url: imageAddress }, seconds: '8' })
    await finish(work)
    expect(await client.spent()).toBe(double.price)
  })

  test('remixes a video of its own, and deletes it', async () => {
    const double = make()
    const client = await stage.play(double)
    const first = await create(client, double)
    await finish(first.work)
    await client.spent()
    const { body } = await client.ask(`/v1/videos/${first.id}/remix`, { method: 'POST', body: { prompt: 'At night' } })
    expect(body).toMatchObject({ remixed_from_video_id: first.id, seconds: '8', size: '1792x1024' })
    expect(lastRequest()).toMatchObject({ path: `${double.upstreamRequest.path}/${first.work.id}/remix`, body: '{"prompt":"At night"}' })
    await finish(lastWork(double))
    expect(await client.spent()).toBe(double.price)
    expect((await client.ask(`/v1/videos/${first.id}`, { method: 'DELETE' })).body).toMatchObject({ deleted: true })
    expect(double.works.map(({ id }) => id)).not.toContain(first.work.id)
    client.expectSecrecy()
  })
})

describe('Google Cloud', () => {
  test('may refuse a token before it ends: another one is requested, and neither task requests nor polls are lost', async () => {
    const double = cloudVeoDouble(49, stage.scene.app.upstream.url)
    const client = await stage.play(double)
    let valid = 'ya29.veo'
    let tokens = 0
    stage.response = ({ path, headers }) => {
      if (path === '/token') tokens += 1
      if (path === '/token') return json({ access_token: valid, expires_in: 3_599, token_type: 'Bearer' })
      if (headers['authorization'] === `Bearer ${valid}`) return null
      return json({ error: { code: 401, status: 'UNAUTHENTICATED', message: 'invalid credentials' } }, 401)
    }
    const first = await create(client, double)
    valid = 'ya29.veo-2'
    await finish(first.work)
    expect((await client.ask(`/v1/videos/${first.id}`)).body).toMatchObject({ status: 'completed' })
    valid = 'ya29.veo-3'
    // A token that was issued just now is not requested again.
    stage.scene.clock.advance(20_000)
    const second = await create(client, double)
    await finish(second.work)
    expect((await client.ask(`/v1/videos/${second.id}`)).body).toMatchObject({ status: 'completed' })
    expect([tokens, double.works.length]).toEqual([3, 2])
  })
})

describe('ByteDance', () => {
  const model = 'doubao-seedance-1-0-pro-250528'
  const double = () => Object.assign(doubaoDouble(), { models: model })
  const small = { model, size: '480x480', seconds: '2', generate_audio: undefined, seed: undefined }
  // 2,100,000 pixels in 288 frames, at $2.20 a million tokens.
  const dearest = 649_688

  test('gets no flags of a prompt, which cost what they order', async () => {
    const vendor = double()
    const client = await stage.play(vendor)
    const { work } = await create(client, vendor, { ...small, size: undefined, seconds: undefined, prompt: 'a cat --rs 1080p --dur 12' })
    expect(lastBody()).toMatchObject({ content: [{ text: 'a cat' }], resolution: '1080p', duration: 12 })
    await finish(work)
    expect(await client.spent()).toBe(dearest)
  })

  test('is believed up to the dearest video of the model, if it counts far more than was requested', async () => {
    const vendor = double()
    const client = await stage.play(vendor)
    const counted = async (took: number): Promise<number> => {
      vendor.took = took
      const { work } = await create(client, vendor, { ...small, prompt: 'a cat --rs 1080p --dur 12' })
      expect(lastBody()).toMatchObject({ content: [{ text: 'a cat' }], resolution: '480p', duration: 2 })
      await finish(work)
      return await client.spent()
    }
    expect(await counted(588_000)).toBe(646_800)
    expect(await counted(900_000_000)).toBe(dearest)
    const [row] = await stage.scene.app.data(contract.log.list, { username: client.user.username })
    expect(row?.content).toContain('implausible usage')
  })
})
