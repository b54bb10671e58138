import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'sk-pixverse-0001'

/** PixVerse, whose errors have status 200 too. */
export function pixverseDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 46,
    key,
    models: 'pixverse-v6',
    path: '/v1/videos',
    params: { model: 'pixverse-v6', prompt: 'A cat', seconds: '8', size: '1280x720', generate_audio_switch: true },
    upstreamRequest: {
      path: '/openapi/v2/video/text/generate',
      body: { prompt: 'A cat', model: 'v6', duration: 8, quality: '720p', aspect_ratio: '16:9', generate_audio_switch: true },
    },
    // Eight seconds at 12 credits of $0.01.
    price: 480_000,
    refused: { seconds: { seconds: 16 }, size: { size: '100x3000' }, seed: { seed: 'x' }, template_id: { template_id: 3 } },
    counted: { took: 50, price: 250_000 },
    failure: 'task_failed',
    contentType: 'video/mp4',
    hasAddresses: true,
    canStop: false,
    namesPlaces: false,
    wrongKey: json({ ErrCode: 400012, ErrMsg: `invalid account for ${key}`, Resp: {} }),
    wrongContent: json({ ErrCode: 500063, ErrMsg: 'sensitive prompt', Resp: null }),
    isAuthorized: ({ headers }) => headers['api-key'] === key && headers['authorization'] === undefined,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

const states: Readonly<Record<string, number>> = { queued: 5, running: 5, done: 1, moderated: 7, failed: 8 }

function response({ method, path, headers }: Received, double: TaskDouble, origin: string): Script {
  if (!/^[\da-f]{8}-[\da-f]{4}-4/.test(String(headers['ai-trace-id'] ?? '')))
    return json({ ErrCode: 400017, ErrMsg: 'no trace', Resp: null })
  if (path === '/openapi/v2/image/upload')
    return json({ ErrCode: 0, ErrMsg: 'success', Resp: { img_id: 77, img_url: 'https://x.example/i' } })
  if (method === 'POST') {
    const { id, took } = addWork(double, String(345_678_901_234_001 + double.works.length))
    return json({ ErrCode: 0, ErrMsg: 'success', Resp: { video_id: Number(id), ...(took === null ? {} : { credits: took }) } })
  }
  const work = double.works.find(({ id }) => path === `/openapi/v2/video/result/${id}`)
  if (work === undefined) return json({ ErrCode: 500008, ErrMsg: 'not found', Resp: null })
  const url = work.stage === 'done' ? resultOf(work, double, origin) : ''
  const held = { id: Number(work.id), status: states[work.stage], url, prompt: 'A cat', style: wordsAbout(work, key) }
  return json({ ErrCode: 0, ErrMsg: 'Success', Resp: held })
}
