import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  doneIn,
  oddResponses,
  page,
  requestIn,
  runningTask,
  survives,
  taskContext,
  taskParamsOf,
  taskResponse,
} from '../../../../test/tasks.ts'
import type { TaskContext, TaskParams } from '../../../core/task.ts'
import { addressed } from '../../../registry/channel-facts.ts'
import { defaultPrice } from '../../../registry/models/prices.ts'
import { taskDialectOf } from '../../../registry/task-dialect-of.ts'
import { geminiVendor } from '../gemini/vendor.ts'
import { omniVideos } from '../omni/videos.ts'
import { askGoogleToken } from '../service-account.ts'
import { vertexAiVendor } from '../vertexai/vendor.ts'
import { geminiApi, googleCloud } from './hosts.ts'
import { isVeo } from './models.ts'
import { veo } from './vendor.ts'
import { geminiVideos, veoAt, vertexAiVideos } from './videos.ts'

const model = 'veo-3.1-generate-001'
const developer = veoAt(geminiApi)
const cloud = veoAt(googleCloud)

const context = taskContext('https://generativelanguage.googleapis.com')
const cloudContext: TaskContext = {
  ...taskContext('https://us-central1-aiplatform.googleapis.com'),
  config: { region: 'us-central1', vertex_ai_project_id: 'p-1' },
}
const place = 'https://us-central1-aiplatform.googleapis.com/v1/projects/p-1/locations/us-central1/publishers/google/models'

const taskParams = (fields: Partial<TaskParams> = {}): TaskParams => taskParamsOf({ model, ...fields })
const inputImage = { url: 'data:image/png;base64,AAAA' }
const image = { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }
const portrait = { width: 2160, height: 3840 }

function refusal(dialect: typeof developer, fields: Partial<TaskParams>): string | null {
  const plan = dialect.plan(taskParams(fields))
  return 'refused' in plan ? plan.refused : null
}

