import { expect } from 'bun:test'
import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'zhipu-id-0001.zhipu-secret-0001'

/** CogVideoX. */
export function zhipuDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 16,
    key,
    models: 'cogvideox-3',
    path: '/v1/videos',
    params: { model: 'cogvideox-3', prompt: 'A cat', seconds: '10', size: '1280x720', with_audio: true },
    upstreamRequest: {
      path: '/api/paas/v4/videos/generations',
      body: { model: 'cogvideox-3', prompt: 'A cat', duration: 10, size: '1280x720', with_audio: true, request_id: expect.any(String) },
    },
    // A video costs $0.2, whatever its length.
    price: 100_000,
    refused: { seconds: { seconds: 7 }, size: { size: '100x3000' }, fps: { fps: 24 }, seed: { seed: 7 } },
    counted: null,
    failure: '1234',
    contentType: 'video/mp4',
    hasAddresses: true,
    canStop: false,
    namesPlaces: false,
    secrets: ['zhipu-secret-0001'],
    wrongKey: json({ error: { code: '1002', message: `the key ${key} is not valid` } }, 401),
    wrongContent: json({ error: { code: '1301', message: 'sensitive content' } }, 400),
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response({ method, path }: Received, double: TaskDouble, origin: string): Script {
  if (method === 'POST') {
    const { id } = addWork(double, `zhipu-task-${double.works.length + 1}`)
    return json({ model: 'cogvideox-3', id, request_id: 'r1', task_status: 'PROCESSING' })
  }
  const work = double.works.find((one) => path === `/api/paas/v4/async-result/${one.id}`)
  if (work === undefined) return json({ error: { code: '1214', message: 'task not found' } }, 400)
  return json({ model: 'cogvideox-3', request_id: 'r1', ...statusOf(work, double, origin) })
}

function statusOf(work: DoubleWork, double: TaskDouble, origin: string): object {
  switch (work.stage) {
    case 'queued':
    case 'running':
      return { task_status: 'PROCESSING' }
    case 'done':
      return { task_status: 'SUCCESS', video_result: [{ url: resultOf(work, double, origin), cover_image_url: `${origin}/cover.png` }] }
    case 'moderated':
      return { task_status: 'FAIL', error: { code: '1301', message: 'sensitive content' } }
    default:
      return { task_status: 'FAIL', error: { code: '1234', message: wordsAbout(work, key) } }
  }
}
