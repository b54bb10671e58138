import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { oddResponses, page, requestIn, runningTask, survives, taskContext, taskParamsOf, taskResponse } from '../../../test/tasks.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TaskParams } from '../../core/task.ts'
import { defaultPrice } from '../../registry/models/prices.ts'
import { pixverse } from './vendor.ts'
import { pixverseVideos } from './videos.ts'

const base = 'https://app-api.pixverse.ai'
const context = taskContext(base)
const web = { url: 'https://pictures.example/cat.png' }
const bytes = new Uint8Array([65, 80, 78, 71])
const file = { file: { name: 'input_reference', fileName: 'cat.png', contentType: 'image/png', bytes } }
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/

const taskParamsFor = (params: Partial<TaskParams>) => taskParamsOf({ model: 'pixverse-v6', ...params })
const step = (params: Partial<TaskParams>, ...responses: ReadonlyArray<ReturnType<typeof taskResponse>>) =>
  pixverseVideos.submit(context, taskParamsFor(params), responses)
const planned = (params: Partial<TaskParams>) => pixverseVideos.plan(taskParamsFor(params))
const success = (Resp: JsonObject) => taskResponse({ ErrCode: 0, ErrMsg: 'Success', Resp })
const error = (ErrCode: number, ErrMsg = 'no') => taskResponse({ ErrCode, ErrMsg, Resp: null })

