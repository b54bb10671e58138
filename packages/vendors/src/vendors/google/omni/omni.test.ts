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
} from '../../../../test/tasks.ts'
import type { TaskParams } from '../../../core/task.ts'
import { defaultPrice } from '../../../registry/models/prices.ts'
import { taskDialectOf } from '../../../registry/task-dialect-of.ts'
import { geminiVendor } from '../gemini/vendor.ts'
import { veo } from '../veo/vendor.ts'
import { omniVideos } from './videos.ts'

const model = 'gemini-omni-1.1-flash'
const context = taskContext('https://generativelanguage.googleapis.com')
const url = 'https://generativelanguage.googleapis.com/v1beta/interactions'
const inputImage = { url: 'data:image/png;base64,AAAA' }
const image = { type: 'image', data: 'AAAA', mime_type: 'image/png' }
const video = {
  file: { name: 'video', fileName: 'a.mp4', contentType: 'video/mp4', bytes: new Uint8Array([1, 2, 3]) },
  seconds: 4.2,
  width: 1280,
  height: 720,
}
const task = runningTask({ model, vendorId: 'v1_a' })

const requestBody = (params: Partial<TaskParams>) => requestIn(omniVideos.submit(context, taskParamsOf({ model, ...params }), [])).body
const planned = (params: Partial<TaskParams>) => omniVideos.plan(taskParamsOf({ model, ...params }))

