import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { requestIn, runningTask, survives, taskContext, taskParamsOf, taskResponse } from '../../../test/tasks.ts'
import type { Json } from '../../core/json.ts'
import type { RunningTask, TaskParams, TaskResponse, TaskStep } from '../../core/task.ts'
import { taskDialectOf } from '../../registry/task-dialect-of.ts'
import { fluxImageTasks } from './image-tasks.ts'
import { flux } from './vendor.ts'
import { fluxVideos } from './videos.ts'

const context = taskContext('https://api.bfl.ai')
const requestBody = (step: TaskStep<unknown>): unknown => requestIn(step).body
const imageParams = (fields: Partial<TaskParams> = {}): TaskParams => taskParamsOf({ kind: 'pictures', model: 'flux-2-pro', ...fields })
const videoParams = (fields: Partial<TaskParams> = {}): TaskParams => taskParamsOf({ kind: 'videos', model: 'flux-3-video', ...fields })

const inputImage = { url: 'data:image/png;base64,AAAA' }
const link = { url: 'https://pictures.example/a.png' }
const polling = 'https://api.eu2.bfl.ai/v1/get_result?id=t-1'
const task = runningTask({ vendorId: 't-1', memo: { polling_url: polling }, kind: 'pictures', model: 'flux-2-pro' })

const refusal = (dialect: typeof fluxImageTasks, params: TaskParams): string | null => {
  const plan = dialect.plan(params)
  return 'refused' in plan ? plan.refused : null
}