describe('an order', () => {
  test('names the webhook of the channel, whose id is a number', () => {
    const at = (other: string) => requestIn(pixverseVideos.submit({ ...context, other }, taskParamsFor({}), [])).body
    expect(at('')).not.toHaveProperty('webhook_id')
    expect(at('12345')).toMatchObject({ webhook_id: 12345 })
    expect(at('wh_1')).toMatchObject({ webhook_id: 'wh_1' })
    expect(at('9007199254740993123')).toMatchObject({ webhook_id: '9007199254740993123' })
  })

  test('without parameters is sent with all that its price depends on', () => {
    const { headers, ...request } = requestIn(step({}))
    expect(request).toEqual({
      method: 'POST',
      url: `${base}/openapi/v2/video/text/generate`,
      body: { prompt: 'A cat', model: 'v6', duration: 5, quality: '720p', aspect_ratio: '16:9' },
    })
    expect(headers).toEqual({ 'content-type': 'application/json', 'ai-trace-id': expect.stringMatching(uuid) })
    expect(planned({})).toEqual({ counts: { credits: 45 }, seconds: 5, size: '1280x720' })
  })

  test('with all parameters is sent with all of them', () => {
    const extra = {
      negative_prompt: 'dogs',
      seed: 3,
      style: 'clay',
      water_mark: false,
      generate_audio_switch: true,
      generate_multi_clip_switch: true,
      thinking_type: 'auto',
    }
    const params = { seconds: 15, size: { width: 1080, height: 1920 }, extra }
    expect(requestIn(step(params)).body).toEqual({
      prompt: 'A cat',
      model: 'v6',
      duration: 15,
      quality: '1080p',
      aspect_ratio: '9:16',
      ...extra,
    })
    expect(planned(params)).toEqual({ counts: { credits: 345 }, seconds: 15, size: '1080x1920' })
  })

  test('takes the parameters of the vendor in place of those of OpenAI', () => {
    const extra = { quality: '540p', duration: 8, aspect_ratio: '3:4', motion_mode: 'normal' }
    const { body } = requestIn(step({ model: 'v4.5', extra }))
    expect(body).toEqual({ prompt: 'A cat', model: 'v4.5', duration: 8, quality: '540p', aspect_ratio: '3:4', motion_mode: 'normal' })
    expect(planned({ model: 'v4.5', extra })).toEqual({ counts: { credits: 90 }, seconds: 8, size: '540x720' })
  })

  test('that is repeated has the same trace, and another order another', () => {
    const traceOf = (key: string) =>
      requestIn(pixverseVideos.submit({ ...context, idempotencyKey: key }, taskParamsFor({}), [])).headers?.['ai-trace-id']
    expect(traceOf('one')).toBe(traceOf('one') ?? '')
    expect(traceOf('one')).not.toBe(traceOf('two') ?? '')
    expect(pixverseVideos.isRepeatable).toBe(true)
  })

  test('with an image sends the image first, with a trace of its own', () => {
    const { method, url, headers, body } = requestIn(step({ images: [file] }))
    expect([method, url]).toEqual(['POST', `${base}/openapi/v2/image/upload`])
    expect(headers?.['content-type']).toBe('multipart/form-data; boundary=form-request-1')
    const text = new TextDecoder().decode(body as Uint8Array)
    expect(text).toContain('name="image"; filename="cat.png"\r\ncontent-type: image/png\r\n\r\nAPNG\r\n')
    const request = requestIn(step({ images: [file] }, success({ img_id: 12, img_url: 'https://x.example' })))
    expect(request.url).toBe(`${base}/openapi/v2/video/img/generate`)
    expect(request.body).toEqual({ img_id: 12, prompt: 'A cat', model: 'v6', duration: 5, quality: '720p' })
    expect(request.headers?.['ai-trace-id']).not.toBe(headers?.['ai-trace-id'] ?? '')
    expect(planned({ images: [file], size: { width: 720, height: 1280 } })).toEqual({
      counts: { credits: 45 },
      seconds: 5,
      size: '720x1280',
    })
  })

  test('with the address of an image sends the address, or what a data address holds', () => {
    const uploadText = (url: string) => new TextDecoder().decode(requestIn(step({ images: [{ url }] })).body as Uint8Array)
    expect(uploadText(web.url)).toContain(`name="image_url"\r\n\r\n${web.url}\r\n`)
    expect(uploadText('data:image/webp;base64,QUJD')).toContain('name="image"; filename="image"\r\ncontent-type: image/webp\r\n\r\nABC\r\n')
  })

  test('that continues a video names it, and has a seed of its own or that of the client', () => {
    const source = runningTask({ model: 'pixverse-v6', vendorId: '322878269109312' })
    const params = { action: 'extend', source, seconds: 8, size: { width: 1920, height: 1080 } } as const
    const { url, body } = requestIn(step(params))
    expect(url).toBe(`${base}/openapi/v2/video/extend/generate`)
    expect(body).toEqual({
      source_video_id: 322878269109312,
      seed: expect.any(Number),
      prompt: 'A cat',
      model: 'v6',
      duration: 8,
      quality: '1080p',
    })
    expect(planned(params)).toEqual({ counts: { credits: 144 }, seconds: 8, size: '1920x1080' })
    const other = runningTask({ model: 'pixverse-v6', vendorId: '4-WandVideo-4b' })
    expect(requestIn(step({ ...params, source: other, extra: { seed: 3 } })).body).toMatchObject({
      source_video_id: '4-WandVideo-4b',
      seed: 3,
    })
  })

  test.each<[string, Partial<TaskParams>]>([
    ['video', { action: 'extend' }],
    ['model', { action: 'extend', model: 'c1', source: runningTask({ model: 'c1' }) }],
    ['input_reference', { action: 'extend', images: [web], source: runningTask({ model: 'v6' }) }],
    ['aspect_ratio', { action: 'extend', extra: { aspect_ratio: '16:9' }, source: runningTask({ model: 'v6' }) }],
    ['generate_audio_switch', { action: 'extend', extra: { generate_audio_switch: true }, source: runningTask({ model: 'v6' }) }],
    ['model', { model: 'pixverse-v9' }],
    ['model', { model: 'constructor' }],
    ['prompt', { prompt: '' }],
    ['seconds', { seconds: 16 }],
    ['seconds', { seconds: 2.5 }],
    ['seconds', { model: 'v5.6', seconds: 6 }],
    ['seconds', { model: 'v3.5', seconds: 8, size: { width: 1920, height: 1080 } }],
    ['seconds', { model: 'v5.5', seconds: 10, size: { width: 1920, height: 1080 } }],
    ['seconds', { model: 'v5', seconds: 10 }],
    ['seconds', { model: 'v4', seconds: 8, extra: { motion_mode: 'fast' } }],
    ['duration', { seconds: 5, extra: { duration: 8 } }],
    ['duration', { extra: { duration: 99 } }],
    ['motion_mode', { model: 'v4', extra: { motion_mode: 'fast', quality: '1080p' } }],
    ['motion_mode', { extra: { motion_mode: 'normal' } }],
    ['size', { size: { width: 1024, height: 1792 } }],
    ['size', { model: 'v5', size: { width: 1080, height: 720 } }],
    ['quality', { extra: { quality: '4k' } }],
    ['quality', { size: { width: 1280, height: 720 }, extra: { quality: '1080p' } }],
    ['aspect_ratio', { images: [web], extra: { aspect_ratio: '16:9' } }],
    ['aspect_ratio', { model: 'v5', extra: { aspect_ratio: '21:9' } }],
    ['generate_audio_switch', { model: 'v5', extra: { generate_audio_switch: true } }],
    ['generate_audio_switch', { extra: { generate_audio_switch: 'yes' } }],
    ['generate_multi_clip_switch', { model: 'v5.6', extra: { generate_multi_clip_switch: true } }],
    ['sound_effect_switch', { extra: { sound_effect_switch: true } }],
    ['lip_sync_tts_switch', { model: 'v5', extra: { lip_sync_tts_switch: true } }],
    ['template_id', { extra: { template_id: 1 } }],
    ['seed', { extra: { seed: '1' } }],
    ['input_reference', { images: [web, web] }],
    ['input_reference', { images: [{ url: 'data:image/png;base64,%%%' }] }],
    ['input_reference', { images: [{ url: 'ftp://x.example/a' }] }],
  ])('is refused by the name %s: %j', (refused, params) => {
    expect(planned(params)).toEqual({ refused })
    expect(step(params)).toMatchObject({ failed: { kind: 'bad_request', param: refused } })
  })

  test.each<[number, string, Partial<TaskParams>]>([
    [6, 'c1 in 360p', { model: 'pixverse-c1', seconds: 1, extra: { quality: '360p' } }],
    [24 * 15, 'c1 with sound', { model: 'pixverse-c1', seconds: 15, extra: { quality: '1080p', generate_audio_switch: true } }],
    [45, 'v5.6', { model: 'pixverse-v5.6' }],
    [150, 'v5.6 with sound', { model: 'pixverse-v5.6', extra: { quality: '1080p', generate_audio_switch: true } }],
    [
      172,
      'v5.5 with sound and clips',
      { model: 'v5.5', seconds: 10, extra: { generate_audio_switch: true, generate_multi_clip_switch: true } },
    ],
    [240, 'v5', { model: 'v5', seconds: 8, extra: { quality: '1080p' } }],
    [140, 'v5 with effects', { model: 'v5', seconds: 8, extra: { sound_effect_switch: true } }],
    [120, 'v4 fast', { model: 'v4', extra: { motion_mode: 'fast' } }],
    [120, 'v3.5 in 1080p', { model: 'v3.5', extra: { quality: '1080p' } }],
  ])('takes %d credits: %s', (credits, _, params) => {
    const plan = planned(params)
    expect('counts' in plan ? plan.counts : plan).toEqual({ credits })
  })

  test('has a price for every model', () => {
    for (const model of pixverse.models.names) {
      expect(planned({ model })).toHaveProperty('counts.credits')
      expect(defaultPrice(model, { yuanPerDollar: 7, nowMs: 0 })).toEqual({ credit: 0.01 })
    }
  })
})

