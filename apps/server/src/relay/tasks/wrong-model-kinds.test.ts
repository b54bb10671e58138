import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mp4Of } from '../../../test/mp4.ts'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Task requests for models that make other things: no channel will ever take them, so the error names the model.

const models = {
  chat: 'claude-sonnet-4-5',
  embeddings: 'voyage-like',
  videos: 'pixverse-v5',
  songs: 'suno_music',
  pictures: 'flux-2-pro',
  mapped: 'films',
} as const
type Model = keyof typeof models

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
  const { app } = scene
  await app.make.channel({ type: 14, models: models.chat })
  await app.make.channel({ type: 28, models: models.embeddings })
  await app.make.channel({ type: 46, models: models.videos })
  await app.make.channel({ type: 45, models: models.songs })
  await app.make.channel({ type: 47, models: `${models.pictures},${models.mapped}`, mapping: { [models.mapped]: models.pictures } })
})
afterAll(() => closeConsistent(scene))

const mp4File = () => new File([mp4Of({ seconds: 3, width: 1280, height: 720 })], 'cat.mp4', { type: 'video/mp4' })

function formWith(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

const params = (model: string): string => JSON.stringify({ model, prompt: 'A cat' })
const change = (model: string): FormData => formWith({ model, prompt: 'At night', video: mp4File() })

interface Call {
  /** What its models make. */
  readonly kind: Model
  readonly body: (model: string) => FormData | string
}

const calls: Readonly<Record<string, Call>> = {
  '/v1/videos': { kind: 'videos', body: params },
  '/v1/videos/characters': { kind: 'videos', body: (model) => formWith({ model, name: 'Luna', video: mp4File() }) },
  '/v1/videos/edits': { kind: 'videos', body: change },
  '/v1/videos/extensions': { kind: 'videos', body: change },
  '/v1/tasks': { kind: 'videos', body: params },
  '/v1/tasks?kind=videos': { kind: 'videos', body: params },
  '/v1/tasks?kind=pictures': { kind: 'pictures', body: params },
  '/suno/submit/music': { kind: 'songs', body: params },
  '/suno/submit/lyrics': { kind: 'songs', body: params },
}

const cases = Object.entries(calls).flatMap(([path, { kind, body }]) =>
  // Holds: the names of the table.
  (Object.keys(models) as Model[])
    .filter((other) => other !== kind && !(other === 'mapped' && kind === 'pictures'))
    .map((other) => [path, other, body(models[other])] as const),
)

test.each(cases)('%s with a model of %s', async (path, other, body) => {
  const { app, user, key } = scene
  const [balance, requestsBefore] = [await balanceOf(app, user), app.upstream.received.length]
  const headers = { authorization: `Bearer ${key}`, ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) }
  const response = await app.request(path, { method: 'POST', headers, body })
  const payload = (await response.json()) as {
    readonly code?: string
    readonly message?: string
    readonly error?: { readonly code: string; readonly param: string | null; readonly message: string }
  }
  const { code, message } = payload.error ?? payload
  expect({ status: response.status, code }).toEqual({ status: 400, code: 'parameter_not_offered' })
  expect(message).toContain(models[other])
  if (payload.error !== undefined) expect(payload.error.param).toBe('model')
  expect([await balanceOf(app, user), await holdsOf(app), app.upstream.received.length]).toEqual([balance, 0, requestsBefore])
})
