import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { doneIn, oddResponses, page, requestIn, runningTask, survives, taskContext, taskParamsOf, taskResponse } from '../../test/tasks.ts'
import type { JsonObject } from '../core/json.ts'
import type { TaskDialect, TaskParams } from '../core/task.ts'
import { alibabaImageTasks } from '../vendors/alibaba/image-tasks.ts'
import { alibabaVideos } from '../vendors/alibaba/videos.ts'
import { doubaoVideos } from '../vendors/bytedance/videos.ts'
import { minimaxVideos } from '../vendors/minimax/videos.ts'
import { novitaImageTasks } from '../vendors/novita/image-tasks.ts'
import { openrouterVideos } from '../vendors/openrouter/videos.ts'
import { zhipuVideos } from '../vendors/zhipu/videos.ts'

// Vendors that have chats and make some work as jobs.

const inputImage = { url: 'data:image/png;base64,aGk=' }

const dialects: ReadonlyArray<
  readonly [name: string, dialect: TaskDialect, params: TaskParams, names: readonly string[], values: readonly string[]]
> = [
  [
    'Alibaba',
    alibabaImageTasks,
    taskParamsOf({ kind: 'pictures', model: 'wan2.2-t2i-flash' }),
    ['output', 'task_id', 'task_status', 'results', 'url', 'code', 'message', 'usage', 'image_count'],
    ['SUCCEEDED', 'FAILED', 'UNKNOWN', 'https://a.example/1.png'],
  ],
  [
    'Alibaba, videos',
    alibabaVideos,
    taskParamsOf({ model: 'wan2.7-t2v' }),
    ['output', 'task_id', 'task_status', 'video_url', 'code', 'message'],
    ['SUCCEEDED', 'FAILED', 'UNKNOWN', 'https://a.example/1.mp4'],
  ],
  [
    'ByteDance',
    doubaoVideos,
    taskParamsOf({ model: 'doubao-seedance-1-5-pro-251215' }),
    ['id', 'status', 'content', 'video_url', 'usage', 'completion_tokens', 'error', 'code', 'message'],
    ['succeeded', 'failed', 'expired', 'https://a.example/1.mp4'],
  ],
  [
    'MiniMax',
    minimaxVideos,
    taskParamsOf({ model: 'MiniMax-Hailuo-2.3' }),
    ['task_id', 'status', 'file_id', 'file', 'download_url', 'base_resp', 'status_code', 'status_msg', 'task', 'content', 'url'],
    ['Success', 'Fail', 'succeeded', 'https://a.example/1.mp4'],
  ],
  [
    'Novita',
    novitaImageTasks,
    taskParamsOf({ kind: 'pictures', model: 'qwen-image' }),
    ['task_id', 'task', 'status', 'reason', 'images', 'image_url', 'image_url_ttl'],
    ['TASK_STATUS_SUCCEED', 'TASK_STATUS_FAILED', 'https://a.example/1.png'],
  ],
  [
    'Zhipu',
    zhipuVideos,
    taskParamsOf({ model: 'cogvideox-3' }),
    ['id', 'task_status', 'video_result', 'url', 'cover_image_url', 'error', 'code', 'message'],
    ['SUCCESS', 'FAIL', 'https://a.example/1.mp4'],
  ],
]

describe.each(dialects)('%s', (_, dialect, params, names, values) => {
  const context = taskContext('https://upstream.example/some/path')
  const task = runningTask({ model: params.model, kind: params.kind })

  test('survives every response', () => {
    fc.assert(
      fc.property(fc.array(oddResponses(names, values), { minLength: 1, maxLength: 2 }), (responses) =>
        survives(dialect, params, responses),
      ),
    )
  })

  test('takes a page for no response about the task, and status 404 for one that does not know it', () => {
    expect(dialect.poll(context, task, [page])).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(dialect.submit(context, params, [page])).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(dialect.poll(context, task, [taskResponse({ error: { message: 'task not found' } }, 404)])).toEqual({ done: null })
  })

  test('refuses an order without words, of an unknown model, or with a parameter that it does not know', () => {
    expect(dialect.plan({ ...params, prompt: '' })).toEqual({ refused: 'prompt' })
    expect(dialect.plan({ ...params, extra: { camera: 'left' } })).toEqual({ refused: 'camera' })
    if (params.kind === 'pictures') {
      expect(dialect.plan({ ...params, model: 'another' })).toEqual({ refused: 'model' })
      expect(dialect.plan({ ...params, images: [inputImage] })).toEqual({ refused: 'image' })
    }
  })
})