describe('a submission', () => {
  test('gives the id and what it took', () => {
    expect(step({}, success({ video_id: 322878269109312, credits: 60 }))).toEqual({
      done: { vendorId: '322878269109312', memo: {}, counts: { credits: 60 } },
    })
    expect(step({}, success({ video_id: '4-WandVideo-4b', credit: -1 }))).toEqual({ done: { vendorId: '4-WandVideo-4b', memo: {} } })
    expect(step({}, taskResponse({ ErrCode: 0, resp: { video_id: 7 } }))).toEqual({ done: { vendorId: '7', memo: {} } })
    expect(step({ images: [web] }, success({ img_id: 1 }), success({ video_id: 8 }))).toEqual({ done: { vendorId: '8', memo: {} } })
  })

  test('keeps all digits of a long id', () => {
    const text = '{"ErrCode":0,"Resp":{"video_id": 9007199254740993123}}'
    expect(step({}, { status: 200, text, json: JSON.parse(text) })).toEqual({ done: { vendorId: '9007199254740993123', memo: {} } })
  })

  test.each([
    [400012, 'bad_key', '400012'],
    [400017, 'bad_request', '400017'],
    [400099, 'bad_request', '400099'],
    [500020, 'forbidden', '500020'],
    [500044, 'rate_limited', '500044'],
    [500054, 'bad_request', 'moderation_blocked'],
    [500063, 'bad_request', 'moderation_blocked'],
    [500069, 'unavailable', '500069'],
    [500090, 'no_quota', '500090'],
    [99999, 'unavailable', '99999'],
  ] as const)('with the error %d is a failure of the kind %s', (code, kind, named) => {
    expect(step({}, error(code))).toMatchObject({ failed: { kind, code: named, message: 'no' } })
    expect(step({ images: [web] }, error(code))).toMatchObject({ failed: { kind, code: named } })
  })

  test('with an odd response fails', () => {
    for (const odd of [
      page,
      taskResponse(null),
      taskResponse({}),
      success({}),
      success({ video_id: 0 }),
      success({ video_id: '' }),
      error(0),
    ])
      expect(step({}, odd)).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(step({ images: [web] }, success({ img_id: 'x' }))).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(step({}, taskResponse({ message: 'no' }, 401))).toMatchObject({ failed: { kind: 'bad_key' } })
  })
})