describe('an order of an image', () => {
  test('is sent to the path of its model, with the size that is planned', () => {
    expect(fluxImageTasks.submit(context, imageParams(), [])).toEqual({
      request: {
        method: 'POST',
        url: 'https://api.bfl.ai/v1/flux-2-pro',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'A cat', width: 1024, height: 1024 }),
      },
    })
    expect(fluxImageTasks.plan(imageParams())).toEqual({ counts: { credits: 3 }, size: '1024x1024' })
  })

  test('sends images as base64 or as addresses, and what only this vendor has', () => {
    const extra = { seed: 7, safety_tolerance: 5, output_format: 'webp', disable_pup: true }
    const params = imageParams({ action: 'edit', images: [inputImage, link], size: { width: 1920, height: 1072 }, extra })
    expect(refusal(fluxImageTasks, params)).toBeNull()
    expect(requestBody(fluxImageTasks.submit(context, params, []))).toEqual({
      prompt: 'A cat',
      width: 1920,
      height: 1072,
      input_image: 'AAAA',
      input_image_2: 'https://pictures.example/a.png',
      ...extra,
    })
  })

  test('keeps the size of the image that it changes, unless it names one', () => {
    expect(requestBody(fluxImageTasks.submit(context, imageParams({ action: 'edit', images: [inputImage] }), []))).toEqual({
      prompt: 'A cat',
      input_image: 'AAAA',
    })
  })

  test('has the nearest ratio, where the model takes no pixels', () => {
    const ratioOf = (model: string, width: number, height: number) =>
      requestBody(fluxImageTasks.submit(context, imageParams({ model, size: { width, height } }), []))
    expect(ratioOf('flux-kontext-pro', 1024, 1536)).toEqual({ prompt: 'A cat', aspect_ratio: '2:3' })
    expect(ratioOf('flux-pro-1.1-ultra', 1792, 1024)).toEqual({ prompt: 'A cat', aspect_ratio: '16:9' })
  })

  test('has a mask as base64, where the model paints within it', () => {
    const params = imageParams({
      model: 'flux-pro-1.0-fill',
      action: 'edit',
      images: [inputImage],
      extra: { mask: 'data:image/png;base64,BBBB' },
    })
    expect(requestBody(fluxImageTasks.submit(context, params, []))).toEqual({ prompt: 'A cat', image: 'AAAA', mask: 'BBBB' })
    expect(refusal(fluxImageTasks, params)).toBeNull()
  })

  test.each([
    ['a model without a price', { model: 'flux-9' }, 'model'],
    ['an unknown parameter', { extra: { steps: 3 } }, 'steps'],
    ['a name that every object has', { extra: { constructor: 1 } }, 'constructor'],
    ['a wrong type', { extra: { seed: '7' } }, 'seed'],
    ['more tolerance than the model has', { extra: { safety_tolerance: 6 } }, 'safety_tolerance'],
    ['a webhook', { extra: { webhook_url: 'https://a.example' } }, 'webhook_url'],
    ['sides that are no multiples', { size: { width: 1920, height: 1080 } }, 'size'],
    ['too many pixels', { size: { width: 4096, height: 4096 } }, 'size'],
    ['a size of a model that keeps it', { model: 'flux-pro-1.0-fill', images: [inputImage], size: { width: 64, height: 64 } }, 'size'],
    ['a size and a ratio', { model: 'flux-kontext-pro', size: { width: 64, height: 64 }, extra: { aspect_ratio: '1:1' } }, 'aspect_ratio'],
    ['a ratio beyond 21:9', { model: 'flux-kontext-pro', extra: { aspect_ratio: '3:1' } }, 'aspect_ratio'],
    ['an edit without a picture', { action: 'edit' }, 'image'],
    ['a fill without a picture', { model: 'flux-pro-1.0-fill' }, 'image'],
    ['too many pictures', { model: 'flux-2-klein-4b', images: [inputImage, inputImage, inputImage, inputImage, inputImage] }, 'image'],
    ['an address where only content is taken', { model: 'flux-pro-1.0-fill', images: [link] }, 'image'],
    ['a mask as an address', { model: 'flux-pro-1.0-fill', images: [inputImage], extra: { mask: 'https://a.example/m.png' } }, 'mask'],
    ['a mask of a model that has none', { images: [inputImage], extra: { mask: 'data:image/png;base64,BBBB' } }, 'mask'],
  ] as const)('is refused by name: %s', (_, fields, name) => {
    expect(refusal(fluxImageTasks, imageParams(fields))).toBe(name)
  })

  test.each([
    ['flux-2-pro', { size: { width: 1920, height: 1072 } }, 4.5],
    ['flux-2-pro', { size: { width: 1024, height: 1024 }, images: [inputImage] }, 9],
    ['flux-2-pro', { images: [inputImage] }, 13.5],
    ['flux-2-max', { size: { width: 2048, height: 2048 } }, 16],
    ['flux-2-flex', {}, 5],
    ['flux-2-klein-9b', { size: { width: 1440, height: 1440 } }, 1.7],
    ['flux-2-klein-4b', {}, 1.4],
    ['flux-kontext-max', {}, 8],
    ['flux-kontext-pro', { images: [inputImage, inputImage] }, 4],
    ['flux-pro-1.1-ultra', {}, 6],
    ['flux-pro-1.1', {}, 4],
    ['flux-dev', {}, 2.5],
    ['flux-pro-1.0-fill', { images: [inputImage] }, 5],
    ['flux-pro-1.0-expand', { images: [inputImage], extra: { top: 64 } }, 5],
  ] as const)('%s with %j costs %d credits', (model, fields, credits) => {
    expect(fluxImageTasks.plan(imageParams({ model, ...fields }))).toMatchObject({ counts: { credits } })
  })
})

