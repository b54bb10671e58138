import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  doneIn,
  oddResponses,
  page,
  requestIn,
  runningTask,
  survives,
  taskContext,
  taskParamsOf,
  taskResponse,
} from '../../../test/tasks.ts'
import type { TaskParams } from '../../core/task.ts'
import { defaultPrice } from '../../registry/models/prices.ts'
import { falVideos } from './fal.ts'
import { pika } from './vendor.ts'

const context = taskContext('https://queue.fal.run')
const inputImage = { url: 'https://pictures.example/cat.png' }
const file = { file: { name: 'input_reference', fileName: 'cat.png', contentType: 'image/png', bytes: new Uint8Array([1, 2, 3]) } }
const memo = {
  status_url: 'https://queue.fal.run/fal-ai/pika/requests/r1/status',
  response_url: 'https://queue.fal.run/fal-ai/pika/requests/r1',
  cancel_url: 'https://queue.fal.run/fal-ai/pika/requests/r1/cancel',
}
const task = runningTask({ model: 'pika-2.2', vendorId: 'r1', memo })

const requestFor = (params: Partial<TaskParams>) => requestIn(falVideos.submit(context, taskParamsOf({ model: 'pika-2.2', ...params }), []))
const planned = (params: Partial<TaskParams>) => falVideos.plan(taskParamsOf({ model: 'pika-2.2', ...params }))

describe('an order', () => {
  test('without parameters is sent with all that its price depends on', () => {
    expect(requestFor({})).toEqual({
      method: 'POST',
      url: 'https://queue.fal.run/fal-ai/pika/v2.2/text-to-video',
      headers: { 'content-type': 'application/json' },
      body: { prompt: 'A cat', aspect_ratio: '16:9', resolution: '720p', duration: 5 },
    })
    expect(planned({})).toEqual({ counts: { seconds: 5, size: '720p' }, seconds: 5, size: '1280x720' })
  })

  test('with all parameters is sent with all of them', () => {
    const params = { seconds: 10, size: { width: 1080, height: 1920 }, extra: { negative_prompt: 'dogs', seed: 7 } }
    expect(requestFor(params).body).toEqual({
      prompt: 'A cat',
      negative_prompt: 'dogs',
      aspect_ratio: '9:16',
      resolution: '1080p',
      duration: 10,
      seed: 7,
    })
    expect(planned(params)).toEqual({ counts: { seconds: 10, size: '1080p' }, seconds: 10, size: '1080x1920' })
  })

  test('takes the parameters of the vendor in place of those of OpenAI', () => {
    const extra = { duration: '10', resolution: '1080p', aspect_ratio: '3:2' }
    expect(requestFor({ extra }).body).toEqual({ prompt: 'A cat', aspect_ratio: '3:2', resolution: '1080p', duration: 10 })
    expect(planned({ extra })).toEqual({ counts: { seconds: 10, size: '1080p' }, seconds: 10, size: '1620x1080' })
  })

  test('with an image goes to the app that begins with it, and has the ratio of the image', () => {
    const { url, body } = requestFor({ images: [inputImage], size: { width: 1280, height: 720 } })
    expect(url).toBe('https://queue.fal.run/fal-ai/pika/v2.2/image-to-video')
    expect(body).toEqual({ prompt: 'A cat', image_url: inputImage.url, resolution: '720p', duration: 5 })
    expect(requestFor({ model: 'pika-2.2-i2v', images: [file] }).body).toMatchObject({ image_url: 'data:image/png;base64,AQID' })
  })

  test.each([
    ['pika-2.1', 'fal-ai/pika/v2.1/text-to-video'],
    ['pika-2.5', 'fal-ai/pika/v2.5/text-to-video'],
    ['pika-turbo', 'fal-ai/pika/v2/turbo/text-to-video'],
    ['fal-ai/pika/v1.5/other', 'fal-ai/pika/v1.5/other'],
  ])('for %s goes to its app', (model, path) => {
    expect(requestFor({ model }).url).toBe(`https://queue.fal.run/${path}`)
  })

  test.each<[string, Partial<TaskParams>]>([
    ['model', { model: 'pika-9' }],
    ['model', { model: 'fal-ai/../admin' }],
    ['model', { model: 'fal-ai/pika?x=1' }],
    ['prompt', { prompt: '' }],
    ['seconds', { seconds: 7 }],
    ['seconds', { model: 'pika-turbo', seconds: 10 }],
    ['duration', { extra: { duration: 7 } }],
    ['duration', { seconds: 5, extra: { duration: 10 } }],
    ['duration', { extra: { duration: 'long' } }],
    ['size', { size: { width: 1792, height: 1024 } }],
    ['size', { size: { width: 2160, height: 720 } }],
    ['resolution', { extra: { resolution: '480p' } }],
    ['resolution', { size: { width: 1280, height: 720 }, extra: { resolution: '1080p' } }],
    ['aspect_ratio', { size: { width: 1280, height: 720 }, extra: { aspect_ratio: '9:16' } }],
    ['aspect_ratio', { model: 'pika-2.5', extra: { aspect_ratio: '16:9' } }],
    ['negative_prompt', { extra: { negative_prompt: 1 } }],
    ['seed', { extra: { seed: 1.5 } }],
    ['constructor', { extra: { constructor: 1 } }],
    ['fal_webhook', { extra: { fal_webhook: 'https://client.example' } }],
    ['input_reference', { model: 'pika-2.2-i2v' }],
    ['input_reference', { images: [inputImage, inputImage] }],
  ])('is refused by the name %s: %j', (refused, params) => {
    expect(planned(params)).toEqual({ refused })
    expect(falVideos.submit(context, taskParamsOf({ model: 'pika-2.2', ...params }), [])).toMatchObject({
      failed: { kind: 'bad_request', param: refused },
    })
  })

  test('has a price that is not below that of the vendor', () => {
    const terms = { yuanPerDollar: 7, nowMs: 0 }
    const cost = (model: string, size: string, seconds: number) => {
      const price = defaultPrice(model, terms)
      return seconds * (price?.video ?? 0) * (price?.pictures?.[size] ?? 1)
    }
    expect(cost('pika-2.2', '720p', 5)).toBeCloseTo(0.2)
    expect(cost('pika-2.2', '1080p', 10)).toBeCloseTo(0.9)
    expect(cost('pika-turbo', '1080p', 5)).toBeCloseTo(0.2)
    expect(cost('pika-2.1', '1080p', 5)).toBeCloseTo(0.4)
    expect(cost('pika-2.2-frames', '1080p', 5)).toBeCloseTo(0.3)
    const one = pika.models.names.filter((model) => model !== 'pika-2.2-frames')
    expect(one.filter((model) => 'refused' in falVideos.plan(taskParamsOf({ model, images: [inputImage] })))).toEqual([])
  })
})