describe('Alibaba', () => {
  const sized = (model: string, width: number, height: number) =>
    alibabaImageTasks.plan(taskParamsOf({ kind: 'pictures', model, size: { width, height } }))

  test('has the sizes of each generation of its models', () => {
    expect(sized('wanx-v1', 720, 1280)).toMatchObject({ size: '720x1280' })
    expect(sized('wanx-v1', 800, 800)).toEqual({ refused: 'size' })
    expect(sized('wan2.2-t2i-plus', 1440, 512)).toMatchObject({ size: '1440x512' })
    expect(sized('wan2.2-t2i-plus', 1600, 512)).toEqual({ refused: 'size' })
    expect(sized('wan2.5-t2i-preview', 768, 2700)).toMatchObject({ size: '768x2700' })
    expect(sized('wan2.5-t2i-preview', 512, 512)).toEqual({ refused: 'size' })
    expect(alibabaImageTasks.plan(taskParamsOf({ kind: 'pictures', model: 'wan2.5-t2i-preview' }))).toMatchObject({ size: '1280x1280' })
  })

  test('distinguishes an image refused for its content from one that failed', () => {
    const task = runningTask({ model: 'wan2.2-t2i-flash', kind: 'pictures' })
    const reportOf = (results: readonly object[]) =>
      alibabaImageTasks.poll(taskContext('https://a.example'), task, [
        taskResponse(JSON.parse(JSON.stringify({ output: { task_status: 'SUCCEEDED', results } }))),
      ])
    expect(reportOf([{ code: 'DataInspectionFailed', message: 'no' }])).toMatchObject({
      done: { state: 'failed', error: { code: 'moderation_blocked' } },
    })
    expect(reportOf([{ code: 'InternalError', message: 'oh' }])).toMatchObject({
      done: { state: 'failed', error: { code: 'InternalError' } },
    })
  })
})

describe('Novita', () => {
  test('requests a checkpoint with another call, with all that the image depends on', () => {
    const params = taskParamsOf({ kind: 'pictures', model: 'dreamshaper_8_93211.safetensors', extra: { steps: 30 } })
    const { url, body } = requestIn(novitaImageTasks.submit(taskContext('https://api.novita.ai/openai'), params, []))
    expect(url).toBe('https://api.novita.ai/v3/async/txt2img')
    expect(body).toEqual({
      extra: { response_image_type: 'png' },
      request: {
        ...{ model_name: 'dreamshaper_8_93211.safetensors', prompt: 'A cat', width: 1024, height: 1024, image_num: 1 },
        ...{ steps: 30, seed: -1, guidance_scale: 7.5, sampler_name: 'Euler a' },
      },
    })
  })
})

describe('Zhipu', () => {
  const context = taskContext('https://open.bigmodel.cn/api/paas/v4')

  test('takes a first and a last frame', () => {
    const framed = (count: number) => taskParamsOf({ model: 'cogvideox-3', images: Array.from({ length: count }, () => inputImage) })
    expect(requestIn(zhipuVideos.submit(context, framed(1), [])).body).toMatchObject({ image_url: inputImage.url })
    expect(requestIn(zhipuVideos.submit(context, framed(2), [])).body).toMatchObject({ image_url: [inputImage.url, inputImage.url] })
    expect(zhipuVideos.plan(framed(3))).toEqual({ refused: 'input_reference' })
  })

  test('is called at the root that a channel gives without a version', () => {
    expect(requestIn(zhipuVideos.submit(taskContext('https://proxy.example'), taskParamsOf({ model: 'cogvideox-3' }), [])).url).toBe(
      'https://proxy.example/api/paas/v4/videos/generations',
    )
  })

  test('has a cover beside the video', () => {
    const video_result = [{ url: 'https://a.example/1.mp4', cover_image_url: 'https://a.example/1.png' }]
    const response = taskResponse({ task_status: 'SUCCESS', video_result })
    expect(doneIn(zhipuVideos.poll(context, runningTask({ model: 'cogvideox-3' }), [response]))).toMatchObject({
      results: [
        { variant: 'video', url: 'https://a.example/1.mp4' },
        { variant: 'thumbnail', url: 'https://a.example/1.png' },
      ],
    })
  })
})