describe('an order', () => {
  test('with a prompt alone is sent with every value that its price depends on', () => {
    expect(requestIn(developer.submit(context, taskParams(), []))).toEqual({
      method: 'POST',
      url: `https://generativelanguage.googleapis.com/v1beta/models/${model}:predictLongRunning`,
      headers: { 'content-type': 'application/json' },
      body: {
        instances: [{ prompt: 'A cat' }],
        parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, sampleCount: 1 },
      },
    })
    expect(developer.plan(taskParams())).toEqual({ counts: { seconds: 8, size: '720p' }, seconds: 8, size: '1280x720' })
  })

  test('with everything is sent to Google Cloud with its frames', () => {
    const extra = {
      negative_prompt: 'dogs',
      seed: 7,
      last_frame: 'gs://b/end.png',
      person_generation: 'allow_adult',
      generate_audio: false,
    }
    const full = taskParams({ seconds: 8, size: portrait, images: [inputImage], extra })
    expect(requestIn(cloud.submit(cloudContext, full, []))).toEqual({
      method: 'POST',
      url: `${place}/${model}:predictLongRunning`,
      headers: { 'content-type': 'application/json' },
      body: {
        instances: [{ prompt: 'A cat', image, lastFrame: { gcsUri: 'gs://b/end.png', mimeType: 'image/png' } }],
        parameters: {
          aspectRatio: '9:16',
          resolution: '4k',
          durationSeconds: 8,
          sampleCount: 1,
          negativePrompt: 'dogs',
          personGeneration: 'allow_adult',
          seed: 7,
          generateAudio: false,
        },
      },
    })
    expect(cloud.plan(full)).toEqual({ counts: { seconds: 8, size: '4k', quality: 'silent' }, seconds: 8, size: '2160x3840' })
  })

  test('has up to three references', () => {
    const full = taskParams({ extra: { reference_images: [inputImage.url, inputImage.url], seed: null } })
    expect(requestIn(developer.submit(context, full, [])).body).toMatchObject({
      instances: [
        {
          prompt: 'A cat',
          referenceImages: [
            { image, referenceType: 'asset' },
            { image, referenceType: 'asset' },
          ],
        },
      ],
    })
    expect(refusal(developer, full)).toBeNull()
  })

  test('asks Google Cloud for audio unless the client wants none', () => {
    expect(requestIn(cloud.submit(cloudContext, taskParams(), [])).body).toMatchObject({ parameters: { generateAudio: true } })
    expect(refusal(developer, { extra: { generate_audio: true } })).toBeNull()
  })

  test.each([
    [{ seconds: 4 }, { seconds: 4, size: '720p' }],
    [
      { seconds: 6, size: { width: 1792, height: 1024 } },
      { seconds: 6, size: '720p' },
    ],
    [{ size: { width: 1080, height: 1920 } }, { seconds: 8, size: '1080p' }],
    [{ extra: { resolution: '4k' } }, { seconds: 8, size: '4k' }],
  ] as const)('%j is planned as %j', (fields, counts) => {
    expect(developer.plan(taskParams(fields))).toMatchObject({ counts })
  })

  test.each([
    ['a length between', { seconds: 5 }, 'seconds'],
    ['a short large video', { seconds: 4, size: { width: 1920, height: 1080 } }, 'seconds'],
    ['a short video with references', { seconds: 6, extra: { reference_images: [inputImage.url] } }, 'seconds'],
    ['a square', { size: { width: 1024, height: 1024 } }, 'size'],
    ['a size and a ratio', { size: { width: 1280, height: 720 }, extra: { aspect_ratio: '16:9' } }, 'aspect_ratio'],
    ['a size and a resolution', { size: { width: 1280, height: 720 }, extra: { resolution: '720p' } }, 'resolution'],
    ['the smallest model at 4k', { model: 'veo-3.1-lite-generate-001', size: portrait }, 'size'],
    ['two pictures', { images: [inputImage, inputImage] }, 'input_reference'],
    ['an address of the web', { images: [{ url: 'https://a.example/a.png' }] }, 'input_reference'],
    ['an address of Cloud Storage', { images: [{ url: 'gs://b/a.png' }] }, 'input_reference'],
    ['a last frame of the web', { images: [inputImage], extra: { last_frame: 'https://a.example/a.png' } }, 'last_frame'],
    ['references beside a frame', { images: [inputImage], extra: { reference_images: [inputImage.url] } }, 'reference_images'],
    ['references of the web', { extra: { reference_images: ['https://a.example/a.png'] } }, 'reference_images'],
    ['too many references', { extra: { reference_images: ['a', 'b', 'c', 'd'] } }, 'reference_images'],
    ['no sound', { extra: { generate_audio: false } }, 'generate_audio'],
    ['a wrong type', { extra: { seed: '7' } }, 'seed'],
    ['an unknown parameter', { extra: { sample_count: 4 } }, 'sample_count'],
  ] as const)('is refused by name: %s', (_, fields, name) => {
    expect(refusal(developer, fields)).toBe(name)
  })

  test('is refused at Google Cloud if its image is of the web', () => {
    expect(refusal(cloud, { images: [{ url: 'https://a.example/a.png' }] })).toBe('input_reference')
    expect(refusal(cloud, { images: [{ url: 'gs://b/a.png' }] })).toBeNull()
  })
})

describe('a response to an order', () => {
  const submit = (...responses: Parameters<typeof taskResponse>) => developer.submit(context, taskParams(), [taskResponse(...responses)])

  test('names the operation', () => {
    expect(submit({ name: `models/${model}/operations/a-1` })).toEqual({
      done: { vendorId: `models/${model}/operations/a-1`, memo: {}, report: { state: 'queued', progress: 0 } },
    })
  })

  test('with a name that would lead elsewhere is a failure', () => {
    for (const name of ['', '../x', 'models/../../x', '/x', 'a?b', 'https://a.example', 'a//b', 1])
      expect(submit({ name })).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(developer.submit(context, taskParams(), [page])).toMatchObject({ failed: { kind: 'unavailable' } })
  })

  test('that is an error is classified', () => {
    expect(submit({ error: { code: 400, message: 'wrong', status: 'INVALID_ARGUMENT' } }, 400)).toMatchObject({
      failed: { kind: 'bad_request' },
    })
    expect(submit({ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } })).toMatchObject({
      failed: { kind: 'rate_limited' },
    })
    const invalid = { error: { code: 400, message: 'API key not valid', details: [{ reason: 'API_KEY_INVALID' }] } }
    expect(submit(invalid, 400)).toMatchObject({ failed: { kind: 'bad_key' } })
  })

  test('that is refused for its content says so', () => {
    const message = "This prompt contains words that violate Google's Responsible AI practices."
    for (const status of [200, 400])
      expect(submit({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }, status)).toMatchObject({
        failed: { kind: 'bad_request', code: 'moderation_blocked', message },
      })
  })
})

