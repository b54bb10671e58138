import { json, type Received, type Script } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = '00000000-ark0-4000-8000-secret000001'
const model = 'doubao-seedance-1-5-pro-251215'
const place = '/api/v3/contents/generations/tasks'

/** Videos of Seedance, which are priced by the tokens that they took. */
export function doubaoDouble(): TaskDouble {
  const double: TaskDouble = {
    ...begun(),
    type: 40,
    key,
    models: model,
    path: '/v1/videos',
    params: { model, prompt: 'A cat', seconds: '5', size: '1280x720', generate_audio: false, seed: 7 },
    upstreamRequest: {
      path: place,
      body: {
        model,
        content: [{ type: 'text', text: 'A cat' }],
        ...{ resolution: '720p', ratio: '16:9', duration: 5, seed: 7, generate_audio: false },
      },
    },
    // 970,000 pixels in 120 frames are at most 113,672 tokens, at $1.20 a million without audio.
    price: 68_204,
    refused: {
      seconds: { seconds: 3 },
      size: { size: '640x640' },
      resolution: { resolution: '480p' },
      ratio: { ratio: '1:1' },
      last_frame: { last_frame: 'data:image/png;base64,aGk=' },
      camera: { camera: 'left' },
    },
    counted: { took: 100_000, price: 60_000 },
    failure: 'InternalServiceError',
    contentType: 'video/mp4',
    hasAddresses: true,
    canStop: false,
    namesPlaces: false,
    secrets: ['secret000001'],
    wrongKey: json({ error: { code: 'AuthenticationError', message: `the key ${key} is not valid`, type: 'Unauthorized' } }, 401),
    wrongContent: json({ error: { code: 'InputTextSensitiveContentDetected', message: 'sensitive', type: 'BadRequest' } }, 400),
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
    response: (request, origin) => response(request, double, origin),
  }
  return double
}

function response({ method, path }: Received, double: TaskDouble, origin: string): Script {
  if (method === 'POST') return json({ id: addWork(double, `cgt-20261127-${double.works.length + 1}`).id })
  const work = double.works.find((one) => path === `${place}/${one.id}`)
  if (work === undefined) return json({ error: { code: 'ResourceNotFound', message: 'The task is not found' } }, 404)
  return json({ id: work.id, model, ...statusOf(work, double, origin) })
}

function statusOf(work: DoubleWork, double: TaskDouble, origin: string): object {
  const { took } = work
  switch (work.stage) {
    case 'queued':
    case 'running':
      return { status: work.stage }
    case 'done':
      return {
        status: 'succeeded',
        content: { video_url: resultOf(work, double, origin) },
        ...(took === null ? {} : { usage: { completion_tokens: took, total_tokens: took } }),
      }
    case 'moderated':
      return { status: 'failed', error: { code: 'OutputVideoSensitiveContentDetected', message: 'sensitive' } }
    default:
      return { status: 'failed', error: { code: 'InternalServiceError', message: wordsAbout(work, key) } }
  }
}