describe('a task', () => {
  const polled = (...responses: ReadonlyArray<ReturnType<typeof taskResponse>>) =>
    pixverseVideos.poll(context, runningTask({ model: 'pixverse-v6', vendorId: '7' }), responses)

  test('is polled with a trace of the request', () => {
    const { headers, ...request } = requestIn(polled())
    expect(request).toEqual({ method: 'GET', url: `${base}/openapi/v2/video/result/7` })
    expect(headers).toEqual({ 'ai-trace-id': expect.stringMatching(uuid) })
    expect(headers).not.toEqual(requestIn(step({})).headers ?? {})
  })

  test('is completed with its video', () => {
    const data = { id: 7, status: 1, url: 'https://media.pixverse.ai/cat.mp4', outputWidth: 1280 }
    expect(polled(success(data))).toEqual({ done: { state: 'completed', results: [{ variant: 'video', url: data.url }], data } })
    expect(polled(success({ ...data, status: '1' }))).toMatchObject({ done: { state: 'completed' } })
  })

  test('is in progress in every state that is not known to end it', () => {
    for (const status of [5, 2, 9, 10, null, 'waiting', {}])
      expect(polled(success({ status }))).toMatchObject({ done: { state: 'in_progress' } })
  })

  test.each([
    ['no_result', success({ status: 1, url: '' })],
    ['deleted', success({ status: 6 })],
    ['moderation_blocked', success({ status: 7 })],
    ['task_failed', success({ status: 8 })],
    ['moderation_blocked', error(500063)],
    ['deleted', error(500064)],
  ])('fails with the code %s', (code, response) => {
    expect(polled(response)).toMatchObject({ done: { state: 'failed', error: { code } } })
  })

  test('is unknown to the vendor, or its response says nothing', () => {
    expect(polled(error(500008))).toEqual({ done: null })
    expect(polled(taskResponse({}, 404))).toEqual({ done: null })
    expect(polled(error(500069))).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(polled(page)).toMatchObject({ failed: { kind: 'unavailable' } })
  })

  test('survives every response', () => {
    const odd = oddResponses(
      ['ErrCode', 'ErrMsg', 'Resp', 'resp', 'video_id', 'img_id', 'status', 'url', 'credits'],
      [0, 1, 5, 7, 500054, 'https://x.example'],
    )
    const createRequests = fc.constantFrom(taskParamsFor({}), taskParamsFor({ images: [web] }))
    fc.assert(
      fc.property(createRequests, fc.array(odd, { maxLength: 2 }), (params, responses) => survives(pixverseVideos, params, responses)),
    )
  })
})

