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
import type { TaskParams, TaskRequest, TaskResponse } from '../../core/task.ts'
import { taskDialectOf } from '../../registry/task-dialect-of.ts'
import { azure } from '../../vendors/azure/vendor.ts'
import { azureVideos } from '../../vendors/azure/videos.ts'
import { custom } from '../../vendors/custom/vendor.ts'
import { openaiVendor } from '../../vendors/openai/vendor.ts'
import { openaiVideos } from './videos.ts'

const context = taskContext('https://api.openai.com')
const taskParams = (fields: Partial<TaskParams> = {}): TaskParams => taskParamsOf({ model: 'sora-2', ...fields })
const task = runningTask({ model: 'sora-2', vendorId: 'video_1' })
const headers = { 'content-type': 'application/json', 'idempotency-key': 'order-1' }
const inputImage = { url: 'data:image/png;base64,AAAA' }
const video = {
  file: { name: 'video', fileName: 'cat.mp4', contentType: 'video/mp4', bytes: new Uint8Array([1, 2, 3]) },
  seconds: 5.4,
  width: 1280,
  height: 720,
}

function refusal(fields: Partial<TaskParams>, dialect = openaiVideos): string | null {
  const plan = dialect.plan(taskParams(fields))
  return 'refused' in plan ? plan.refused : null
}

/** The request of a step as it is. */
function requestOf(step: ReturnType<typeof openaiVideos.submit>): TaskRequest {
  if (!('request' in step)) throw new Error(JSON.stringify(step))
  return step.request
}

test('a character is made of a video, and known by its id', () => {
  const createCharacter = (responses: readonly TaskResponse[]) =>
    openaiVideos.createCharacter?.(context, { name: 'Luna', video }, responses)
  const first = createCharacter([])
  if (first === undefined || !('request' in first)) throw new Error('nothing is asked')
  expect(first.request).toMatchObject({ method: 'POST', url: 'https://api.openai.com/v1/videos/characters' })
  expect(new TextDecoder().decode(first.request.body as Uint8Array)).toContain('name="name"\r\n\r\nLuna')
  expect(createCharacter([taskResponse({ id: 'char_1', name: 'Luna', created_at: 1 })])).toEqual({ done: 'char_1' })
  expect(createCharacter([taskResponse({ id: null })])).toMatchObject({ failed: { kind: 'unavailable' } })
  expect(createCharacter([taskResponse({ error: { message: 'no', type: 'invalid_request_error' } }, 400)])).toMatchObject({
    failed: { kind: 'bad_request' },
  })
})

describe('a task request', () => {
  test('with a prompt alone has the length and the size that OpenAI documents', () => {
    expect(requestIn(openaiVideos.submit(context, taskParams(), []))).toEqual({
      method: 'POST',
      url: 'https://api.openai.com/v1/videos',
      headers,
      body: { model: 'sora-2', prompt: 'A cat' },
    })
    expect(openaiVideos.plan(taskParams())).toEqual({ counts: { seconds: 4, size: '720p' }, seconds: 4, size: '720x1280' })
  })

  test('with everything is sent as OpenAI writes it', () => {
    const full = taskParams({ model: 'sora-2-pro', seconds: 12, size: { width: 1792, height: 1024 }, images: [inputImage] })
    expect(requestIn(openaiVideos.submit(context, full, [])).body).toEqual({
      model: 'sora-2-pro',
      prompt: 'A cat',
      seconds: '12',
      size: '1792x1024',
      input_reference: { image_url: 'data:image/png;base64,AAAA' },
    })
    expect(openaiVideos.plan(full)).toEqual({ counts: { seconds: 12, size: '1024p' }, seconds: 12, size: '1792x1024' })
    // The smaller model has no price for it.
    expect(openaiVideos.plan({ ...full, model: 'sora-2' })).toEqual({ refused: 'size' })
  })

  test.each([
    ['remix', '/v1/videos/video_1/remix', { prompt: 'A cat' }],
    ['edit', '/v1/videos/edits', { prompt: 'A cat', video: { id: 'video_1' } }],
    ['extend', '/v1/videos/extensions', { prompt: 'A cat', video: { id: 'video_1' }, seconds: '8' }],
  ] as const)('to %s names the earlier video', (action, path, body) => {
    expect(requestIn(openaiVideos.submit(context, taskParams({ action, source: task, seconds: 8 }), []))).toEqual({
      method: 'POST',
      url: `https://api.openai.com${path}`,
      headers,
      body,
    })
  })

  test('for a video is a form with it, and costs its length and size', () => {
    const changed = taskParams({ action: 'edit', video })
    const { url, headers: requestHeaders, body } = requestOf(openaiVideos.submit(context, changed, []))
    expect([url, requestHeaders?.['content-type']]).toEqual([
      'https://api.openai.com/v1/videos/edits',
      'multipart/form-data; boundary=form-request-1',
    ])
    const text = new TextDecoder().decode(body as Uint8Array)
    expect(text).toContain('name="video"; filename="cat.mp4"\r\ncontent-type: video/mp4')
    expect(text).toContain('name="prompt"\r\n\r\nA cat')
    expect(openaiVideos.plan(changed)).toEqual({ counts: { seconds: 6, size: '720p' }, seconds: 6, size: '1280x720' })
    expect(openaiVideos.plan(taskParams({ action: 'extend', video, seconds: 8 }))).toMatchObject({
      counts: { seconds: 8 },
      size: '1280x720',
    })
    for (const [fields, refused] of [
      [{ size: { width: 1280, height: 720 } }, 'size'],
      [{ seconds: 6 }, 'seconds'],
      [{ video: { ...video, seconds: 20.5 } }, 'video'],
      [{ video: { ...video, width: 640 } }, 'video'],
    ] as const)
      expect(refusal({ action: 'edit', video, ...fields })).toBe(refused)
    expect(openaiVideos.videoActions).toEqual(['edit', 'extend'])
  })

  test('names the characters of the vendor, and only a new video has any', () => {
    const extra = { characters: [{ id: 'char_1' }] }
    expect(requestIn(openaiVideos.submit(context, taskParams({ extra }), [])).body).toEqual({ model: 'sora-2', prompt: 'A cat', ...extra })
    expect(refusal({ action: 'edit', source: task, extra })).toBe('characters')
  })

  test.each([
    ['a size without a price', { size: { width: 640, height: 480 } }, 'size'],
    ['no length', { seconds: 0 }, 'seconds'],
    ['a part of a second', { seconds: 4.5 }, 'seconds'],
    ['too long', { seconds: 21 }, 'seconds'],
    ['a length that no Sora makes', { seconds: 10 }, 'seconds'],
    ['a length of an extension that no Sora makes', { action: 'extend', source: task, seconds: 6 }, 'seconds'],
    ['two pictures', { images: [inputImage, inputImage] }, 'input_reference'],
    ['a parameter of another vendor', { extra: { seed: 1 } }, 'seed'],
  ] as const)('is refused by name: %s', (_, fields, name) => {
    expect(refusal(fields)).toBe(name)
  })
})

