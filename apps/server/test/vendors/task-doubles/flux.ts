import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'bfl-key-0001'

const shared = {
  type: 47,
  key,
  hasAddresses: true,
  failure: 'task_failed',
  canStop: false,
  namesPlaces: true,
  wrongKey: json({ detail: `Not authenticated - Invalid Authentication with ${key}` }, 403),
  wrongContent: null,
  isAuthorized: ({ headers }: Received) => headers['x-key'] === key && headers['authorization'] === undefined,
} as const

/** Images of Black Forest Labs. */
export function fluxImageDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    ...shared,
    models: 'flux-2-pro',
    path: '/v1/tasks?kind=pictures',
    params: { model: 'flux-2-pro', prompt: 'A cat', size: '1024x2048', seed: 7 },
    upstreamRequest: { path: '/v1/flux-2-pro', body: { prompt: 'A cat', width: 1024, height: 2048, seed: 7 } },
    // Two megapixels: 3 credits of $0.01 and 1.5 more.
    price: 22_500,
    refused: { size: { size: '1000x1001' }, seed: { seed: -1 }, webhook_url: { webhook_url: 'https://hooks.example.com' } },
    counted: { took: 6, price: 30_000 },
    contentType: 'image/png',
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

/** Videos of Black Forest Labs. */
export function fluxVideoDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    ...shared,
    models: 'flux-3-video',
    path: '/v1/videos',
    params: { model: 'flux-3-video', prompt: 'A cat', seconds: 6, size: '1920x1080' },
    upstreamRequest: {
      path: '/v1/flux-3-video',
      body: { mode: 't2v', prompt: 'A cat', duration: 6, resolution: 'fhd', aspect_ratio: '16:9' },
    },
    // Six seconds at 29 credits of $0.01.
    price: 870_000,
    refused: { seconds: { seconds: 21 }, size: { size: '3840x2160' }, draft: { draft: true }, seed: { seed: 7 } },
    counted: { took: 100, price: 500_000 },
    contentType: 'video/mp4',
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response({ method, path }: Received, double: TaskDouble, origin: string): Script {
  const { works, elsewhere } = double
  if (method === 'POST') {
    const work = addWork(double, `bfl-work-${works.length + 1}`)
    const { id, took } = work
    const polling_url = `${elsewhere.places ?? origin}/v1/get_result?id=${id}`
    return json({ id, polling_url, ...(took === null ? {} : { cost: took, input_mp: 0, output_mp: 2 }) })
  }
  const id = new URL(path, origin).searchParams.get('id')
  const work = works.find((one) => one.id === id)
  if (work === undefined) return json({ id, status: 'Task not found', result: null })
  return json({ id, ...statusOf(work, double, origin) })
}

function statusOf(work: DoubleWork, double: TaskDouble, origin: string): object {
  switch (work.stage) {
    case 'queued':
      return { status: 'Pending', result: null }
    case 'running':
      return { status: 'Generating', progress: 0.4, result: null }
    case 'done':
      return {
        status: 'Ready',
        result: { sample: resultOf(work, double, origin), seed: 7, prompt: 'A cat' },
        ...(work.took === null ? {} : { cost: work.took }),
      }
    case 'moderated':
      return { status: 'Content Moderated', result: null, details: { 'Moderation Reasons': ['Violence', wordsAbout(work, key)] } }
    default:
      return { status: 'Error', result: null, details: { error: wordsAbout(work, key) } }
  }
}