describe('Alibaba, videos', () => {
  const requestBody = (model: string, change: Partial<TaskParams> = {}) =>
    requestIn(
      alibabaVideos.submit(taskContext('https://dashscope.aliyuncs.com/compatible-mode/v1'), taskParamsOf({ model, ...change }), []),
    ).body

  test('has a form for each generation of its models', () => {
    expect(requestBody('wan2.5-t2v-preview', { size: { width: 832, height: 480 } })).toEqual({
      model: 'wan2.5-t2v-preview',
      input: { prompt: 'A cat' },
      parameters: { size: '832*480', duration: 5 },
    })
    expect(requestBody('wan2.2-i2v-flash', { images: [inputImage] })).toEqual({
      model: 'wan2.2-i2v-flash',
      input: { prompt: 'A cat', img_url: inputImage.url },
      parameters: { resolution: '720P', duration: 5 },
    })
    expect(requestBody('wan3.0-video', { extra: { ratio: '1:1', resolution: '480P', duration: 30 } })).toEqual({
      model: 'wan3.0-video',
      input: { prompt: 'A cat' },
      parameters: { resolution: '480P', ratio: '1:1', duration: 30 },
    })
  })

  test('counts a size that is listed by the resolution under which it is', () => {
    const counted = (width: number, height: number) =>
      alibabaVideos.plan(taskParamsOf({ model: 'wan2.5-t2v-preview', size: { width, height } }))
    expect(counted(1632, 1248)).toMatchObject({ counts: { size: '1080p' } })
    expect(counted(960, 960)).toMatchObject({ counts: { size: '720p' } })
    expect(counted(1920, 1088)).toEqual({ refused: 'size' })
  })
})

describe('ByteDance', () => {
  test('lets a first frame decide the ratio, unless the order names one', () => {
    const context = taskContext('https://ark.cn-beijing.volces.com/api/v3')
    const requestBody = (extra: TaskParams['extra']) =>
      requestIn(doubaoVideos.submit(context, taskParamsOf({ model: 'doubao-seedance-2-0-260128', images: [inputImage], extra }), [])).body
    expect(requestBody({})).toMatchObject({
      ratio: 'adaptive',
      content: [{ type: 'text' }, { image_url: inputImage, role: 'first_frame' }],
    })
    expect(requestBody({ ratio: '1:1' })).toMatchObject({ ratio: '1:1' })
  })

  test('reads flags of a prompt as parameters, and forwards none of them', () => {
    const context = taskContext('https://ark.cn-beijing.volces.com/api/v3')
    const model = 'doubao-seedance-1-0-pro-250528'
    const flagged = (prompt: string, change: Partial<TaskParams> = {}) => {
      const params = taskParamsOf({ model, prompt, ...change })
      const { counts, seconds } = doubaoVideos.plan(params) as { readonly counts: { readonly credits: number }; readonly seconds: number }
      const { content, resolution, duration, ...rest } = requestIn(doubaoVideos.submit(context, params, [])).body as JsonObject
      return { prompt: (content as readonly JsonObject[])[0]?.['text'], resolution, duration, counts, seconds, ...rest }
    }
    const dearest = { resolution: '1080p', duration: 12, seconds: 12, counts: { credits: 590_625, size: '1080p' } }
    expect(flagged('a cat --rs 1080p --dur 12')).toMatchObject({ prompt: 'a cat', ...dearest })
    expect(flagged('a cat ---Resolution=1080P\n--duration   12 --frames 289 --fps 24')).toMatchObject({ prompt: 'a cat', ...dearest })
    expect(flagged('--rt 1:1 --seed -1 --cf TRUE --wm false a cat')).toMatchObject({
      ...{ prompt: 'a cat', ratio: '1:1', seed: -1, camera_fixed: true, watermark: false },
    })
    // What the order says itself takes precedence.
    const small = { size: { width: 480, height: 480 }, seconds: 2 }
    expect(flagged('a cat --rs 1080p --dur 12', small)).toMatchObject({ prompt: 'a cat', resolution: '480p', duration: 2 })
    // Of words that only look like flags the dashes are left out.
    expect(flagged('wait--stop --draft true --x y--rs 1080p').prompt).toBe('wait stop  draft true  x y')
    for (const word of ['--rs 8k', '--dur 99'])
      expect(doubaoVideos.plan(taskParamsOf({ model, prompt: `a ${word}` }))).toHaveProperty('refused')
    expect(doubaoVideos.plan(taskParamsOf({ model, prompt: '--rs 720p' }))).toEqual({ refused: 'prompt' })
    const many = `${'-'.repeat(100_000)} ${'--rs '.repeat(50_000)}`
    expect(flagged(`a cat ${many}`).prompt).not.toContain('--rs')
  })
})

describe('OpenRouter', () => {
  test('reads the flags of models of ByteDance', () => {
    const params = taskParamsOf({ model: 'bytedance/seedance-1-5-pro', prompt: 'a cat --rs 1080p --rt 1:1 --dur 12' })
    const { body } = requestIn(openrouterVideos.submit(taskContext('https://openrouter.ai/api'), params, []))
    expect(body).toMatchObject({ prompt: 'a cat', resolution: '1080p', aspect_ratio: '1:1', duration: 12 })
    expect(openrouterVideos.plan(params)).toMatchObject({ seconds: 12, counts: { seconds: 12, size: '1080p' } })
  })
})
