import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'fal-id-0001:fal-secret-0001'

/** The queue of fal. */
export function falDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 44,
    key,
    models: 'pika-2.2',
    path: '/v1/videos',
    params: { model: 'pika-2.2', prompt: 'A cat', seconds: '10', size: '1920x1080', seed: 7 },
    upstreamRequest: {
      path: '/fal-ai/pika/v2.2/text-to-video',
      body: { prompt: 'A cat', aspect_ratio: '16:9', resolution: '1080p', duration: 10, seed: 7 },
    },
    // Ten seconds at $0.04, times 2.25.
    price: 450_000,
    refused: { seconds: { seconds: 7 }, size: { size: '100x3000' }, seed: { seed: 'x' }, camera: { camera: 'left' } },
    counted: null,
    failure: 'internal_server_error',
    contentType: 'video/mp4',
    hasAddresses: true,
    canStop: true,
    namesPlaces: true,
    secrets: ['fal-secret-0001'],
    wrongKey: json({ detail: `Cannot access application with ${key}. Authentication is required.` }, 401),
    wrongContent: json({ detail: [{ loc: ['body', 'prompt'], msg: 'no', type: 'content_policy_violation' }] }, 422),
    isAuthorized: ({ headers }) => headers['authorization'] === `Key ${key}`,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response({ method, path }: Received, double: TaskDouble, origin: string): Script {
  if (method === 'POST') return accepted(addWork(double, `fal-request-${double.works.length + 1}`), double.elsewhere.places ?? origin)
  const [, id, below] = /^\/fal-ai\/pika\/requests\/([\w-]+)(\/\w+)?$/.exec(path.split('?')[0] ?? '') ?? []
  const work = double.works.find((one) => one.id === id)
  if (work === undefined) return json({ detail: 'Request not found' }, 404)
  if (method === 'PUT' && below === '/cancel') return stopped(work)
  if (below === '/status') return json({ status: statuses[work.stage] ?? 'COMPLETED', request_id: work.id })
  return outcomeOf(work, double, origin)
}

const statuses: Readonly<Record<string, string>> = { queued: 'IN_QUEUE', running: 'IN_PROGRESS' }

function accepted({ id }: DoubleWork, places: string): Script {
  const place = `${places}/fal-ai/pika/requests/${id}`
  return json({ request_id: id, status: 'IN_QUEUE', status_url: `${place}/status`, response_url: place, cancel_url: `${place}/cancel` })
}

function stopped(work: DoubleWork): Script {
  if (work.stage === 'done') return json({ status: 'ALREADY_COMPLETED' }, 400)
  // What runs is stopped only if the app heeds the signal.
  if (work.stage === 'running') return json({ status: 'CANCELLATION_REQUESTED' }, 202)
  work.stage = 'stopped'
  return json({ status: 'OK' })
}

function outcomeOf(work: DoubleWork, double: TaskDouble, origin: string): Script {
  if (work.stage === 'done')
    return json({ video: { url: resultOf(work, double, origin), content_type: 'video/mp4', file_name: 'a.mp4', file_size: 5_000 } })
  const type = work.stage === 'moderated' ? 'content_policy_violation' : 'internal_server_error'
  return json({ detail: [{ loc: ['body', 'prompt'], msg: wordsAbout(work, key), type }] }, work.stage === 'moderated' ? 422 : 500)
}