describe('other apps', () => {
  const frames = (fields: Partial<TaskParams> = {}) => ({ model: 'pika-2.2-frames', images: [inputImage, file, inputImage], ...fields })

  test('move from image to image, for as long as is requested', () => {
    expect(requestFor(frames({ extra: { resolution: '1080p', seed: 7 } }))).toMatchObject({
      url: 'https://queue.fal.run/fal-ai/pika/v2.2/pikaframes',
      body: {
        prompt: 'A cat',
        image_urls: [inputImage.url, 'data:image/png;base64,AQID', inputImage.url],
        transitions: [{ duration: 5 }, { duration: 5 }],
        resolution: '1080p',
        seed: 7,
      },
    })
    expect(planned(frames())).toEqual({ counts: { seconds: 10, size: '720p' }, seconds: 10 })
    expect(planned(frames({ seconds: 4 }))).toEqual({ counts: { seconds: 5, size: '720p' }, seconds: 4 })
    const transitions = [{ prompt: 'It turns', duration: 3 }, { prompt: 'It sleeps' }]
    expect(requestFor(frames({ extra: { transitions } })).body).toMatchObject({
      transitions: [
        { prompt: 'It turns', duration: 3 },
        { prompt: 'It sleeps', duration: 5 },
      ],
    })
    expect(planned(frames({ extra: { transitions } }))).toMatchObject({ counts: { seconds: 8 } })
    const bare = runningTask({ model: 'pika-2.2-frames', vendorId: 'r1' })
    expect(requestIn(falVideos.poll(context, bare, [])).url).toBe('https://queue.fal.run/fal-ai/pika/requests/r1/status')
  })

  test('get what each of them takes', () => {
    const scenes = requestFor({ model: 'fal-ai/pika/v2.2/pikascenes', images: [inputImage], extra: { ingredients_mode: 'precise' } })
    expect(scenes.body).toMatchObject({
      images: [{ image_url: inputImage.url }],
      ingredients_mode: 'precise',
      duration: 5,
      resolution: '720p',
    })
    const effect = { model: 'fal-ai/pika/v1.5/pikaffects', images: [inputImage], extra: { pikaffect: 'Melt' } }
    expect(requestFor(effect).body).toEqual({ prompt: 'A cat', image_url: inputImage.url, pikaffect: 'Melt' })
    expect(planned(effect)).toEqual({ counts: { calls: 1 } })
    const added = { model: 'fal-ai/pika/v2/pikadditions', images: [inputImage], extra: { video_url: 'https://films.example/a.mp4' } }
    expect(requestFor(added).body).toEqual({ prompt: 'A cat', image_url: inputImage.url, video_url: 'https://films.example/a.mp4' })
  })

  test.each<[string, Partial<TaskParams>]>([
    ['input_reference', frames({ images: [inputImage] })],
    ['input_reference', frames({ images: Array.from({ length: 6 }, () => inputImage) })],
    ['seconds', frames({ seconds: 5 })],
    ['seconds', frames({ seconds: 26 })],
    ['seconds', frames({ seconds: 8, extra: { transitions: [{}, {}] } })],
    ['transitions', frames({ extra: { transitions: [{}] } })],
    ['transitions', frames({ extra: { transitions: [{ duration: 20 }, { duration: 20 }] } })],
    ['transitions', frames({ extra: { transitions: [{ speed: 1 }] } })],
    ['size', frames({ size: { width: 1280, height: 720 } })],
    ['pikaffect', { model: 'fal-ai/pika/v1.5/pikaffects', images: [inputImage] }],
    ['pikaffect', { model: 'fal-ai/pika/v1.5/pikaffects', images: [inputImage], extra: { pikaffect: 'Vanish' } }],
    ['video_url', { model: 'fal-ai/pika/v2/pikadditions', images: [inputImage] }],
  ])('refuse what they do not have by the name %s: %j', (refused, params) => {
    expect(planned(params)).toEqual({ refused })
  })
})