describe('an order', () => {
  test('with a prompt alone runs in the background, with all that its price depends on', () => {
    expect(requestIn(omniVideos.submit(context, taskParamsOf({ model }), []))).toMatchObject({ method: 'POST', url })
    expect(requestBody({})).toEqual({
      model,
      input: 'A cat',
      background: true,
      store: true,
      response_format: { type: 'video', delivery: 'uri', aspect_ratio: '16:9', resolution: '720p', duration: '8s' },
      generation_config: { video_config: { task: 'text_to_video' } },
    })
    expect(planned({})).toEqual({ counts: { seconds: 8, size: '720p' }, seconds: 8, size: '1280x720' })
  })

  test('has the size and the length of OpenAI, or those of the service', () => {
    expect(planned({ seconds: 10, size: { width: 2160, height: 3840 } })).toEqual({
      counts: { seconds: 10, size: '4k' },
      seconds: 10,
      size: '2160x3840',
    })
    const extra = { resolution: '4k', aspect_ratio: '9:16', duration: '5', last_frame: null }
    expect(planned({ extra })).toEqual({ counts: { seconds: 5, size: '4k' }, seconds: 5, size: '2160x3840' })
    expect(requestBody({ extra })).toMatchObject({ response_format: { aspect_ratio: '9:16', resolution: '4k', duration: '5s' } })
  })

  test('may have a first frame, a last one after it, or references', () => {
    const frames = { images: [inputImage], extra: { last_frame: inputImage.url } }
    expect(requestBody(frames)).toMatchObject({
      input: [image, image, { type: 'text', text: 'A cat' }],
      generation_config: { video_config: { task: 'image_to_video' } },
    })
    expect(requestBody({ extra: { reference_images: [inputImage.url] } })).toMatchObject({
      input: [image, { type: 'text', text: 'A cat' }],
      generation_config: { video_config: { task: 'reference_to_video' } },
    })
  })

  test('that changes or continues a video names the interaction that made it', () => {
    const changed = requestBody({ action: 'edit', source: task })
    expect(changed).toMatchObject({ previous_interaction_id: 'v1_a', generation_config: { video_config: { task: 'edit' } } })
    expect(changed).toMatchObject({ response_format: { type: 'video', delivery: 'uri', resolution: '720p' } })
    expect(requestBody({ action: 'extend', source: task, seconds: 6 })).toMatchObject({
      previous_interaction_id: 'v1_a',
      response_format: { type: 'video', delivery: 'uri', resolution: '720p', duration: '6s' },
      generation_config: { video_config: { task: 'extend' } },
    })
  })

  test('may change or continue a video that the client sends, which costs its length', () => {
    const edit = { action: 'edit', video } as const
    expect(requestBody(edit)).toMatchObject({
      input: [
        { type: 'video', data: 'AQID', mime_type: 'video/mp4' },
        { type: 'text', text: 'A cat' },
      ],
      generation_config: { video_config: { task: 'edit' } },
    })
    expect(planned(edit)).toMatchObject({ counts: { seconds: 5, size: '720p' }, size: '1280x720' })
    expect(planned({ ...edit, seconds: 5 })).toEqual({ refused: 'seconds' })
    expect(planned({ action: 'extend', video })).toMatchObject({ counts: { seconds: 8 } })
    expect(planned({ action: 'extend', video: { ...video, seconds: 10.5 } })).toEqual({ refused: 'video' })
    // A video of its own may be longer, and is not sent again.
    const later = { ...edit, source: task, video: { ...video, seconds: 18, width: 1080, height: 1920 } }
    expect(planned(later)).toEqual({ counts: { seconds: 18, size: '1080p' }, seconds: 18, size: '1080x1920' })
    expect(requestBody(later)).toMatchObject({ input: 'A cat', previous_interaction_id: 'v1_a', response_format: { resolution: '1080p' } })
  })

  test.each([
    ['prompt', { prompt: '' }],
    ['seconds', { seconds: 11 }],
    ['seconds', { seconds: 2.5 }],
    ['duration', { extra: { duration: 2 } }],
    ['size', { size: { width: 1000, height: 1000 } }],
    ['resolution', { extra: { resolution: '8k' } }],
    ['camera', { extra: { camera: 'left' } }],
    ['input_reference', { images: [{ url: 'https://pictures.example/a.png' }] }],
    ['input_reference', { images: [inputImage, inputImage] }],
    ['last_frame', { extra: { last_frame: inputImage.url } }],
    ['reference_images', { images: [inputImage], extra: { reference_images: [inputImage.url] } }],
    ['reference_images', { extra: { reference_images: ['https://pictures.example/a.png'] } }],
    ['aspect_ratio', { action: 'extend', source: task, extra: { aspect_ratio: '9:16' } }],
    ['model', { action: 'music' }],
  ] as const)('is refused for %s', (refused, params) => {
    expect(planned(params as Partial<TaskParams>)).toEqual({ refused })
  })

  test('of version 1.2 may be longer', () => {
    expect(omniVideos.plan(taskParamsOf({ model: 'gemini-omni-1.2-flash', seconds: 15 }))).toMatchObject({ seconds: 15 })
    expect(omniVideos.plan(taskParamsOf({ model: 'gemini-omni-1.2-flash', seconds: 16 }))).toEqual({ refused: 'seconds' })
  })
})

test('both types of channel have these models, with a price for every size', () => {
  for (const {
    tasks,
    models: { names: models },
  } of [geminiVendor, veo]) {
    const own = models.filter((name) => name.startsWith('gemini-omni'))
    expect(own.map((name) => taskDialectOf({ tasks: tasks ?? {} }, 'videos', name) === omniVideos)).toEqual([true, true])
  }
  for (const name of ['gemini-omni-1.1-flash', 'gemini-omni-1.2-flash']) {
    const { pictures: images } = defaultPrice(name, { yuanPerDollar: 7, nowMs: 0 }) ?? {}
    expect(Object.keys(images ?? {})).toEqual(['360p', '720p', '1080p', '4k'])
  }
})

