import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mp4Of } from '../../../test/mp4.ts'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Orders that cannot be taken: each is refused in the form of its route before anything is sent, and costs nothing.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene({ env: { BODIES_BYTES_MAX: String(1024 * 1024) } })
  const { app } = scene
  await app.make.channel({ type: 47, models: 'flux-2-pro,flux-kontext-pro,flux-pro-1.1' })
  await app.make.channel({ type: 49, models: 'gemini-omni-1.1-flash' })
  await app.make.channel({ type: 45, models: 'suno_music,suno_lyrics' })
})
afterAll(() => closeConsistent(scene))

type Form = ReadonlyArray<readonly [name: string, value: string | File]>
interface Bad {
  readonly what: string
  readonly path: string
  /** A list of parts is sent as a form, a text as it is, anything else as JSON. */
  readonly body: Form | object | string
  readonly type?: string
  readonly status: number
  readonly code: string
  readonly param?: string | null
}

const image = (bytes: number, type = 'image/png'): File => new File([new Uint8Array(bytes)], 'cat.png', { type })
const mp4File = new File([mp4Of({ seconds: 3, width: 1280, height: 720 })], 'cat.mp4', { type: 'video/mp4' })
const tooLarge = 20 * 1024 * 1024 + 1

const drawing = '/v1/images/generations'
const editing = '/v1/images/edits'
const varying = '/v1/images/variations'
const singing = '/suno/submit/music'
const fetching = '/suno/fetch'
const casting = '/v1/videos/characters'

const flux = { model: 'flux-2-pro', prompt: 'A cat' } as const
const edit: Form = [
  ['model', 'flux-kontext-pro'],
  ['prompt', 'At night'],
]
const vary: Form = [['model', 'flux-pro-1.1']]
const cast: Form = [
  ['model', 'sora-2'],
  ['name', 'Luna'],
]

const wrong = (param: string) => ({ status: 400, code: 'invalid_parameter', param })
const notOffered = (param: string) => ({ status: 400, code: 'parameter_not_offered', param })
const large = { status: 413, code: 'body_too_large' }
const unknown = { status: 404, code: 'model_not_found' }
const badType = { status: 415, code: 'unsupported_media_type' }
const noJson = { status: 400, code: 'invalid_json' }