describe('an order of a video', () => {
  test('is sent with the length that is planned', () => {
    expect(fluxVideos.plan(videoParams())).toEqual({ counts: { credits: 85 }, seconds: 5 })
    expect(requestBody(fluxVideos.submit(context, videoParams(), []))).toEqual({
      mode: 't2v',
      prompt: 'A cat',
      duration: 5,
      resolution: 'hd',
    })
  })

  test('has its size as resolution and ratio, and its images as frames', () => {
    const extra = { generate_audio: false, safety_tolerance: 4 }
    const params = videoParams({ seconds: 20, size: { width: 1080, height: 1920 }, images: [inputImage, link], extra })
    expect(fluxVideos.plan(params)).toEqual({ counts: { credits: 580 }, seconds: 20, size: '1080x1920' })
    expect(requestBody(fluxVideos.submit(context, params, []))).toEqual({
      ...extra,
      mode: 'i2v',
      prompt: 'A cat',
      duration: 20,
      resolution: 'fhd',
      aspect_ratio: '9:16',
      keyframes: ['AAAA', 'https://pictures.example/a.png'],
    })
  })

  test('continues a video at the price of that', () => {
    const params = videoParams({ seconds: 6, extra: { start_video: 'https://videos.example/a.mp4' } })
    expect(fluxVideos.plan(params)).toMatchObject({ counts: { credits: 258 } })
    expect(requestBody(fluxVideos.submit(context, params, []))).toMatchObject({ mode: 'v2v', start_video: 'https://videos.example/a.mp4' })
    expect(fluxVideos.plan(videoParams({ extra: { draft: true } }))).toMatchObject({ counts: { credits: 30 } })
  })

  test('leaves out what is null', () => {
    const params = videoParams({ extra: { start_video: null, draft: null } })
    expect(fluxVideos.plan(params)).toEqual({ counts: { credits: 85 }, seconds: 5 })
    expect(requestBody(fluxVideos.submit(context, params, []))).toMatchObject({ mode: 't2v' })
  })

  test('has frames at their seconds', () => {
    const extra = { keyframes: [[0, 'AAAA'] as const, [3.5, 'BBBB'] as const] }
    expect(requestBody(fluxVideos.submit(context, videoParams({ extra }), []))).toMatchObject({ mode: 'i2v', ...extra })
    expect(refusal(fluxVideos, videoParams({ extra }))).toBeNull()
  })

  test.each([
    ['too short', { seconds: 4 }, 'seconds'],
    ['too long', { seconds: 21 }, 'seconds'],
    ['a part of a second', { seconds: 5.5 }, 'seconds'],
    ['too long a continuation', { seconds: 16, extra: { start_video: 'a' } }, 'seconds'],
    ['too large', { size: { width: 3840, height: 2160 } }, 'size'],
    ['a size and a resolution', { size: { width: 1280, height: 720 }, extra: { resolution: 'hd' } }, 'resolution'],
    ['a size and a ratio', { size: { width: 1280, height: 720 }, extra: { aspect_ratio: '1:1' } }, 'aspect_ratio'],
    ['a resolution without a price', { extra: { resolution: 'uhd' } }, 'resolution'],
    ['a large draft', { extra: { draft: true, resolution: 'fhd' } }, 'draft'],
    ['pictures and frames', { images: [inputImage], extra: { keyframes: ['a'] } }, 'keyframes'],
    ['pictures and a video', { images: [inputImage], extra: { start_video: 'a' } }, 'input_reference'],
    ['frames and a video', { extra: { keyframes: 'a', start_video: 'a' } }, 'keyframes'],
    ['odd frames', { extra: { keyframes: [[0, 'a'], 'b'] } }, 'keyframes'],
    ['an unknown parameter', { extra: { seed: 1 } }, 'seed'],
  ] as const)('is refused by name: %s', (_, fields, name) => {
    // Holds: the lists of these rows are read only.
    expect(refusal(fluxVideos, videoParams(fields as Partial<TaskParams>))).toBe(name)
  })
})