describe('a submission', () => {
  const submitted = (json: Parameters<typeof taskResponse>[0], status?: number) =>
    omniVideos.submit(context, taskParamsOf({ model }), [taskResponse(json, status)])

  test('keeps the id of the interaction', () => {
    expect(submitted({ id: 'v1_a', status: 'in_progress', object: 'interaction' })).toMatchObject({ done: { vendorId: 'v1_a' } })
  })

  test('is refused with the reason', () => {
    const message = 'Your request was blocked by our safety policies.'
    expect(submitted({ error: { message, code: 'invalid_request' } }, 400)).toMatchObject({ failed: { code: 'moderation_blocked' } })
    expect(submitted({ error: { message: 'Please pass a valid API key.', code: 400 } }, 400)).toMatchObject({ failed: { kind: 'bad_key' } })
    expect(submitted({})).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a task', () => {
  const polled = (json: Parameters<typeof taskResponse>[0], status?: number) => omniVideos.poll(context, task, [taskResponse(json, status)])
  const steps = (content: object) => [
    { type: 'user_input', content: [{ type: 'text', text: 'A cat' }] },
    { type: 'model_output', content: [{ ...content }] },
  ]

  test('is polled, stopped and deleted by its id', () => {
    expect(requestIn(omniVideos.poll(context, task, []))).toEqual({ method: 'GET', url: `${url}/v1_a`, headers: {} })
    expect(requestIn(omniVideos.cancel?.(context, task, []) ?? { done: 'ended' })).toMatchObject({
      method: 'POST',
      url: `${url}/v1_a/cancel`,
    })
    expect(requestIn(omniVideos.remove?.(context, task, []) ?? { done: true })).toEqual({ method: 'DELETE', url: `${url}/v1_a` })
    for (const [json, status, stopping] of [
      [{ status: 'cancelled' }, 200, 'stopped'],
      [{ status: 'in_progress' }, 200, 'asked'],
      [{ status: 'completed' }, 200, 'ended'],
      [{}, 400, 'ended'],
    ] as const)
      expect(omniVideos.cancel?.(context, task, [taskResponse(json, status)])).toEqual({ done: stopping })
  })

  test.each([
    ['queued', { status: 'queued' }],
    ['in_progress', { status: 'in_progress' }],
    ['in_progress', { status: 'something_new' }],
    ['cancelled', { status: 'cancelled' }],
    ['failed', { status: 'incomplete' }],
    ['failed', { status: 'failed', errors: [{ message: 'broken' }] }],
  ] as const)('is %s', (state, json) => {
    expect(doneIn(polled(json))).toMatchObject({ state })
  })

  test('is completed with the content, or with an address that is valid for two days', () => {
    const data = polled({ status: 'completed', steps: steps({ type: 'video', mime_type: 'video/mp4', data: 'AAAA' }) })
    expect(data).toEqual({
      done: { state: 'completed', progress: 100, results: [{ variant: 'video', base64: 'AAAA', contentType: 'video/mp4' }] },
    })
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/a:download?alt=media'
    expect(doneIn(polled({ status: 'completed', steps: steps({ type: 'video', uri }) }))).toMatchObject({
      results: [{ variant: 'video', url: uri }],
      expiresAt: context.nowMs / 1000 + 172_800,
    })
  })

  test('fails where the response is words in place of a video, and is unknown under a wrong name', () => {
    const words = polled({ status: 'completed', steps: steps({ type: 'text', text: 'I cannot show that.' }) })
    expect(words).toMatchObject({ done: { error: { code: 'moderation_blocked', message: 'I cannot show that.' } } })
    expect(polled({ status: 'completed', steps: [] })).toMatchObject({ done: { error: { code: 'no_result' } } })
    expect(polled({ status: 'failed', error: { message: 'blocked for safety reasons' } })).toMatchObject({
      done: { error: { code: 'moderation_blocked' } },
    })
    expect(polled({ error: { message: 'Invalid interaction name.' } }, 400)).toEqual({ done: null })
    expect(polled({}, 404)).toEqual({ done: null })
    expect(omniVideos.poll(context, task, [page])).toMatchObject({ failed: { kind: 'unavailable' } })
  })

  test('survives every response', () => {
    const odd = oddResponses(
      ['id', 'status', 'steps', 'type', 'content', 'data', 'uri', 'text', 'error', 'errors', 'message'],
      ['completed', 'failed', 'model_output', 'video', 'https://x.example/y', ''],
    )
    fc.assert(fc.property(fc.array(odd, { maxLength: 2 }), (responses) => survives(omniVideos, taskParamsOf({ model }), responses)))
  })
})