describe('a task', () => {
  const task = runningTask({ model, vendorId: `models/${model}/operations/a-1` })
  const polled = (...responses: Parameters<typeof taskResponse>) => doneIn(developer.poll(context, task, [taskResponse(...responses)]))

  test('is polled by its name', () => {
    expect(requestIn(developer.poll(context, task, []))).toMatchObject({
      method: 'GET',
      url: `https://generativelanguage.googleapis.com/v1beta/models/${model}/operations/a-1`,
    })
    const name = `projects/p-1/locations/us-central1/publishers/google/models/${model}/operations/a-1`
    expect(requestIn(cloud.poll(cloudContext, runningTask({ model, vendorId: name }), []))).toMatchObject({
      method: 'POST',
      url: `${place}/${model}:fetchPredictOperation`,
      body: { operationName: name },
    })
  })

  test('has a video behind an address, for two days', () => {
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/f:download?alt=media'
    expect(polled({ done: true, response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } })).toEqual({
      state: 'completed',
      progress: 100,
      results: [{ variant: 'video', url: uri }],
      expiresAt: context.nowMs / 1000 + 172_800,
    })
  })

  test('has a video behind an address without TLS, at a server in the own network', () => {
    const uri = 'http://10.0.0.5/v1beta/files/f:download'
    expect(polled({ done: true, response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } })).toMatchObject({
      results: [{ variant: 'video', url: uri }],
    })
  })

  test('has a video in the response', () => {
    const videos = [{ bytesBase64Encoded: 'AAAA', mimeType: 'video/mp4' }]
    const report = doneIn(cloud.poll(cloudContext, task, [taskResponse({ done: true, response: { videos } })]))
    expect(report).toEqual({ state: 'completed', progress: 100, results: [{ variant: 'video', base64: 'AAAA', contentType: 'video/mp4' }] })
  })

  test('that is not done is in progress', () => {
    for (const response of [{}, { done: false }, { done: 'yes', metadata: 1 }]) expect(polled(response)).toEqual({ state: 'in_progress' })
  })

  test('whose video was withheld fails with the reasons', () => {
    const error = { code: 'moderation_blocked', message: 'A celebrity.' }
    const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['A celebrity.', 4] }
    expect(polled({ done: true, response: { generateVideoResponse: filtered } })).toEqual({ state: 'failed', error })
    expect(polled({ done: true, response: filtered })).toEqual({ state: 'failed', error })
    expect(polled({ done: true, response: { raiMediaFilteredCount: 1 } })).toMatchObject({ error: { code: 'moderation_blocked' } })
  })

  test('that failed has the words of the service', () => {
    expect(polled({ done: true, error: { code: 13, message: 'Internal' } })).toEqual({
      state: 'failed',
      error: { code: 'task_failed', message: 'Internal' },
    })
    const message = 'The prompt could not be submitted. It might violate our usage guidelines.'
    expect(polled({ done: true, error: { code: 3, message } })).toMatchObject({ error: { code: 'moderation_blocked', message } })
    for (const response of [null, {}, { videos: [{ uri: 'file:///a' }] }])
      expect(polled({ done: true, response })).toMatchObject({ state: 'failed', error: { code: 'no_result' } })
  })

  test('may be in a bucket', () => {
    expect(polled({ done: true, response: { videos: [{ gcsUri: 'gs://b.example/a b/c.mp4', mimeType: 'video/mp4' }] } })).toMatchObject({
      results: [{ variant: 'video', url: 'https://storage.googleapis.com/b.example/a%20b/c.mp4', contentType: 'video/mp4' }],
    })
    expect(polled({ done: true, response: { videos: [{ gcsUri: 'gs://b' }] } })).toMatchObject({ error: { code: 'no_result' } })
  })

  test('that the service does not know is unknown', () => {
    expect(polled({ error: { code: 404 } }, 404)).toBeNull()
  })

  test('has a result for any response', () => {
    const names = ['name', 'done', 'error', 'response', 'generateVideoResponse', 'generatedSamples', 'videos', 'video', 'uri', 'message']
    const responses = oddResponses(names, [true, 'a/b', 'https://a.example/a.mp4'])
    fc.assert(
      fc.property(responses, (response) => {
        expect(survives(developer, taskParams(), [response])).toBe(true)
        expect(survives(cloud, taskParams(), [response])).toBe(true)
      }),
    )
  })
})