test('the lengths of Sora are those that OpenAI and Azure document, and other models have any up to 20 seconds', () => {
  const taken = (fields: Partial<TaskParams>, dialect = openaiVideos): readonly number[] =>
    Array.from({ length: 25 }, (_, index) => index + 1).filter((seconds) => refusal({ ...fields, seconds }, dialect) === null)
  const extension = { action: 'extend', source: task } as const
  for (const model of ['sora-2', 'sora-2-pro', 'sora-2-2025-12-08']) {
    expect(taken({ model })).toEqual([4, 8, 12, 16, 20])
    expect(taken({ model, ...extension })).toEqual([4, 8, 12, 16, 20])
  }
  expect(taken({ model: 'my-deployment' }, azureVideos)).toEqual([4, 8, 12])
  expect(taken({ model: 'my-deployment', ...extension }, azureVideos)).toEqual([4, 8, 12, 16, 20])
  expect(taken({ model: 'a-film-model' })).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  // What is changed keeps the length that it has.
  expect(refusal({ action: 'remix', source: task, seconds: 10 })).toBeNull()
})

describe('a response to a task request', () => {
  const submit = (...responses: Parameters<typeof taskResponse>) => openaiVideos.submit(context, taskParams(), [taskResponse(...responses)])

  test('has the id and what is known already', () => {
    const video = { id: 'video_1', status: 'queued', progress: 0 }
    expect(doneIn(submit(video))).toEqual({ vendorId: 'video_1', memo: {}, report: { state: 'queued', progress: 0, data: video } })
  })

  test('that is an error is classified', () => {
    expect(submit({ error: { code: 'moderation_blocked', message: 'no' } }, 400)).toMatchObject({
      failed: { kind: 'bad_request', message: 'no' },
    })
    expect(submit({ error: { code: 'invalid_api_key', message: 'no' } }, 401)).toMatchObject({ failed: { kind: 'bad_key' } })
    expect(submit({ error: { code: 'rate_limit_exceeded', message: 'no' } }, 429)).toMatchObject({ failed: { kind: 'rate_limited' } })
  })

  test('without an id is a failure', () => {
    for (const body of [{}, { id: '' }, { id: 1 }, []]) expect(submit(body)).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(openaiVideos.submit(context, taskParams(), [page])).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a task', () => {
  const polled = (...responses: Parameters<typeof taskResponse>) => doneIn(openaiVideos.poll(context, task, [taskResponse(...responses)]))

  test('is polled and deleted by its id', () => {
    expect(requestIn(openaiVideos.poll(context, task, []))).toEqual({
      method: 'GET',
      url: 'https://api.openai.com/v1/videos/video_1',
      headers: {},
    })
    expect(openaiVideos.remove?.(context, task, [])).toEqual({
      request: { method: 'DELETE', url: 'https://api.openai.com/v1/videos/video_1' },
    })
    expect(openaiVideos.remove?.(context, task, [taskResponse({}, 404)])).toEqual({ done: true })
    expect(openaiVideos.remove?.(context, task, [taskResponse({}, 403)])).toMatchObject({ failed: { kind: 'forbidden' } })
  })

  test.each([
    [{ object: 'event', type: 'video.completed', data: { id: 'video_1' } }, 'video_1'],
    [{ type: 'video.failed', data: {} }, null],
    [{ type: 'video.failed', data: { id: 7 } }, null],
    [[], null],
  ])('is named by the message %j as %j', (message, id) => {
    expect(openaiVideos.taskIdIn?.(message)).toBe(id)
  })

  test('that is done has its content, its images and its length', () => {
    const video = { id: 'video_1', status: 'completed', progress: 100, seconds: '8', expires_at: 1_800_000_000 }
    const url = 'https://api.openai.com/v1/videos/video_1/content'
    expect(polled(video)).toEqual({
      state: 'completed',
      progress: 100,
      data: video,
      results: [
        { variant: 'video', url },
        { variant: 'thumbnail', url: `${url}?variant=thumbnail` },
        { variant: 'spritesheet', url: `${url}?variant=spritesheet` },
      ],
      counts: { seconds: 8 },
      expiresAt: 1_800_000_000,
    })
    for (const seconds of ['x', -1, 0, 1e9, null]) expect(polled({ ...video, seconds })).not.toHaveProperty('counts')
  })

  test('that extends a video is charged for what it adds, not for the whole length', () => {
    const response = taskResponse({ id: 'video_2', status: 'completed', seconds: '20' })
    const extension = runningTask({ model: 'sora-2', vendorId: 'video_2', action: 'extend' })
    expect(doneIn(openaiVideos.poll(context, extension, [response]))).not.toHaveProperty('counts')
    expect(openaiVideos.plan(taskParams({ action: 'extend', source: task, seconds: 8 }))).toMatchObject({ counts: { seconds: 8 } })
  })

  test('in an unknown state is in progress', () => {
    expect(polled({ status: 'dreaming', progress: 400 })).toEqual({ state: 'in_progress', data: { status: 'dreaming', progress: 400 } })
  })

  test('that failed has the code and the words of OpenAI', () => {
    const error = { code: 'moderation_blocked', message: 'Your request was blocked.' }
    expect(polled({ status: 'failed', error })).toMatchObject({ state: 'failed', error })
    expect(polled({ status: 'failed', error: null })).toMatchObject({
      error: { code: 'task_failed', message: 'the upstream service gave no reason' },
    })
  })

  test('that the server does not know is unknown', () => {
    expect(polled({ error: { message: 'no' } }, 404)).toBeNull()
  })

  test('has a result for any response', () => {
    const responses = oddResponses(
      ['id', 'status', 'progress', 'error', 'seconds', 'expires_at', 'code'],
      ['completed', 'failed', 'video_1'],
    )
    fc.assert(
      fc.property(responses, (response) => {
        expect(survives(openaiVideos, taskParams(), [response])).toBe(true)
        expect(survives(azureVideos, taskParams(), [response])).toBe(true)
      }),
    )
  })
})

describe('at Azure', () => {
  test('a task request is sent to the interface without versions', () => {
    for (const baseUrl of ['https://r.openai.azure.com', 'https://r.openai.azure.com/', 'https://r.openai.azure.com/openai/v1'])
      expect(requestIn(azureVideos.submit(taskContext(baseUrl), taskParams({ seconds: 8 }), []))).toEqual({
        method: 'POST',
        url: 'https://r.openai.azure.com/openai/v1/videos',
        headers,
        body: { model: 'sora-2', prompt: 'A cat', seconds: '8' },
      })
    expect(requestIn(azureVideos.poll(taskContext('https://r.openai.azure.com'), task, [])).url).toBe(
      'https://r.openai.azure.com/openai/v1/videos/video_1',
    )
  })

  test('an image is sent as a file of a form', () => {
    const { request } = azureVideos.submit(
      taskContext('https://r.openai.azure.com'),
      taskParams({ seconds: 8, images: [inputImage] }),
      [],
    ) as {
      request: { headers: Record<string, string>; body: Uint8Array }
    }
    expect(request.headers['content-type']).toStartWith('multipart/form-data; boundary=')
    const text = new TextDecoder('latin1').decode(request.body)
    for (const part of ['name="prompt"\r\n\r\nA cat\r\n', 'name="seconds"\r\n\r\n8\r\n', 'name="input_reference"; filename="picture.png"'])
      expect(text).toContain(part)
    expect(text).toContain('content-type: image/png\r\n\r\n\u0000\u0000\u0000\r\n')
    expect(refusal({ images: [{ url: 'https://a.example/a.png' }] }, azureVideos)).toBe('input_reference')
    expect(refusal({ images: [inputImage] }, azureVideos)).toBeNull()
  })

  test('and at OpenAI and custom channels, models have videos', () => {
    expect(taskDialectOf(azure, 'videos', 'sora-2')).toBe(azureVideos)
    expect(taskDialectOf(azure, 'videos', 'gpt-5')).toBeNull()
    for (const vendor of [openaiVendor, custom]) expect(taskDialectOf(vendor, 'videos', 'any')).toBe(openaiVideos)
  })
})
