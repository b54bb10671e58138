import { generateKeyPairSync } from 'node:crypto'
import { json, type Received, type Script } from '../../fake-upstream.ts'
import { mp4File } from '../../task-scene.ts'
import { addWork, begun, type DoubleWork, redirect, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const shared = {
  path: '/v1/videos',
  counted: null,
  contentType: 'video/mp4',
  failure: 'task_failed',
  canStop: false,
  namesPlaces: false,
  wrongContent: json(
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: "The prompt contains words that violate Google's Responsible AI practices.",
      },
    },
    400,
  ),
} as const

/** Veo at the Gemini API. @param type 49, or 24 for a channel of Gemini */
export function geminiVeoDouble(type: 24 | 49): TaskDouble {
  const key = 'AIza-veo-key-0001'
  const model = 'veo-3.1-fast-generate-001'
  const double: TaskDouble = {
    ...begun(),
    ...shared,
    type,
    key,
    models: model,
    params: { model, prompt: 'A cat', size: '1920x1080', negative_prompt: 'dogs' },
    upstreamRequest: {
      path: `/v1beta/models/${model}:predictLongRunning`,
      body: {
        instances: [{ prompt: 'A cat' }],
        parameters: { aspectRatio: '16:9', resolution: '1080p', durationSeconds: 8, sampleCount: 1, negativePrompt: 'dogs' },
      },
    },
    // Eight seconds at $0.10, times 1.2.
    price: 480_000,
    refused: { seconds: { seconds: 4 }, size: { size: '1000x1000' }, generate_audio: { generate_audio: false }, camera: { camera: 1 } },
    hasAddresses: true,
    wrongKey: json({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid API key.' } }, 400),
    isAuthorized: ({ headers }) => headers['x-goog-api-key'] === key && headers['authorization'] === undefined,
    response({ method, path }, origin) {
      if (method === 'POST')
        return json({ name: `models/${model}/operations/${addWork(double, `veo-work-${double.works.length + 1}`).id}` })
      const work = double.works.find(({ id }) => path.includes(id))
      if (work === undefined) return json({ error: { code: 404, status: 'NOT_FOUND', message: 'no such operation' } }, 404)
      if (path.startsWith('/v1beta/files/')) return redirect(resultOf(work, double, origin))
      const video = { uri: `${origin}/v1beta/files/${work.id}:download?alt=media` }
      return operation(work, key, (filtered) => ({
        generateVideoResponse: { ...filtered, ...(work.stage === 'done' ? { generatedSamples: [{ video }] } : {}) },
      }))
    },
  }
  return double
}

/** Omni at the Gemini API. */
export function omniDouble(): TaskDouble {
  const key = 'AIza-omni-key-0001'
  const model = 'gemini-omni-1.1-flash'
  const double: TaskDouble = {
    ...begun(),
    ...shared,
    type: 49,
    key,
    models: model,
    params: { model, prompt: 'A cat', seconds: '5', size: '1920x1080' },
    upstreamRequest: {
      path: '/v1beta/interactions',
      body: {
        model,
        input: 'A cat',
        background: true,
        store: true,
        response_format: { type: 'video', delivery: 'uri', aspect_ratio: '16:9', resolution: '1080p', duration: '5s' },
        generation_config: { video_config: { task: 'text_to_video' } },
      },
    },
    // Five seconds at $0.10, times 1.5.
    price: 375_000,
    refused: { seconds: { seconds: 11 }, size: { size: '1000x1000' }, camera: { camera: 1 } },
    hasAddresses: false,
    canStop: true,
    wrongKey: json({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid API key.' } }, 400),
    isAuthorized: ({ headers }) => headers['x-goog-api-key'] === key && headers['authorization'] === undefined,
    response: (request) => omniResponse(request, double),
  }
  return double
}

const omniStates: Readonly<Record<string, string>> = {
  running: 'in_progress',
  queued: 'in_progress',
  failed: 'failed',
  stopped: 'cancelled',
}

function omniResponse({ method, path }: Received, double: TaskDouble): Script {
  const [, workId, below] = /^\/v1beta\/interactions(?:\/([\w-]+))?(\/cancel)?$/.exec(path.split('?')[0] ?? '') ?? []
  const work = workId === undefined ? addWork(double, `v1_omni${double.works.length + 1}`) : double.works.find(({ id }) => id === workId)
  if (work === undefined) return json({ error: { code: 'invalid_request', message: 'Invalid interaction name.' } }, 400)
  if (method === 'DELETE') {
    double.works.splice(double.works.indexOf(work), 1)
    return json({})
  }
  if (below !== undefined) work.stage = 'stopped'
  const { id, stage } = work
  const video = { type: 'video', mime_type: 'video/mp4', data: mp4File.toString('base64') }
  const content = stage === 'done' ? [video] : stage === 'moderated' ? [{ type: 'text', text: wordsAbout(work, double.key) }] : []
  return json({
    id,
    object: 'interaction',
    model: double.models,
    created: '2026-11-25T12:00:00Z',
    updated: '2026-11-25T12:00:00Z',
    status: omniStates[stage] ?? 'completed',
    ...(stage === 'failed' ? { errors: [{ code: 13, message: wordsAbout(work, double.key) }] } : {}),
    steps: [
      { type: 'user_input', content: [{ type: 'text', text: 'A cat' }] },
      { type: 'model_output', content },
    ],
  })
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Veo at Google Cloud, with a service account. @param type 49, or 42 for a channel of Vertex AI. @param tokens address that gives tokens */
export function cloudVeoDouble(type: 42 | 49, tokens: string): TaskDouble {
  const model = 'veo-3.1-generate-001'
  const place = `/v1/projects/project-1/locations/europe-west1/publishers/google/models/${model}`
  const account = { type: 'service_account', client_email: 'veo@project-1.example', private_key: pem, token_uri: `${tokens}/token` }
  const double: TaskDouble = {
    ...begun(),
    ...shared,
    type,
    key: `europe-west1|project-1|${JSON.stringify(account)}`,
    secrets: ['PRIVATE KEY', 'ya29.veo', 'veo@project-1.example', 'project-1'],
    models: model,
    params: { model, prompt: 'A cat', seconds: 4, size: '720x1280', generate_audio: false },
    upstreamRequest: {
      path: `${place}:predictLongRunning`,
      body: {
        instances: [{ prompt: 'A cat' }],
        parameters: { aspectRatio: '9:16', resolution: '720p', durationSeconds: 4, sampleCount: 1, generateAudio: false },
      },
    },
    // Four seconds without audio: half of $0.40.
    price: 400_000,
    refused: { seconds: { seconds: 5 }, size: { size: '1000x1000' }, camera: { camera: 1 } },
    hasAddresses: false,
    wrongKey: json({ error: { code: 403, status: 'PERMISSION_DENIED', message: 'Permission denied for ya29.veo' } }, 403),
    isAuthorized: ({ headers, path }) => path === '/token' || headers['authorization'] === 'Bearer ya29.veo',
    response: (request) => cloudResponse(request, double, place),
  }
  return double
}

function cloudResponse({ path, body }: Received, double: TaskDouble, place: string): Script {
  if (path === '/token') return json({ access_token: 'ya29.veo', expires_in: 3_599, token_type: 'Bearer' })
  if (path === `${place}:predictLongRunning`) {
    const { id } = addWork(double, `veo-cloud-${double.works.length + 1}`)
    return json({ name: `${place.slice('/v1/'.length)}/operations/${id}` })
  }
  const work = double.works.find(({ id }) => body.includes(id))
  if (work === undefined || path !== `${place}:fetchPredictOperation`) return json({ error: { code: 404, message: 'unknown' } }, 404)
  return operation(work, double.key, (filtered) => ({
    ...filtered,
    ...(work.stage === 'done' ? { videos: [{ bytesBase64Encoded: mp4File.toString('base64'), mimeType: 'video/mp4' }] } : {}),
  }))
}

function operation(work: DoubleWork, key: string, response: (filtered: object) => object): Script {
  const name = `operations/${work.id}`
  if (work.stage === 'queued' || work.stage === 'running') return json({ name, done: false })
  if (work.stage === 'failed') return json({ name, done: true, error: { code: 13, message: wordsAbout(work, key) } })
  const reasons = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [wordsAbout(work, key)] }
  return json({ name, done: true, response: response(work.stage === 'moderated' ? reasons : {}) })
}