test('a video is continued at Google Cloud by seven seconds, in its own size', () => {
  const bytes = new Uint8Array([1, 2, 3])
  const video = { file: { name: 'video', fileName: 'a.mp4', contentType: 'video/mp4', bytes }, seconds: 8, width: 1080, height: 1920 }
  const extension = taskParams({ action: 'extend', video, extra: { generate_audio: false } })
  expect(requestIn(cloud.submit(cloudContext, extension, [])).body).toEqual({
    instances: [{ prompt: 'A cat', video: { bytesBase64Encoded: 'AQID', mimeType: 'video/mp4' } }],
    parameters: { aspectRatio: '9:16', resolution: '1080p', durationSeconds: 7, sampleCount: 1, generateAudio: false },
  })
  expect(cloud.plan(extension)).toMatchObject({ counts: { seconds: 7, size: '1080p', quality: 'silent' }, seconds: 7, size: '1080x1920' })
  for (const [fields, refused] of [
    [{ video: null }, 'video'],
    [{ video: { ...video, seconds: 31 } }, 'video'],
    [{ video: { ...video, width: 500 } }, 'video'],
    [{ seconds: 8 }, 'seconds'],
    [{ size: { width: 1080, height: 1920 } }, 'size'],
    [{ extra: { resolution: '1080p' } }, 'resolution'],
  ] as const)
    expect(refusal(cloud, { action: 'extend', video, ...fields })).toBe(refused)
  expect([cloud.videoActions, developer.actions]).toEqual([['extend'], undefined])
})

describe('a channel', () => {
  const account = '{"client_email":"robot@p-1.example","private_key":"none","project_id":"p-2"}'
  const channelOf = (key: string, other = '') => addressed(veo, { baseUrl: '', key, config: '', other })
  const dialectsAt = (channel: ReturnType<typeof channelOf>) =>
    [model, 'gemini-omni-1.1-flash'].map((name) => taskDialectOf(channel?.vendor ?? {}, 'videos', name))

  test('with an API key calls the Gemini API', () => {
    const channel = channelOf('AIzaExample')
    expect(channel?.facts.baseUrl).toBe('https://generativelanguage.googleapis.com')
    expect(channel?.vendor).toMatchObject({ auth: { header: 'x-goog-api-key' }, routes: { keyHosts: ['googleapis.com'] } })
    expect(dialectsAt(channel)).toEqual([geminiVideos, omniVideos])
  })

  test('with a service account calls Google Cloud in its region and project', () => {
    for (const [key, other, host, path] of [
      [`europe-west4|p-1|${account}`, '', 'https://europe-west4-aiplatform.googleapis.com', 'p-1/locations/europe-west4'],
      [account, '', 'https://aiplatform.googleapis.com', 'p-2/locations/global'],
      [account, 'us-central1', 'https://us-central1-aiplatform.googleapis.com', 'p-2/locations/us-central1'],
    ] as const) {
      const channel = channelOf(key, other)
      expect(channel?.vendor).toMatchObject({ credential: askGoogleToken, routes: { keyHosts: ['googleapis.com'] } })
      expect(dialectsAt(channel)).toEqual([vertexAiVideos, null])
      expect(channel?.facts.baseUrl).toBe(host)
      const used = { ...taskContext(host), ...channel?.facts }
      expect(requestIn(cloud.submit(used, taskParams(), [])).url).toBe(
        `${host}/v1/projects/${path}/publishers/google/models/${model}:predictLongRunning`,
      )
    }
  })

  test('of Gemini or of Google Cloud makes videos with these models only', () => {
    expect(taskDialectOf(geminiVendor, 'videos', 'veo-3.1-generate-preview')).not.toBeNull()
    expect(taskDialectOf(vertexAiVendor, 'videos', model)).not.toBeNull()
    for (const vendor of [geminiVendor, vertexAiVendor]) expect(taskDialectOf(vendor, 'videos', 'gemini-2.5-pro')).toBeNull()
  })
})

test('each size that can be requested has a price', () => {
  for (const name of veo.models.names.filter(isVeo)) {
    const { pictures: images = {} } = defaultPrice(name, { yuanPerDollar: 7, nowMs: 0 }) ?? {}
    for (const resolution of ['720p', '1080p', '4k']) {
      const plan = cloud.plan(taskParams({ model: name, extra: { resolution, generate_audio: false } }))
      if ('counts' in plan)
        expect([name, images[resolution], images[`silent ${resolution}`]]).toEqual([name, expect.any(Number), expect.any(Number)])
    }
  }
})
