import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'sk-aliyun-0001'

const videoModel = 'wan2.7-i2v'
const frame = 'data:image/png;base64,aGk='

/** Videos of Wan. */
export function alibabaVideoDouble(): TaskDouble {
  const double: TaskDouble = {
    ...alibabaImageDouble(),
    models: videoModel,
    path: '/v1/videos',
    params: {
      model: videoModel,
      prompt: 'A cat',
      seconds: '6',
      size: '1920x1080',
      input_reference: frame,
      last_frame: frame,
      watermark: false,
    },
    upstreamRequest: {
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      body: {
        model: videoModel,
        input: {
          prompt: 'A cat',
          media: [
            { type: 'first_frame', url: frame },
            { type: 'last_frame', url: frame },
          ],
        },
        parameters: { resolution: '1080P', duration: 6, watermark: false },
      },
    },
    // Six seconds at a yuan, in dollars to eight digits.
    price: 428_572,
    refused: {
      seconds: { seconds: 1 },
      size: { size: '640x480' },
      resolution: { resolution: '480P' },
      ratio: { ratio: '16:9' },
      input_reference: { input_reference: undefined, last_frame: undefined },
      camera: { camera: 'left' },
    },
    counted: null,
    contentType: 'video/mp4',
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

/** Images that Alibaba makes as jobs. */
export function alibabaImageDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 17,
    key,
    models: 'wan2.2-t2i-flash',
    path: '/v1/tasks?kind=pictures',
    params: { model: 'wan2.2-t2i-flash', prompt: 'A cat', size: '1280x720', seed: 7, negative_prompt: 'dogs' },
    upstreamRequest: {
      path: '/api/v1/services/aigc/text2image/image-synthesis',
      body: {
        model: 'wan2.2-t2i-flash',
        input: { prompt: 'A cat', negative_prompt: 'dogs' },
        parameters: { size: '1280*720', n: 1, seed: 7 },
      },
    },
    // An image at $0.0175.
    price: 8_750,
    refused: { size: { size: '2048x2048' }, seed: { seed: -1 }, camera: { camera: 'left' } },
    counted: { took: 2, price: 17_500 },
    failure: 'InternalError.Timeout',
    contentType: 'image/png',
    hasAddresses: true,
    canStop: true,
    namesPlaces: false,
    wrongKey: json({ code: 'InvalidApiKey', message: `Invalid API-key ${key} provided.`, request_id: 'r1' }, 401),
    wrongContent: json({ code: 'DataInspectionFailed', message: 'Input data may contain inappropriate content.', request_id: 'r1' }, 400),
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response({ method, path, headers }: Received, double: TaskDouble, origin: string): Script {
  const [, id, below] = /^\/api\/v1\/tasks\/([\w-]+)(\/cancel)?$/.exec(path) ?? []
  const work = double.works.find((one) => one.id === id)
  if (method === 'POST' && below === undefined) {
    if (headers['x-dashscope-async'] !== 'enable') return json({ code: 'AccessDenied', message: 'no synchronous calls' }, 403)
    const { id: task_id } = addWork(double, `dashscope-task-${double.works.length + 1}`)
    return json({ output: { task_status: 'PENDING', task_id }, request_id: 'r1' })
  }
  if (work === undefined) return json({ request_id: 'r2', output: { task_id: id ?? '', task_status: 'UNKNOWN' } })
  if (below === '/cancel') {
    if (work.stage !== 'queued') return json({ code: 'UnsupportedOperation', message: 'only pending tasks' }, 400)
    work.stage = 'stopped'
    return json({ request_id: 'r3' })
  }
  return json({ request_id: 'r2', ...statusOf(work, double, origin) })
}

function statusOf(work: DoubleWork, double: TaskDouble, origin: string): object {
  const { id: task_id, took } = work
  const metrics = { TOTAL: 1, SUCCEEDED: work.stage === 'done' ? 1 : 0, FAILED: 0 }
  switch (work.stage) {
    case 'queued':
      return { output: { task_id, task_status: 'PENDING', task_metrics: metrics } }
    case 'running':
      return { output: { task_id, task_status: 'RUNNING', task_metrics: metrics } }
    case 'stopped':
      return { output: { task_id, task_status: 'CANCELED' } }
    case 'done': {
      const url = resultOf(work, double, origin)
      if (double.path === '/v1/videos')
        return { output: { task_id, task_status: 'SUCCEEDED', video_url: url }, usage: { duration: 6, video_count: 1, SR: 1080 } }
      const results = [{ orig_prompt: 'A cat', actual_prompt: 'A fine cat', url }]
      return { output: { task_id, task_status: 'SUCCEEDED', results, task_metrics: metrics }, usage: { image_count: took ?? 1 } }
    }
    default: {
      const code = work.stage === 'moderated' ? 'DataInspectionFailed' : 'InternalError.Timeout'
      return { output: { task_id, task_status: 'FAILED', code, message: wordsAbout(work, key) } }
    }
  }
}