describe('a message', () => {
  test.each([
    [{ id: 322878269109312, status: 1, url: 'https://media.pixverse.ai/cat.mp4' }, '322878269109312'],
    [{ id: '322878269109312', status: 8 }, '322878269109312'],
    [{ id: 1e300 }, null],
    [{ id: '' }, null],
    [{ status: 1 }, null],
    [['x'], null],
    [null, null],
  ])('%j is about the video %j', (message, id) => {
    expect(pixverseVideos.taskIdIn?.(message)).toBe(id)
  })
})

describe('several images', () => {
  const data = 'data:image/png;base64,AQID'
  const uploads = (...ids: readonly number[]) => ids.map((id) => taskResponse({ ErrCode: 0, Resp: { img_id: id } }))

  test('of a transition are sent one after the other, each under a name of its own, and cost what a video does', () => {
    const params = taskParamsOf({ model: 'pixverse-v5', images: [{ url: 'https://pictures.example/a.png' }], extra: { last_frame: data } })
    const first = pixverseVideos.submit(context, params, [])
    const second = pixverseVideos.submit(context, params, uploads(11))
    if (!('request' in first) || !('request' in second)) throw new Error('a picture is not sent')
    for (const { request } of [first, second]) expect(request.url).toEndWith('/openapi/v2/image/upload')
    expect(first.request.headers?.['ai-trace-id']).not.toBe(second.request.headers?.['ai-trace-id'])
    expect(requestIn(pixverseVideos.submit(context, params, uploads(11, 12)))).toMatchObject({
      url: expect.stringMatching(/\/video\/transition\/generate$/),
      body: { first_frame_img: 11, last_frame_img: 12, prompt: 'A cat', model: 'v5', duration: 5, quality: '720p' },
    })
    expect(pixverseVideos.plan(params)).toMatchObject({ counts: { credits: 60 } })
    expect(pixverseVideos.submit(context, params, [...uploads(11), taskResponse({ ErrCode: 500_054, ErrMsg: 'no' })])).toMatchObject({
      failed: { code: 'moderation_blocked' },
    })
    expect(pixverseVideos.submit(context, params, [...uploads(11, 12), taskResponse({ ErrCode: 0, Resp: { video_id: 5 } })])).toMatchObject(
      {
        done: { vendorId: '5' },
      },
    )
  })

  const references = [
    { type: 'subject', ref_name: 'dog', image_url: data },
    { type: 'background', ref_name: 'room', image_url: 'https://pictures.example/b.png' },
  ]

  test('of a fusion are named in the prompt', () => {
    const params = taskParamsOf({ model: 'pixverse-v4.5', prompt: '@dog plays at @room', extra: { image_references: references } })
    expect(requestIn(pixverseVideos.submit(context, params, uploads(1, 2)))).toMatchObject({
      url: expect.stringMatching(/\/video\/fusion\/generate$/),
      body: {
        image_references: [
          { type: 'subject', ref_name: 'dog', img_id: 1 },
          { type: 'background', ref_name: 'room', img_id: 2 },
        ],
        aspect_ratio: '16:9',
      },
    })
  })

  test.each([
    ['last_frame', { extra: { last_frame: data } }],
    ['last_frame', { images: [{ url: data }], extra: { last_frame: 'a cat' } }],
    ['input_reference', { images: [{ url: data }], extra: { image_references: references } }],
    ['image_references', { model: 'pixverse-v6', extra: { image_references: references } }],
    ['image_references', { extra: { image_references: [] } }],
    ['image_references', { extra: { image_references: [{ ...references[0], type: 'sky' }] } }],
    ['image_references', { extra: { image_references: [...references, ...references] } }],
    ['negative_prompt', { extra: { image_references: references, negative_prompt: 'dogs' } }],
  ] as const)('are refused by the name %s', (refused, fields) => {
    expect(pixverseVideos.plan(taskParamsOf({ model: 'pixverse-v4.5', ...(fields as object) }))).toEqual({ refused })
  })
})
