import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, content, type DoubleWork, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'sk-or-v1-openrouter-secret-0001'
const model = 'google/veo-3.1-fast'

/** Videos of OpenRouter ("Submit a video generation request", its OpenAPI file). */
export function openrouterDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 20,
    key,
    models: model,
    path: '/v1/videos',
    params: { model, prompt: 'A cat', seconds: '6', size: '1080x1920', generate_audio: false, seed: 7 },
    upstreamRequest: {
      path: '/v1/videos',
      body: { model, prompt: 'A cat', duration: 6, resolution: '1080p', aspect_ratio: '9:16', generate_audio: false, seed: 7 },
    },
    // Six seconds without audio at $0.10.
    price: 300_000,
    refused: {
      seconds: { seconds: 5 },
      size: { size: '640x640' },
      resolution: { size: undefined, resolution: '480p' },
      aspect_ratio: { size: undefined, aspect_ratio: '1:1' },
      last_frame: { last_frame: 'data:image/png;base64,AAAA' },
      negative_prompt: { negative_prompt: 'dogs' },
    },
    counted: null,
    failure: 'task_failed',
    contentType: 'video/mp4',
    hasAddresses: false,
    canStop: false,
    namesPlaces: false,
    secrets: ['openrouter-secret-0001'],
    wrongKey: json({ error: { code: 401, message: `the key ${key} is not valid` } }, 401),
    wrongContent: json(
      { error: { code: 400, message: 'refused for its content', metadata: { error_type: 'content_policy_violation' } } },
      400,
    ),
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response(request: Received, double: TaskDouble, origin: string): Script {
  const { method, path } = request
  if (method === 'POST') {
    const { id } = addWork(double, `openrouter-job-000${double.works.length + 1}`)
    return json({ id, polling_url: `${origin}/v1/videos/${id}`, status: 'pending' }, 202)
  }
  const [, , , id, below] = path.split('/')
  const work = double.works.find((one) => one.id === id)
  if (work === undefined) return json({ error: { code: 404, message: 'Job not found' } }, 404)
  if (below === 'content?index=0') return content(request, double.contentType)
  return json({ id, polling_url: `${origin}/v1/videos/${id}`, ...statusOf(work, origin) })
}

function statusOf(work: DoubleWork, origin: string): object {
  switch (work.stage) {
    case 'queued':
      return { status: 'pending' }
    case 'running':
      return { status: 'in_progress' }
    case 'done':
      return {
        status: 'completed',
        unsigned_urls: [`${origin}/v1/videos/${work.id}/content?index=0`],
        usage: { cost: 0.6, is_byok: false },
      }
    case 'moderated':
      return { status: 'failed', error: 'The prompt was blocked by a safety filter' }
    default:
      return { status: 'failed', error: wordsAbout(work, key) }
  }
}
