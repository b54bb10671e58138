import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, content, redirect, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

interface Place {
  readonly type: number
  readonly key: string
  /** Before `/v1/videos`. */
  readonly before: string
  readonly isAuthorized: TaskDouble['isAuthorized']
}

export function openaiDouble(): TaskDouble {
  const key = 'sk-openai-0001'
  const isAuthorized = ({ headers }: Received) => headers['authorization'] === `Bearer ${key}` && headers['api-key'] === undefined
  return doubleAt({ type: 48, key, before: '', isAuthorized })
}

export function azureDouble(): TaskDouble {
  const key = 'azure-key-0001'
  const isAuthorized = ({ headers }: Received) => headers['api-key'] === key && headers['authorization'] === undefined
  return doubleAt({ type: 3, key, before: '/openai', isAuthorized })
}

function doubleAt({ before, ...place }: Place): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    ...place,
    models: 'sora-2-pro',
    path: '/v1/videos',
    params: { model: 'sora-2-pro', prompt: 'A cat', seconds: '8', size: '1792x1024' },
    upstreamRequest: { path: `${before}/v1/videos`, body: { model: 'sora-2-pro', prompt: 'A cat', seconds: '8', size: '1792x1024' } },
    // Eight seconds at $0.50.
    price: 2_000_000,
    refused: { seconds: { seconds: 21 }, size: { size: '640x480' }, seed: { seed: 7 } },
    counted: { took: 4, price: 1_000_000 },
    failure: 'server_error',
    contentType: 'video/mp4',
    hasAddresses: true,
    canStop: false,
    namesPlaces: false,
    wrongKey: json({ error: { message: `Incorrect API key provided: ${place.key}.`, code: 'invalid_api_key' } }, 401),
    wrongContent: json({ error: { message: 'Blocked.', type: 'image_generation_user_error', code: 'moderation_blocked' } }, 400),
    response: (request, origin) => response(request, { double, root: `${before}/v1/videos` }, origin),
  }
  return double
}

const states: Readonly<Record<string, string>> = { running: 'in_progress', done: 'completed', moderated: 'failed' }

function response(request: Received, { double, root }: { readonly double: TaskDouble; readonly root: string }, origin: string): Script {
  const { method, path } = request
  const [, workId, below] = /^\/([\w-]+)(\/\w+)?$/.exec(new URL(path, origin).pathname.slice(root.length)) ?? []
  const work = method === 'POST' ? addWork(double, `video_openai${double.works.length + 1}`) : double.works.find(({ id }) => id === workId)
  if (work === undefined) return json({ error: { message: 'no such video', type: 'invalid_request_error' } }, 404)
  const { id, stage, took } = work
  if (method === 'DELETE') {
    double.works.splice(double.works.indexOf(work), 1)
    return json({ id, object: 'video.deleted', deleted: true })
  }
  if (below === '/content')
    return double.elsewhere.results === null ? content(request, 'video/mp4') : redirect(resultOf(work, double, origin))
  const code = stage === 'moderated' ? 'moderation_blocked' : 'server_error'
  const error = stage === 'failed' || stage === 'moderated' ? { code, message: wordsAbout(work, double.key) } : null
  const [status, progress] = [states[stage] ?? stage, stage === 'running' ? 40 : 0]
  return json({ id, object: 'video', model: 'sora-2-pro', status, progress, seconds: String(took ?? 8), size: '1792x1024', error })
}