describe('a response to an order', () => {
  const submit = (response: TaskResponse) => fluxImageTasks.submit(context, imageParams(), [response])

  test('names the task, where it is polled, and its cost', () => {
    const result = submit(taskResponse({ id: 't-1', polling_url: polling, cost: 4.5, output_mp: 1.98 }))
    expect(result).toEqual({ done: { vendorId: 't-1', memo: { polling_url: polling }, counts: { credits: 4.5 } } })
    for (const cost of [null, -1, 0, '3', 1e9])
      expect(submit(taskResponse({ id: 't-1', cost }))).toEqual({ done: { vendorId: 't-1', memo: { polling_url: '' } } })
  })

  test.each([
    [402, 'Insufficient credits', 'no_quota'],
    [403, 'Not authenticated', 'bad_key'],
    [403, 'Forbidden here', 'forbidden'],
    [422, 'wrong', 'bad_request'],
    [429, 'Too many active tasks', 'rate_limited'],
    [500, 'broken', 'unavailable'],
  ] as const)('with status %d and "%s" is %s', (status, detail, kind) => {
    expect(submit(taskResponse({ detail }, status))).toMatchObject({ failed: { kind, message: detail } })
  })

  test('without an id is a failure', () => {
    expect(submit(taskResponse({ id: 1 }))).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a task', () => {
  const poll = (response: TaskResponse, dialect = fluxImageTasks) => dialect.poll(context, task, [response])

  test('is polled at the address that the vendor named, with its id', () => {
    const urlFor = (memo: RunningTask['memo']) => fluxImageTasks.poll(context, { ...task, memo }, [])
    const get = (url: string) => ({ request: { method: 'GET' as const, url, headers: {} } })
    expect(urlFor({ polling_url: polling })).toEqual(get(polling))
    expect(urlFor({ polling_url: 'https://api.us.bfl.ai/v1/get_result' })).toEqual(get('https://api.us.bfl.ai/v1/get_result?id=t-1'))
    expect(urlFor({ polling_url: 'https://api.us.bfl.ai/v1/r?a=1' })).toEqual(get('https://api.us.bfl.ai/v1/r?a=1&id=t-1'))
    expect(urlFor({})).toEqual(get('https://api.bfl.ai/v1/get_result?id=t-1'))
    expect(urlFor({ polling_url: 'file:///a' })).toEqual(get('https://api.bfl.ai/v1/get_result?id=t-1'))
  })

  test('that is done has a link for ten minutes, and its cost', () => {
    const json = { id: 't-1', status: 'Ready', result: { sample: 'https://delivery.example/a.jpeg' }, cost: 3 }
    const report = {
      state: 'completed',
      progress: 100,
      expiresAt: context.nowMs / 1000 + 600,
      data: json,
      counts: { credits: 3 },
    }
    const url = 'https://delivery.example/a.jpeg'
    expect(poll(taskResponse(json))).toEqual({ done: { ...report, results: [{ variant: 'image', url }] } } as never)
    expect(poll(taskResponse(json), fluxVideos)).toMatchObject({ done: { results: [{ variant: 'video', url }] } })
  })

  test.each([
    ['Pending', 'queued'],
    ['Generating', 'in_progress'],
    ['Something new', 'in_progress'],
  ] as const)('with the state %s is %s', (status, state) => {
    expect(poll(taskResponse({ status, progress: 0.4 }))).toEqual({ done: { state, progress: 40 } })
    expect(poll(taskResponse({ state: status, progress: 7 }))).toEqual({ done: { state } })
  })

  test('that is moderated fails with the reasons', () => {
    const response = taskResponse({ status: 'Request Moderated', details: { 'Moderation Reasons': ['Violence', 3, 'Self Harm'] } })
    const error = { code: 'moderation_blocked', message: 'Request Moderated: Violence, Self Harm' }
    expect(poll(response)).toEqual({ done: { state: 'failed', error } })
    expect(poll(taskResponse({ status: 'Content Moderated' }))).toMatchObject({ done: { error: { message: 'Content Moderated' } } })
  })

  test('that failed has the words of the vendor', () => {
    expect(poll(taskResponse({ status: 'Error', details: { error: 'worker crashed' } }))).toMatchObject({
      done: { state: 'failed', error: { code: 'task_failed', message: 'worker crashed' } },
    })
    expect(poll(taskResponse({ status: 'Ready', result: {} }))).toMatchObject({ done: { state: 'failed', error: { code: 'no_result' } } })
  })

  test('that the vendor does not know is unknown', () => {
    expect(poll(taskResponse({ status: 'Task not found' }))).toEqual({ done: null })
    expect(poll(taskResponse({ detail: 'no' }, 404))).toEqual({ done: null })
  })

  test('has a result for any response', () => {
    // Holds: these are JSON values.
    const responses = fc.tuple(fc.constantFrom(200, 400, 404), fc.jsonValue()).map(([status, json]) => taskResponse(json as Json, status))
    const named = fc
      .record({
        id: fc.jsonValue(),
        status: fc.constantFrom('Ready', 'Error', 'Request Moderated'),
        result: fc.jsonValue(),
        details: fc.jsonValue(),
      })
      .map((json) => taskResponse(json as Json))
    fc.assert(
      fc.property(fc.oneof(responses, named), (response) => {
        expect(survives(fluxImageTasks, imageParams(), [response])).toBe(true)
        expect(survives(fluxVideos, videoParams(), [response])).toBe(true)
      }),
    )
  })
})

test('each model of the record has an order that is accepted', () => {
  // What changes a video needs one.
  for (const model of flux.models.names.filter((name) => name !== 'flux-video-edit')) {
    const kind = model.includes('video') ? 'videos' : 'pictures'
    const dialect = taskDialectOf(flux, kind, model)
    const images = model.startsWith('flux-pro-1.0') ? [inputImage] : []
    expect([model, dialect?.plan(taskParamsOf({ kind, model, images }))]).toEqual([
      model,
      expect.objectContaining({ counts: expect.anything() }),
    ])
    expect(taskDialectOf(flux, kind === 'videos' ? 'pictures' : 'videos', model)).toBeNull()
  }
})