describe('a submission', () => {
  const submitted = (json: Parameters<typeof taskResponse>[0], status?: number) =>
    falVideos.submit(context, taskParamsOf({ model: 'pika-2.2' }), [taskResponse(json, status)])

  test('keeps the addresses that the vendor names', () => {
    expect(submitted({ request_id: 'r1', status: 'IN_QUEUE', queue_position: 3, ...memo })).toEqual({ done: { vendorId: 'r1', memo } })
    expect(submitted({ request_id: 'r1', status_url: 7, response_url: 'javascript:x' })).toEqual({ done: { vendorId: 'r1', memo: {} } })
  })

  test('is refused with the reason', () => {
    expect(submitted({ detail: 'User is locked. Reason: Exhausted balance.' }, 403)).toMatchObject({ failed: { kind: 'no_quota' } })
    expect(submitted({ detail: 'Cannot access application' }, 403)).toMatchObject({ failed: { kind: 'forbidden' } })
    expect(submitted({ detail: 'No user found for Key ID and Secret' }, 401)).toMatchObject({ failed: { kind: 'bad_key' } })
    const detail = [{ loc: ['body', 'prompt'], msg: 'flagged', type: 'content_policy_violation' }]
    expect(submitted({ detail }, 422)).toMatchObject({
      failed: { kind: 'bad_request', code: 'moderation_blocked', message: 'prompt: flagged' },
    })
    expect(submitted({})).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(falVideos.submit(context, taskParamsOf({ model: 'pika-2.2' }), [page])).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a task', () => {
  const polled = (...responses: ReadonlyArray<ReturnType<typeof taskResponse>>) => falVideos.poll(context, task, responses)
  const completed = taskResponse({ status: 'COMPLETED' })
  const detail = (type: string) => taskResponse({ detail: [{ loc: ['body', 'image_url'], msg: 'no', type }] }, 422)

  test('is polled at the addresses of the vendor, or at the documented ones', () => {
    expect(requestIn(polled())).toEqual({ method: 'GET', url: memo.status_url, headers: {} })
    expect(requestIn(polled(completed)).url).toBe(memo.response_url)
    const bare = runningTask({ model: 'fal-ai/pika/v2.2/text-to-video', vendorId: 'a/b' })
    expect(requestIn(falVideos.poll(context, bare, [])).url).toBe('https://queue.fal.run/fal-ai/pika/requests/a%2Fb/status')
    expect(requestIn(falVideos.poll(context, bare, [completed])).url).toBe('https://queue.fal.run/fal-ai/pika/requests/a%2Fb')
  })

  test.each([
    ['queued', { status: 'IN_QUEUE', queue_position: 1 }],
    ['in_progress', { status: 'IN_PROGRESS', logs: null }],
    ['in_progress', { status: 'SOMETHING_NEW' }],
    ['in_progress', {}],
    ['cancelled', { status: 'CANCELED' }],
  ] as const)('is %s', (state, json) => {
    expect(polled(taskResponse(json, 202))).toEqual({ done: { state } })
  })

  test('is completed with its video', () => {
    const data = { video: { url: 'https://v3.fal.media/cat.mp4', content_type: 'video/mp4', file_size: 9 } }
    expect(polled(completed, taskResponse(data))).toEqual({
      done: { state: 'completed', results: [{ variant: 'video', url: 'https://v3.fal.media/cat.mp4', contentType: 'video/mp4' }], data },
    })
  })

  test('fails if there is no video, or the app or the queue failed', () => {
    expect(polled(completed, taskResponse({ video: null }))).toMatchObject({ done: { state: 'failed', error: { code: 'no_result' } } })
    expect(polled(completed, page)).toMatchObject({ done: { state: 'failed', error: { code: 'no_result' } } })
    expect(polled(completed, detail('image_too_small'))).toMatchObject({
      done: { state: 'failed', error: { code: 'image_too_small', message: 'image_url: no' } },
    })
    expect(polled(completed, detail('content_policy_violation'))).toMatchObject({ done: { error: { code: 'moderation_blocked' } } })
    expect(polled(completed, taskResponse({}, 400))).toMatchObject({ done: { state: 'failed', error: { code: 'task_failed' } } })
    const timeout = taskResponse({ status: 'COMPLETED', error: 'Request timed out', error_type: 'request_timeout' })
    expect(polled(timeout)).toMatchObject({ done: { error: { code: 'request_timeout', message: 'Request timed out' } } })
    expect(polled(taskResponse({ status: 'FAILED' }))).toMatchObject({ done: { state: 'failed' } })
  })

  test('fails with the error of an app whose status is that of a server, and not with other errors of a server', () => {
    const error = { detail: [{ loc: ['body'], msg: 'took too long', type: 'generation_timeout' }] }
    expect(polled(completed, taskResponse(error, 504))).toMatchObject({
      done: { state: 'failed', error: { code: 'generation_timeout', message: 'took too long' } },
    })
    const flat = { detail: 'Runner disconnected', error_type: 'runner_disconnected' }
    expect(polled(completed, taskResponse(flat, 503))).toMatchObject({ done: { state: 'failed', error: { code: 'runner_disconnected' } } })
    expect(polled(completed, taskResponse({ detail: 'Bad gateway' }, 502))).toMatchObject({ failed: { kind: 'unavailable' } })
  })

  test('is unknown to the vendor, or its response is none', () => {
    expect(polled(taskResponse({ detail: 'Not found' }, 404))).toEqual({ done: null })
    expect(polled(page)).toMatchObject({ failed: { kind: 'unavailable' } })
  })

  test('is cancelled if the vendor can still stop it', () => {
    expect(requestIn(falVideos.cancel?.(context, task, []) ?? { done: 'ended' })).toEqual({ method: 'PUT', url: memo.cancel_url })
    const cancelled = (json: object, status: number) =>
      doneIn(falVideos.cancel?.(context, task, [taskResponse({ ...json }, status)]) ?? { done: 'ended' })
    expect(cancelled({ status: 'OK' }, 200)).toBe('stopped')
    expect(cancelled({ status: 'CANCELLATION_REQUESTED' }, 202)).toBe('asked')
    expect(cancelled({ status: 'ALREADY_COMPLETED' }, 400)).toBe('ended')
    expect(cancelled({ status: 'ALREADY_COMPLETED' }, 200)).toBe('ended')
    expect(cancelled({ status: 'NOT_FOUND' }, 404)).toBe('ended')
    expect(polled(completed, taskResponse({ detail: 'cancelled', error_type: 'client_cancelled' }, 499))).toEqual({
      done: { state: 'cancelled' },
    })
  })

  test('survives every response', () => {
    const names = [
      'status',
      'request_id',
      'status_url',
      'video',
      'url',
      'content_type',
      'detail',
      'type',
      'msg',
      'loc',
      'error',
      'error_type',
    ]
    const odd = oddResponses(names, ['COMPLETED', 'FAILED', 'r1', 'https://x.example/y', ''])
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 2 }), (responses) => survives(falVideos, taskParamsOf({ model: 'pika-2.2' }), responses)),
    )
  })
})
