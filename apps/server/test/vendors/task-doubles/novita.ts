import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'sk_novita_0001'

/** Images of Novita. */
export function novitaDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 41,
    key,
    models: 'qwen-image',
    path: '/v1/tasks?kind=pictures',
    params: { model: 'qwen-image', prompt: 'A cat', size: '1024x768', seed: 7 },
    upstreamRequest: { path: '/v3/async/qwen-image-txt2img', body: { prompt: 'A cat', size: '1024*768', seed: 7 } },
    // An image at $0.03125.
    price: 15_625,
    refused: { size: { size: '4096x4096' }, seed: { seed: 0.5 }, steps: { steps: 20 } },
    counted: null,
    failure: 'task_failed',
    contentType: 'image/png',
    hasAddresses: true,
    canStop: false,
    namesPlaces: false,
    wrongKey: json({ code: 401, reason: 'INVALID_API_KEY', message: `invalid key ${key}`, metadata: {} }, 401),
    wrongContent: null,
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response({ method, path }: Received, double: TaskDouble, origin: string): Script {
  if (method === 'POST') return json({ task_id: addWork(double, `novita-task-${double.works.length + 1}`).id })
  const id = new URL(path, origin).searchParams.get('task_id')
  const work = double.works.find((one) => one.id === id)
  if (work === undefined) return json({ code: 404, reason: 'TASK_NOT_FOUND', message: 'task not found' }, 404)
  return json({ extra: { seed: '7' }, task: taskOf(work), images: imagesOf(work, double, origin), videos: [], audios: [] })
}

const statuses: Readonly<Record<DoubleWork['stage'], string>> = {
  queued: 'TASK_STATUS_QUEUED',
  running: 'TASK_STATUS_PROCESSING',
  done: 'TASK_STATUS_SUCCEED',
  failed: 'TASK_STATUS_FAILED',
  moderated: 'TASK_STATUS_FAILED',
  stopped: 'TASK_STATUS_CANCELED',
}

function taskOf(work: DoubleWork): object {
  const { id, stage } = work
  const reason = stage === 'moderated' ? 'NSFW content' : stage === 'failed' ? wordsAbout(work, key) : ''
  return {
    task_id: id,
    status: statuses[stage],
    reason,
    task_type: 'QWEN_IMAGE_TXT2IMG',
    eta: 0,
    progress_percent: stage === 'running' ? 40 : 0,
  }
}

function imagesOf(work: DoubleWork, double: TaskDouble, origin: string): readonly object[] {
  return work.stage === 'done' ? [{ image_url: resultOf(work, double, origin), image_url_ttl: 3_600, image_type: 'png' }] : []
}