const bad: readonly Bad[] = [
  { what: 'no prompt', path: drawing, body: { model: 'flux-2-pro' }, ...wrong('prompt') },
  { what: 'a prompt that is no text', path: drawing, body: { ...flux, prompt: 7 }, ...wrong('prompt') },
  { what: 'no model', path: drawing, body: { prompt: 'A cat', size: '1x1' }, ...unknown },
  { what: 'an unknown model', path: drawing, body: { ...flux, model: 'no-such' }, ...unknown },
  { what: 'a size that is none', path: drawing, body: { ...flux, size: 'large' }, ...wrong('size') },
  { what: 'a count that is none', path: drawing, body: { ...flux, n: 'two' }, ...wrong('n') },
  { what: 'a count beyond the most', path: drawing, body: { ...flux, n: 1_000 }, ...wrong('n') },
  { what: 'an unknown parameter', path: drawing, body: { ...flux, camera: 'low' }, ...notOffered('camera') },
  { what: 'a body that is no JSON', path: drawing, body: '{"model":', ...noJson },
  { what: 'a body that is a text', path: drawing, body: 'a cat', type: 'text/plain', ...noJson },
  { what: 'no picture', path: editing, body: edit, ...wrong('image') },
  { what: 'an empty picture', path: editing, body: [...edit, ['image', image(0)]], ...wrong('image') },
  { what: 'a picture that is none', path: editing, body: [...edit, ['image', image(9, 'text/html')]], ...wrong('image') },
  { what: 'a picture as text', path: editing, body: [...edit, ['image', 'a cat']], ...wrong('image') },
  { what: 'a picture that is too large', path: editing, body: [...edit, ['image', image(tooLarge)]], ...large },
  {
    what: 'an unknown model',
    path: editing,
    body: [
      ['model', 'no-such'],
      ['prompt', 'x'],
      ['image', image(9)],
    ],
    ...unknown,
  },
  { what: 'an unknown parameter', path: editing, body: [...edit, ['image', image(9)], ['camera', 'low']], ...notOffered('camera') },
  { what: 'a private address', path: editing, body: { ...flux, image: 'http://127.0.0.1/a.png' }, ...wrong('image') },
  { what: 'no picture', path: varying, body: vary, ...wrong('image') },
  { what: 'an empty picture', path: varying, body: [...vary, ['image', image(0)]], ...wrong('image') },
  { what: 'a picture that is too large', path: varying, body: [...vary, ['image', image(tooLarge)]], ...large },
  { what: 'an unknown parameter', path: varying, body: [...vary, ['image', image(9)], ['camera', 'low']], ...notOffered('camera') },
  { what: 'a body of another type', path: varying, body: 'a cat', type: 'text/plain', ...badType },
  { what: 'an unknown action', path: '/suno/submit/dance', body: { prompt: 'x' }, ...wrong('action') },
  { what: 'an action that objects inherit', path: '/suno/submit/constructor', body: { prompt: 'x' }, ...wrong('action') },
  { what: 'a prompt that is no text', path: singing, body: { prompt: ['rain'] }, ...wrong('prompt') },
  { what: 'an unknown model', path: singing, body: { prompt: 'x', model: 'no-such' }, ...unknown },
  { what: 'a model that is no text', path: singing, body: { prompt: 'x', model: 7 }, status: 400, code: 'model_required', param: 'model' },
  {
    what: 'an address for a message',
    path: singing,
    body: { prompt: 'x', notify_hook: 'https://a.example' },
    ...notOffered('notify_hook'),
  },
  { what: 'a private address', path: singing, body: { prompt: 'x', audio_url: 'http://10.0.0.1/a.mp3' }, ...wrong('audio_url') },
  { what: 'a task of nobody', path: singing, body: { prompt: 'x', task_id: 'task_0' }, status: 404, code: 'task_not_found' },
  { what: 'a body that is a list', path: singing, body: '[]', ...wrong('body') },
  { what: 'a body of another type', path: singing, body: 'rain', type: 'image/png', ...badType },
  { what: 'no ids', path: fetching, body: {}, ...wrong('ids') },
  { what: 'ids that are no texts', path: fetching, body: { ids: [7] }, ...wrong('ids') },
  { what: 'too many ids', path: fetching, body: { ids: Array.from({ length: 101 }, String) }, ...wrong('ids') },
  { what: 'a body that is null', path: fetching, body: 'null', ...wrong('ids') },
  { what: 'no film', path: casting, body: cast, ...wrong('video') },
  { what: 'an empty film', path: casting, body: [...cast, ['video', new File([], 'a.mp4', { type: 'video/mp4' })]], ...wrong('video') },
  { what: 'a picture as its film', path: casting, body: [...cast, ['video', image(9)]], ...wrong('video') },
  {
    what: 'no name',
    path: casting,
    body: [
      ['model', 'sora-2'],
      ['video', mp4File],
    ],
    ...wrong('name'),
  },
  {
    what: 'a name that is too long',
    path: casting,
    body: [
      ['model', 'sora-2'],
      ['name', 'a'.repeat(81)],
      ['video', mp4File],
    ],
    ...wrong('name'),
  },
  {
    what: 'an unknown model',
    path: casting,
    body: [
      ['model', 'no-such'],
      ['name', 'Luna'],
      ['video', mp4File],
    ],
    ...unknown,
  },
  {
    what: 'a model without characters',
    path: casting,
    body: [
      ['model', 'gemini-omni-1.1-flash'],
      ['name', 'Luna'],
      ['video', mp4File],
    ],
    ...notOffered('characters'),
  },
  { what: 'an unknown parameter', path: casting, body: [...cast, ['video', mp4File], ['age', '7']], ...wrong('age') },
  { what: 'JSON', path: casting, body: { name: 'Luna', video: 'https://films.example/a.mp4' }, ...wrong('video') },
]

function initOf({ body, type = 'application/json' }: Bad): {
  readonly headers: Readonly<Record<string, string>>
  readonly body: FormData | string
} {
  if (!Array.isArray(body)) return { headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body) }
  const form = new FormData()
  for (const [name, value] of body as Form) form.append(name, value)
  return { headers: {}, body: form }
}

test.each(bad.map((params) => [`${params.path} with ${params.what}`, params] as const))('%s', async (_, params) => {
  const { app, user, key } = scene
  const [balance, requestsBefore] = [await balanceOf(app, user), app.upstream.received.length]
  const { headers, body } = initOf(params)
  const response = await app.request(params.path, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body })
  const payload = (await response.json()) as {
    readonly code?: string
    readonly data?: null
    readonly message?: string
    readonly error?: { readonly code: string; readonly param: string | null; readonly message: string }
  }
  if (params.path.startsWith('/suno/')) {
    expect({ status: response.status, ...payload }).toEqual({
      status: params.status,
      code: params.code,
      data: null,
      message: expect.stringMatching(/./),
    })
    if (params.param) expect(payload.message).toContain(params.param)
  } else {
    expect({ status: response.status, code: payload.error?.code, param: payload.error?.param }).toMatchObject({
      status: params.status,
      code: params.code,
      ...(params.param && { param: params.param }),
    })
    expect(payload.error?.message).not.toBe('')
  }
  expect([await balanceOf(app, user), await holdsOf(app), app.upstream.received.length]).toEqual([balance, 0, requestsBefore])
})

test('large bodies that are refused are counted no longer', async () => {
  const { app, key } = scene
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ ids: 'x'.repeat(400 * 1024) })
  for (let count = 0; count < 6; count += 1) expect((await app.request('/suno/fetch', { method: 'POST', headers, body })).status).toBe(400)
})
